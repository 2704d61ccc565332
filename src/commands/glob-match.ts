/** How {@link globMatcher} reads a pattern. */
export interface GlobOptions {
  /** `*`, `?` and `[` don't match a slash. */
  readonly pathname?: boolean
  /** A dot at the start (and after a slash) is matched by a dot only. */
  readonly period?: boolean
  readonly ignoreCase?: boolean
}

type Piece =
  | { readonly kind: 'char'; readonly code: number }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | { readonly kind: 'set'; readonly negated: boolean; readonly has: (code: number) => boolean }

/** Compiles a shell pattern (`*`, `?`, `[…]`, `\`) as fnmatch(3) reads it. Matching takes time in the product of both lengths at worst. */
export function globMatcher(pattern: string, options: GlobOptions = {}): (name: string) => boolean {
  const pieces = compile(options.ignoreCase === true ? pattern.toLowerCase() : pattern)
  return (name) => matches(pieces, options.ignoreCase === true ? name.toLowerCase() : name, options)
}

function matches(pieces: readonly Piece[], name: string, { pathname = false, period = false }: GlobOptions): boolean {
  const hidden = (at: number): boolean => period && name[at] === '.' && (at === 0 || (pathname && name[at - 1] === '/'))
  let piece = 0
  let at = 0
  let starPiece = -1
  let starAt = 0
  while (at < name.length || piece < pieces.length) {
    const current = pieces[piece]
    if (current?.kind === 'star') {
      if (hidden(at)) return false
      starPiece = piece
      starAt = at
      piece += 1
      continue
    }
    const code = name.codePointAt(at)
    if (current !== undefined && code !== undefined && fits(current, code, at)) {
      piece += 1
      at += code > 0xffff ? 2 : 1
      continue
    }
    if (!again()) return false
  }
  return true

  function again(): boolean {
    if (starPiece < 0 || starAt >= name.length || (pathname && name[starAt] === '/')) return false
    starAt += (name.codePointAt(starAt) as number) > 0xffff ? 2 : 1
    at = starAt
    piece = starPiece + 1
    return true
  }

  function fits(current: Piece, code: number, index: number): boolean {
    if (current.kind === 'char') return current.code === code
    if ((pathname && code === 47) || hidden(index)) return false
    return current.kind === 'set' ? current.has(code) !== current.negated : true
  }
}

function compile(pattern: string): Piece[] {
  const pieces: Piece[] = []
  const chars = Array.from(pattern, (char) => char.codePointAt(0) as number)
  for (let at = 0; at < chars.length; at++) {
    const code = chars[at] as number
    if (code === 42) {
      if (pieces.at(-1)?.kind !== 'star') pieces.push({ kind: 'star' })
    } else if (code === 63) pieces.push({ kind: 'any' })
    else if (code === 92 && at + 1 < chars.length) pieces.push({ kind: 'char', code: chars[++at] as number })
    else if (code === 91) {
      const set = bracket(chars, at)
      pieces.push(set?.piece ?? { kind: 'char', code })
      if (set !== null) at = set.end
    } else pieces.push({ kind: 'char', code })
  }
  return pieces
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  alnum: /[\p{L}\p{N}]/u,
  alpha: /\p{L}/u,
  blank: /[ \t]/,
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[^\p{C}\p{Z}\s]/u,
  lower: /\p{Ll}/u,
  print: /[^\p{C}]/u,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\v\f\r]/,
  upper: /\p{Lu}/u,
  xdigit: /[0-9A-Fa-f]/,
}

function bracket(chars: readonly number[], start: number): { piece: Piece; end: number } | null {
  let at = start + 1
  const negated = chars[at] === 33 || chars[at] === 94
  if (negated) at += 1
  const ranges: [number, number][] = []
  const classes: RegExp[] = []
  for (let first = true; ; first = false) {
    let code = chars[at]
    if (code === undefined) return null
    if (code === 93 && !first) break
    if (code === 91 && chars[at + 1] === 58) {
      const close = chars.findIndex((char, index) => index > at + 1 && char === 58 && chars[index + 1] === 93)
      const known = close < 0 ? undefined : CLASSES[String.fromCodePoint(...chars.slice(at + 2, close))]
      if (known !== undefined) {
        classes.push(known)
        at = close + 2
        continue
      }
    }
    if (code === 92 && chars[at + 1] !== undefined) code = chars[++at] as number
    at += 1
    const isRange = chars[at] === 45 && chars[at + 1] !== undefined && chars[at + 1] !== 93
    if (!isRange) {
      ranges.push([code, code])
      continue
    }
    at += 1
    let high = chars[at] as number
    if (high === 92 && chars[at + 1] !== undefined) high = chars[++at] as number
    at += 1
    ranges.push([code, high])
  }
  const has = (code: number): boolean =>
    ranges.some(([low, high]) => code >= low && code <= high) || classes.some((known) => known.test(String.fromCodePoint(code)))
  return { piece: { kind: 'set', negated, has }, end: at }
}
