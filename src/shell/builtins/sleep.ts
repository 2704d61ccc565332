import type { MaybePromise } from '../../host.ts'
import type { BuiltinState, Process } from '../machine/process.ts'
import type { Program } from '../machine/program.ts'
import { fixedProgram } from '../machine/program.ts'
import { PENDING, print } from './builtin.ts'

interface SleepState extends BuiltinState {
  readonly builtin: 'sleep'
  readonly until: number
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
])

/** `sleep` */
export function sleep(process: Process, args: readonly string[]): MaybePromise<number> {
  const words = args.slice(1)
  if (words[0] === '--help')
    return print(
      process,
      'Usage: sleep NUMBER[SUFFIX]...\nWaits for NUMBER seconds; SUFFIX may be s, m, h or d, and several numbers are added up.\n',
    )
  if (words[0] === '--') words.shift()
  if (words.length === 0) {
    process.complain("sleep: missing operand\nTry 'sleep --help' for more information.\n")
    return 1
  }
  let seconds = 0
  let wrong = false
  for (const word of words) {
    const match = /^(\+?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|infinity|inf)([smhd]?)$/i.exec(word)
    if (match === null) {
      process.complain(`sleep: invalid time interval '${word}'\n`)
      wrong = true
      continue
    }
    const number = /^inf/i.test(match[1] as string) ? Number.POSITIVE_INFINITY : Number(match[1])
    seconds += number * (UNITS.get(match[2] as string) ?? 1)
  }
  if (wrong) {
    process.complain("Try 'sleep --help' for more information.\n")
    return 1
  }
  if (seconds === 0) return 0
  const until = Math.min(process.machine.host.now() + seconds * 1000, Number.MAX_SAFE_INTEGER)
  process.enter('builtin', SLEEP_PROGRAM, { state: { builtin: 'sleep', until } as SleepState })
  return PENDING
}

function sleepStep(process: Process): void {
  const { until } = process.frame.state as SleepState
  process.frame.counter = 0
  if (process.machine.host.now() < until) {
    process.machine.waitUntil(process, until)
    return
  }
  process.leave()
  process.status = 0
}

/** The code of a `sleep` under way. */
const SLEEP_PROGRAM: Program = fixedProgram('sleep', [sleepStep])
