/**
 * A list of words as `-W` takes it, cut at the characters of `ifs` that are neither quoted nor in an expansion. `texts` holds the words with their
 * quotes; with what isn't quoted escaped they can stand in a command. `plain` holds them without, where nothing is to be expanded. Null for a
 * list with an expansion that has no end.
 */
export function splitWordList(
  list: string,
  ifs: string,
): { readonly texts: readonly string[]; readonly plain: readonly string[] | null } | null {
  const texts: string[] = []
  const plain: string[] = []
  let isPlain = true
  let at = 0
  while (at < list.length) {
    if (ifs.includes(list[at] as string)) {
      at += 1
      continue
    }
    let text = ''
    let value = ''
    const start = at
    while (at < list.length && !ifs.includes(list[at] as string)) {
      const char = list[at] as string
      const end = partEnd(list, at)
      if (end < 0) return null
      const part = list.slice(at, end)
      if (char === '$' || char === '`' || (char === '~' && at === start)) isPlain = false
      if (char === '\\' || char === "'" || char === '"' || char === '$' || char === '`') {
        text += closed(part)
        value += unquoted(part)
        if (char === '"' && /[$`]/.test(part)) isPlain = false
      } else {
        if (char === '{') isPlain = false
        text += SPECIAL.test(char) ? `\\${char}` : char === '\n' ? "'\n'" : char
        value += char
      }
      at = end
    }
    texts.push(text)
    plain.push(value)
  }
  return { texts, plain: isPlain ? plain : null }
}

/** Text without its quotes. */
export function withoutQuotes(text: string): string {
  let value = ''
  for (let at = 0; at < text.length; ) {
    const char = text[at] as string
    const end = char === '\\' || char === "'" || char === '"' ? partEnd(text, at) : at + 1
    value += unquoted(text.slice(at, end))
    at = end
  }
  return value
}

const SPECIAL = /[;&|()<>#!*?[\] \t]/

/** A quote that isn't closed goes to the end, and is closed there. */
function closed(part: string): string {
  if (part === '\\') return '\\\\'
  const quote = part[0]
  if (quote !== "'" && quote !== '"') return part
  return part.length > 1 && part.endsWith(quote) && partEnd(part, 0, true) === part.length ? part : part + quote
}

function unquoted(part: string): string {
  switch (part[0]) {
    case '\\':
      return part.slice(1)
    case "'":
      return part.slice(1).replace(/'$/, '')
    case '"':
      return part.slice(1).replace(/\\([$`"\\\n])|"$/g, (_, char: string | undefined) => char ?? '')
    default:
      return part
  }
}

/** Index after the part that begins at `start`: a character, a quoted text, an expansion. Negative for an expansion without an end, and with `strict` for a quote without one. */
function partEnd(text: string, start: number, strict = false): number {
  const missing = strict ? -1 : text.length
  switch (text[start]) {
    case '\\':
      return Math.min(start + 2, text.length)
    case "'": {
      const end = text.indexOf("'", start + 1)
      return end < 0 ? missing : end + 1
    }
    case '"':
      for (let at = start + 1; at < text.length; ) {
        if (text[at] === '"') return at + 1
        const next = text[at] === '\\' ? at + 2 : text[at] === '$' || text[at] === '`' ? partEnd(text, at) : at + 1
        if (next < 0) return -1
        at = next
      }
      return missing
    case '`':
      for (let at = start + 1; at < text.length; at++) {
        if (text[at] === '\\') at += 1
        else if (text[at] === '`') return at + 1
      }
      return -1
    case '$':
      if (text[start + 1] === '(') return groupEnd(text, start + 2, ')')
      return text[start + 1] === '{' ? groupEnd(text, start + 2, '}') : start + 1
    default:
      return start + 1
  }
}

function groupEnd(text: string, start: number, close: ')' | '}'): number {
  const open = close === ')' ? '(' : '{'
  let depth = 1
  for (let at = start; at < text.length; ) {
    const char = text[at]
    if (char === close) {
      depth -= 1
      if (depth === 0) return at + 1
    } else if (char === open) depth += 1
    const end = char === '\\' || char === "'" || char === '"' || char === '`' || char === '$' ? partEnd(text, at, true) : at + 1
    if (end < 0) return -1
    at = end
  }
  return -1
}
