import type { SedCommand, SedPattern } from './script.ts'
import { substituteInLines } from './substitute.ts'

/** Commands at the start of a script that change each line by itself, and so many at once. */
export interface Opening {
  readonly count: number
  readonly changes: readonly ((text: string) => string)[]
  /** The pattern used last in it. */
  readonly last: SedPattern
}

/** Nothing at all. */
export const NO_OPENING: Opening = { count: 0, changes: [], last: null }

/** The opening of a script. It ends where what follows could tell that a whole block was changed at once. */
export function openingOf(commands: readonly SedCommand[]): Opening {
  const changes: ((text: string) => string)[] = []
  let last: SedPattern = null
  for (const { from, negated, action } of commands) {
    if (from !== null || negated) break
    if (action.type === 'y' && action.map.keepsLines) {
      changes.push((text) => action.map.apply(text))
      continue
    }
    if (action.type !== 's') break
    const { substitution } = action
    const { pattern, replacement, number, print, file } = substitution
    const regex = pattern === null || number !== 1 || print || file !== null ? null : pattern.inLines()
    if (pattern === null || regex === null) break
    // What follows would see two lines in what is one pattern space.
    const splits = replacement.pieces.some(({ text }) => text.includes('\n'))
    if (splits && changes.length < commands.length - 1) break
    changes.push((text) => substituteInLines(text, regex, pattern, substitution))
    last = pattern
  }
  const count = changes.length
  return count > 0 && commands.slice(count).every((command) => leavesOpening(command, count)) ? { count, changes, last } : NO_OPENING
}

/** False for commands that read lines, ask what was substituted, or go back to the start. */
function leavesOpening({ action }: SedCommand, count: number): boolean {
  return !['n', 'N', 'D', 't', 'T'].includes(action.type) && !('target' in action && action.target < count)
}

/** The commands outside blocks from the first on, where all of them have addresses that tell which lines they apply to; else null. */
export function watchedCommands(commands: readonly SedCommand[], first: number): readonly number[] | null {
  const watched: number[] = []
  for (let at = first; at < commands.length; ) {
    const { from, negated, action } = commands[at] as SedCommand
    const isBlock = action.type === '{'
    if (negated !== isBlock || from === null || from.type === 'step') return null
    if (from.type === 'pattern' && from.pattern === null) return null
    watched.push(at)
    at = isBlock ? action.target : at + 1
  }
  return watched
}

/** True where the number of the line matters. */
export function countsLines({ from, to, action }: SedCommand): boolean {
  return action.type === '=' || [from, to].some((address) => address !== null && address.type !== 'pattern' && address.type !== 'last')
}
