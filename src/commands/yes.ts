import { encode } from '../bytes.ts'
import type { Command } from './command.ts'
import { writeTo } from './output.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { utility } from './utility.ts'

const HELP = `Usage: yes [STRING]...
Write a line of all STRINGs, y when none is given, again and again until ended.

      --help      show this help
      --version   show the version
`

const CHUNK = 65_536

/** `yes`: one line for ever. */
export const yes: Command = utility({
  help: HELP,
  options: {},
  run: ({ operands }, context) =>
    proceed(
      (function* (): Steps<number> {
        const chunk = repeated(encode(`${operands.length === 0 ? 'y' : operands.join(' ')}\n`))
        for (;;) {
          yield* wait(writeTo(context.stdout, chunk))
          yield* wait(context.pause())
        }
      })(),
    ),
})

function repeated(line: Uint8Array): Uint8Array {
  const times = Math.max(1, Math.floor(CHUNK / line.length))
  const chunk = new Uint8Array(times * line.length)
  chunk.set(line)
  for (let filled = line.length; filled < chunk.length; filled *= 2) chunk.copyWithin(filled, 0, Math.min(filled, chunk.length - filled))
  return chunk
}
