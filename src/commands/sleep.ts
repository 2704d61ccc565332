import type { Host } from '../host.ts'
import type { Command } from './command.ts'
import { parseInterval } from './interval.ts'
import { UsageError } from './options.ts'
import { quoted } from './quoting.ts'
import { complain, utility } from './utility.ts'

/** Waits. */
export const sleep: Command = utility({
  help: `Usage: sleep NUMBER[SUFFIX]...
Waits for NUMBER seconds, or minutes (m), hours (h), days (d); several are added up. NUMBER may have a fraction.

      --help     show this text
      --version  show the version
`,
  options: {},
  async run({ operands }, context) {
    if (operands.length === 0) throw new UsageError('missing operand')
    let seconds = 0
    const wrong: string[] = []
    for (const operand of operands) {
      const interval = parseInterval(operand)
      if (interval === null) wrong.push(operand)
      else seconds += interval
    }
    const last = wrong.pop()
    for (const operand of wrong) await complain(context, `invalid time interval ${quoted(context, operand)}`)
    if (last !== undefined) throw new UsageError(`invalid time interval ${quoted(context, last)}`)
    await wait(seconds * 1000, context.host, context.signal)
    return 0
  },
})

/** Timers can't be longer than this. */
const LONGEST_MS = 0x7fff_ffff

/** Resolves after `ms` milliseconds, however many; rejects when the signal fires. */
export function wait(ms: number, host: Host, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = ms
    let cancel = (): void => undefined
    const stop = (): void => {
      cancel()
      reject(signal.reason)
    }
    const next = (): void => {
      if (left <= 0) {
        signal.removeEventListener('abort', stop)
        resolve()
        return
      }
      const part = Math.min(left, LONGEST_MS)
      left -= part
      cancel = host.timer(part, next)
    }
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    next()
  })
}
