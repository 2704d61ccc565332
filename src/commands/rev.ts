import { decode, encode } from '../bytes.ts'
import { errorText } from '../errors.ts'
import type { Command, CommandContext } from './command.ts'
import { nextChunk, openEach, Records } from './input.ts'
import type { ParsedOptions } from './options.ts'
import { Output } from './output.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { complain, isExpected, utility } from './utility.ts'

const HELP = `Usage: rev [OPTION]... [FILE]...
Write each line of each FILE with its characters in reverse order.

  -0, --zero      lines end in NUL, not in newline
  -h, --help      show this help
  -V, --version   show the version
`

/** `rev`: lines back to front. */
export const rev: Command = utility({
  help: HELP,
  options: { '0|zero': 'none', 'help|h': 'none', 'version|V': 'none' },
  run: (parsed, context) => proceed(run(parsed, context)),
})

function* run({ operands, has }: ParsedOptions, context: CommandContext): Steps<number> {
  const terminator = has('0') ? 0 : 10
  const output = new Output(context.stdout)
  return yield* openEach(
    context,
    operands,
    function* (input) {
      const records = new Records(input, terminator)
      for (;;) {
        const piece = yield* nextChunk(records, output)
        if (piece === null) break
        output.bytes(reversed(piece, terminator))
        yield* wait(output.settle())
        yield* wait(context.pause())
      }
      yield* wait(output.flush())
    },
    function* (name, error) {
      if (!isExpected(error)) throw error
      yield* wait(complain(context, `cannot open ${name}: ${errorText(error)}`))
    },
  )
}

function reversed(piece: Uint8Array, terminator: number): Uint8Array {
  const result = new Uint8Array(piece.length)
  let start = 0
  for (let at = 0; at <= piece.length; at++) {
    if (at < piece.length) {
      const byte = piece[at] as number
      if (byte >= 128) return encode(reversedText(decode(piece), terminator))
      if (byte !== terminator) continue
      result[at] = terminator
    }
    for (let from = at - 1, to = start; from >= start; ) result[to++] = piece[from--] as number
    start = at + 1
  }
  return result
}

function reversedText(text: string, terminator: number): string {
  const end = String.fromCharCode(terminator)
  return text
    .split(end)
    .map((line) => Array.from(line).reverse().join(''))
    .join(end)
}
