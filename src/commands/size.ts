const POWERS = 'KMGTPEZY'
const LARGEST = 2 ** 64

/**
 * A count with a multiplier suffix (`10`, `2K`, `3MB`, `1GiB`, `b` for 512) as GNU tools read it. NaN where it is none, Infinity past 64 bits.
 * `suffixes` lists the letters known; B and iB may follow one of them.
 */
export function parseSize(text: string, suffixes = 'bkKmMGTPEZY'): number {
  const [, digits = '', letter = '', unit = ''] = /^[ \t\n\v\f\r]*\+?([0-9]*)([A-Za-z]?)(.*)$/s.exec(text) ?? []
  if (digits === '' && letter === '') return Number.NaN
  const count = digits === '' ? 1 : Number(digits)
  if (letter === '') return unit === '' ? limited(count) : Number.NaN
  if (!suffixes.includes(letter)) return Number.NaN
  if (letter === 'b') return unit === '' ? limited(count * 512) : Number.NaN
  const power = POWERS.indexOf(letter.toUpperCase()) + 1
  if (unit === '' || unit === 'iB') return limited(count * 1024 ** power)
  return unit === 'B' || unit === 'D' ? limited(count * 1000 ** power) : Number.NaN
}

function limited(count: number): number {
  return count >= LARGEST ? Number.POSITIVE_INFINITY : count
}
