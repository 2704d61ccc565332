import type { CommandContext } from './command.ts'
import { quoted } from './quoting.ts'
import { CommandFailure } from './utility.ts'

/** Where tabs lead to. */
export interface TabStops {
  /** The first stop behind a column; -1 where there is none any more. */
  after(column: number): number
}

/** Reads lists such as `4`, `3,7,/8`, `2,+4`, several of them one after another. A list that is none ends the command. */
export function parseTabStops(lists: readonly string[], context: CommandContext): TabStops {
  const stops: number[] = []
  /** Further stops: at multiples of one, at multiples behind the last stop of the other. */
  const further = { '/': 0, '+': 0 }
  const fail = (message: string): never => {
    throw new CommandFailure(message)
  }
  for (const list of lists) {
    // A prefix stays for what follows it in the list, where it is then one too many.
    let prefix: '' | '/' | '+' = ''
    let digits = ''
    const finish = () => {
      if (digits === '') return
      const size = Number(digits)
      if (size >= 2 ** 64) fail(`tab stop is too large ${quoted(context, digits)}`)
      if (prefix === '') stops.push(size)
      else {
        if (further[prefix] > 0) fail(`'${prefix}' specifier only allowed with the last value`)
        further[prefix] = size
      }
      digits = ''
    }
    for (let at = 0; at < list.length; at++) {
      const char = list[at] as string
      if (char === ',' || char === ' ' || char === '\t') finish()
      else if (char === '/' || char === '+') {
        if (digits !== '') fail(`'${char}' specifier not at start of number: ${quoted(context, list.slice(at))}`)
        prefix = char
      } else if (char >= '0' && char <= '9') digits += char
      else fail(`tab size contains invalid character(s): ${quoted(context, list.slice(at))}`)
    }
    finish()
  }
  let before = 0
  for (const stop of stops) {
    if (stop === 0) fail('tab size cannot be 0')
    if (stop <= before) fail('tab sizes must be ascending')
    before = stop
  }
  if (further['/'] > 0 && further['+'] > 0) fail("'/' specifier is mutually exclusive with '+'")
  const every = further['/'] || further['+']
  if (stops.length === 0) return everyStop(every || 8, 0)
  if (stops.length === 1 && every === 0) return everyStop(stops[0] as number, 0)
  const last = stops.at(-1) as number
  const beyond = every === 0 ? null : everyStop(every, further['/'] > 0 ? 0 : last)
  return {
    after(column) {
      if (column < last) return stops.find((stop) => stop > column) as number
      return beyond === null ? -1 : beyond.after(column)
    },
  }
}

function everyStop(size: number, start: number): TabStops {
  return { after: (column) => column + size - ((column - start) % size) }
}

/** The option that tab lists written the old way, `-4,8`, become: no one can write it. */
export const OLD_TABS = '\u0001'

/** Tab lists written the old way as an {@link OLD_TABS} option. */
export function withoutOldTabs(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--')
  return args.map((arg, index) => (/^-[0-9]/.test(arg) && (end < 0 || index < end) ? `-${OLD_TABS}${arg.slice(1)}` : arg))
}
