import { decode } from '../bytes.ts'
import type { Command, CommandContext } from './command.ts'
import { LineReader } from './line-reader.ts'
import type { ParsedOptions } from './options.ts'
import { Output } from './output.ts'
import { primeFactors } from './prime-factors.ts'
import { quoted } from './quoting.ts'
import { complain, utility } from './utility.ts'

/** Prints prime factors. */
export const factor: Command = utility({
  help: `Usage: factor [OPTION] [NUMBER]...
Prints the prime factors of each NUMBER, or of those on standard input.

  -h, --exponents  repeated factors as p^e
      --help       show this text
      --version    show the version
`,
  options: { 'h|exponents': 'none' },
  run: printFactors,
})

async function printFactors(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  const output = new Output(context.stdout)
  let status = 0
  const print = async (text: string): Promise<void> => {
    if (!/^\+?\d+$/.test(text.trim())) {
      await output.flush()
      await complain(context, `${quoted(context, text)} is not a valid positive integer`)
      status = 1
      return
    }
    const number = BigInt(text.trim().replace('+', ''))
    const factors = await primeFactors(number, () => context.pause())
    output.text(`${number}:${(parsed.has('h') ? withExponents(factors) : factors.map(String)).map((each) => ` ${each}`).join('')}\n`)
    await output.settle()
  }
  for (const operand of parsed.operands) await print(operand)
  if (parsed.operands.length === 0) {
    const lines = new LineReader(context.stdin)
    while (await lines.advance()) {
      const line = decode(lines.bytes.subarray(lines.start, lines.end))
      for (const word of line.split(/[ \t]+/)) if (word !== '') await print(word)
    }
  }
  await output.flush()
  return status
}

function withExponents(factors: readonly bigint[]): string[] {
  const counts = new Map<bigint, number>()
  for (const prime of factors) counts.set(prime, (counts.get(prime) ?? 0) + 1)
  return Array.from(counts, ([prime, count]) => (count === 1 ? `${prime}` : `${prime}^${count}`))
}
