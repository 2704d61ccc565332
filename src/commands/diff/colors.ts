import type { CommandContext } from '../command.ts'
import type { ParsedOption } from '../options.ts'
import { UsageError } from '../options.ts'

/** Parts of the output that have a colour. */
export type Part = 'reset' | 'header' | 'added' | 'deleted' | 'line'

/** What starts each part, the number of an escape sequence. */
export type Colors = ReadonlyMap<Part, string>

/** The colours asked for; null for none. */
export function diffColors(options: readonly ParsedOption[], context: CommandContext): Colors | null {
  const color = options.findLast(({ name }) => name === 'color')
  const when = color === undefined ? 'never' : (color.value ?? 'auto')
  if (!['never', 'always', 'auto'].includes(when)) throw new UsageError(`invalid color '${when}'`)
  if (when === 'never' || (when === 'auto' && !(context.isTerminal(1) && context.env.get('TERM') !== 'dumb'))) return null
  const colors = new Map<Part, string>([
    ['reset', '0'],
    ['header', '1'],
    ['added', '32'],
    ['deleted', '31'],
    ['line', '36'],
  ])
  for (const { name, value } of options) if (name === 'palette') apply(value ?? '', colors)
  return colors
}

const CAPABILITIES: ReadonlyMap<string, Part> = new Map([
  ['rs', 'reset'],
  ['hd', 'header'],
  ['ad', 'added'],
  ['de', 'deleted'],
  ['ln', 'line'],
])

function apply(palette: string, colors: Map<Part, string>): void {
  for (const entry of palette.split(':')) {
    const part = CAPABILITIES.get(entry.slice(0, 2))
    if (part !== undefined && entry[2] === '=') colors.set(part, entry.slice(3))
  }
}
