/** Orders `a[aFrom, aTo)` and `b[bFrom, bTo)` as `sort -V` does: digits in them by value, suffixes like `.tar.gz` last. */
export function compareVersionBytes(a: Uint8Array, aFrom: number, aTo: number, b: Uint8Array, bFrom: number, bTo: number): number {
  const aEmpty = aFrom === aTo
  const bEmpty = bFrom === bTo
  if (aEmpty || bEmpty) return Number(bEmpty) - Number(aEmpty)
  const aRank = dotRank(a, aFrom, aTo)
  const bRank = dotRank(b, bFrom, bTo)
  if (aRank !== bRank) return aRank - bRank
  if (aRank < 2) return 0
  const aStem = stemEnd(a, aFrom, aTo)
  const bStem = stemEnd(b, bFrom, bTo)
  const result = compareParts(a, aFrom, aStem, b, bFrom, bStem)
  return result !== 0 || (aStem === aTo && bStem === bTo) ? result : compareParts(a, aFrom, aTo, b, bFrom, bTo)
}

/** `.` and `..` before what starts with a dot, that before the rest. */
function dotRank(bytes: Uint8Array, from: number, to: number): number {
  if (bytes[from] !== 46) return 3
  if (to - from === 1) return 0
  return to - from === 2 && bytes[from + 1] === 46 ? 1 : 2
}

/** Where the suffixes start: dots each with a letter or ~ behind them and letters, digits and ~ after that, to the end. */
function stemEnd(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; ; at++) {
    const stem = at
    while (at + 1 < to && bytes[at] === 46 && (isLetter(bytes[at + 1]) || bytes[at + 1] === 126)) {
      at += 2
      while (at < to && (isLetter(bytes[at]) || isDigit(bytes[at]) || bytes[at] === 126)) at += 1
    }
    if (at >= to) return stem
  }
}

function compareParts(a: Uint8Array, aFrom: number, aTo: number, b: Uint8Array, bFrom: number, bTo: number): number {
  let i = aFrom
  let j = bFrom
  while (i < aTo || j < bTo) {
    while ((i < aTo && !isDigit(a[i])) || (j < bTo && !isDigit(b[j]))) {
      const difference = rank(i < aTo ? a[i] : undefined) - rank(j < bTo ? b[j] : undefined)
      if (difference !== 0) return difference
      i += 1
      j += 1
    }
    while (i < aTo && a[i] === 48) i += 1
    while (j < bTo && b[j] === 48) j += 1
    let first = 0
    while (i < aTo && j < bTo && isDigit(a[i]) && isDigit(b[j])) {
      if (first === 0) first = (a[i] as number) - (b[j] as number)
      i += 1
      j += 1
    }
    if (i < aTo && isDigit(a[i])) return 1
    if (j < bTo && isDigit(b[j])) return -1
    if (first !== 0) return first
  }
  return 0
}

function rank(byte: number | undefined): number {
  if (byte === undefined) return -1
  if (isDigit(byte)) return 0
  if (isLetter(byte)) return byte
  return byte === 126 ? -2 : byte + 256
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57
}

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && ((byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122))
}
