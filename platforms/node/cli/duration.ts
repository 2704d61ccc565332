import { UsageError } from './usage-error.ts'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Milliseconds of `100ms`, `30s`, `1.5m` or `1h`. `where` is what holds it. */
export function duration(text: string, where: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? []
  if (digits === undefined || unit === undefined)
    throw new UsageError(`${where} holds '${text}'; it may hold a time such as 100ms, 30s, 2m or 1h`)
  return Number(digits) * (UNITS[unit] as number)
}
