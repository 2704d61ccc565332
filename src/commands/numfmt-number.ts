export type Scale = 'none' | 'si' | 'iec' | 'iec-i'
export type RoundMode = 'up' | 'down' | 'from-zero' | 'towards-zero' | 'nearest'

/** How a number is written. */
export interface NumberFormat {
  readonly scale: Scale
  readonly round: RoundMode
  readonly before: string
  readonly after: string
  /** Columns; negative: to the left. */
  readonly width: number
  /** Digits after the point; null for what is usual. */
  readonly digits: number | null
  readonly zeros: boolean
}

const LETTERS = 'KMGTPEZY'

/** Reads a number with its unit; a message where it is none. `digits` are those after its point. */
export function parseNumber(
  text: string,
  from: Scale | 'auto',
  quote: (text: string) => string,
): { value: number; digits: number } | string {
  const match = /^(-?\d+)(?:\.(\d*))?([\s\S]*)$/.exec(text)
  if (match === null) return `invalid number: ${quote(text)}`
  const [, whole = '', fraction, rest = ''] = match
  const value = Number(fraction === undefined ? whole : `${whole}.${fraction}`)
  const digits = fraction?.length ?? 0
  const trimmed = rest.replace(/^[ \t]+/, '')
  if (trimmed === '') return { value, digits }
  const power = LETTERS.indexOf(trimmed[0] as string) + 1
  if (power === 0) return `invalid suffix in input: ${quote(text)}`
  if (from === 'none') return `rejecting suffix in input: ${quote(text)} (consider using --from)`
  let left = trimmed.slice(1)
  let base = from === 'si' ? 1000 : 1024
  if (from === 'auto') base = left.startsWith('i') ? 1024 : 1000
  if (from === 'iec-i' || from === 'auto') {
    if (left.startsWith('i')) left = left.slice(1)
    else if (from === 'iec-i') return `missing 'i' suffix in input: ${quote(text)} (e.g Ki/Mi/Gi)`
  }
  if (left !== '') return `invalid suffix in input ${quote(text)}: ${quote(left)}`
  return { value: value * base ** power, digits: 0 }
}

/** Writes a number; `digits` are shown after the point where no unit is asked for. */
export function formatNumber(value: number, digits: number, format: NumberFormat): string {
  const { scale, round } = format
  if (scale === 'none') {
    const shown = format.digits ?? digits
    const factor = 10 ** shown
    return padZeros(fixed(rounded(value * factor, round) / factor, shown), format)
  }
  const base = scale === 'si' ? 1000 : 1024
  let power = 0
  let scaled = value
  while (Math.abs(scaled) >= base && power < LETTERS.length) {
    scaled /= base
    power += 1
  }
  const kept = format.digits !== null ? Math.min(power * 3, format.digits) : Math.abs(scaled) < 10 ? 1 : 0
  scaled = rounded(scaled * 10 ** kept, round) / 10 ** kept
  if (Math.abs(scaled) >= base) {
    scaled /= base
    power += 1
  }
  const shown = format.digits ?? (scaled !== 0 && Math.abs(scaled) < 10 && power > 0 ? 1 : 0)
  return padZeros(fixed(scaled, shown), format) + (power > 0 ? (LETTERS[power - 1] as string) + (scale === 'iec-i' ? 'i' : '') : '')
}

function padZeros(text: string, { zeros, width }: NumberFormat): string {
  if (!zeros || width <= 0) return text
  return text.startsWith('-') ? `-${text.slice(1).padStart(width - 1, '0')}` : text.padStart(width, '0')
}

function rounded(value: number, mode: RoundMode): number {
  switch (mode) {
    case 'up':
      return Math.ceil(value)
    case 'down':
      return Math.floor(value)
    case 'towards-zero':
      return Math.trunc(value)
    case 'from-zero':
      return value < 0 ? Math.floor(value) : Math.ceil(value)
    case 'nearest':
      return value < 0 ? -Math.round(-value) : Math.round(value)
    default:
      return mode satisfies never
  }
}

/** As printf's `%.Nf`: halves go to the even neighbour. */
function fixed(value: number, digits: number): string {
  if (digits > 0) return value.toFixed(Math.min(digits, 100))
  const floor = Math.floor(value)
  const whole = value - floor === 0.5 ? (floor % 2 === 0 ? floor : floor + 1) : Math.round(value)
  return Math.abs(whole) < 2 ** 53 ? String(whole) : BigInt(whole).toString()
}
