const UNITS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 }

/** Seconds of an interval as `sleep` and `timeout` take it (`1.5`, `2m`, `1e-3`, `inf`); null where it is none. */
export function parseInterval(text: string): number | null {
  const match =
    /^\s*\+?(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|(inf(?:inity)?)|0[xX]([0-9a-fA-F]+)(?:[pP]([+-]?\d+))?)([smhd]?)$/i.exec(
      text,
    )
  if (match === null) return null
  const [, decimal, infinite, hex, power = '0', unit = ''] = match
  const factor = UNITS[unit]
  if (factor === undefined) return null
  if (infinite !== undefined) return Number.POSITIVE_INFINITY
  const value = decimal === undefined ? Number.parseInt(hex ?? '0', 16) * 2 ** Number(power) : Number(decimal)
  return value * factor
}
