/** Orders names as `ls -v` and `sort -V` do: numbers within them by value, `~` before the end, suffixes last. */
export function compareVersions(a: string, b: string): number {
  if (a === b) return 0
  const special = specialRank(a) - specialRank(b)
  if (special !== 0) return special
  const result = compareParts(a.slice(0, a.length - suffixLength(a)), b.slice(0, b.length - suffixLength(b)))
  return result !== 0 ? result : compareParts(a, b) || (a < b ? -1 : 1)
}

function specialRank(name: string): number {
  if (name === '') return 0
  if (name === '.') return 1
  if (name === '..') return 2
  return name.startsWith('.') ? 3 : 4
}

/** Length of what looks like the file's suffixes: `.tar.gz`. */
function suffixLength(name: string): number {
  let start = name.length
  for (;;) {
    let at = start
    while (at > 0 && isSuffixChar(name.charCodeAt(at - 1))) at -= 1
    // A suffix starts with a letter or ~, after a dot.
    if (at === start || isDigit(name.charCodeAt(at)) || at < 2 || name[at - 1] !== '.') return name.length - start
    start = at - 1
  }
}

function isSuffixChar(code: number): boolean {
  return isDigit(code) || isLetter(code) || code === 126
}

function compareParts(a: string, b: string): number {
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    while ((i < a.length && !isDigit(a.charCodeAt(i))) || (j < b.length && !isDigit(b.charCodeAt(j)))) {
      const difference = rank(a, i) - rank(b, j)
      if (difference !== 0) return difference
      i += 1
      j += 1
    }
    while (a[i] === '0') i += 1
    while (b[j] === '0') j += 1
    let first = 0
    while (isDigit(a.charCodeAt(i)) && isDigit(b.charCodeAt(j))) {
      first ||= a.charCodeAt(i) - b.charCodeAt(j)
      i += 1
      j += 1
    }
    if (isDigit(a.charCodeAt(i))) return 1
    if (isDigit(b.charCodeAt(j))) return -1
    if (first !== 0) return first
  }
  return 0
}

function rank(text: string, at: number): number {
  if (at >= text.length) return -1
  const code = text.charCodeAt(at)
  if (isDigit(code)) return 0
  if (isLetter(code)) return code
  return code === 126 ? -2 : code + 65_536
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}
