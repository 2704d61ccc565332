import { concat, decode, encode } from '../bytes.ts'
import type { CommandContext } from './command.ts'

/** Asks on standard error and reads a line of standard input: true for one that starts with `y`. */
export async function confirm(context: CommandContext, question: string): Promise<boolean> {
  await context.stderr.write(encode(`${context.name}: ${question}`))
  const line = await readLine(context)
  return /^[yY]/.test(line)
}

/** The rest of the input stays for whoever reads next. */
async function readLine({ stdin }: CommandContext): Promise<string> {
  const chunks: Uint8Array[] = []
  for (;;) {
    const chunk = await stdin.read()
    if (chunk === null) break
    const end = chunk.indexOf(10)
    if (end < 0) {
      chunks.push(chunk)
      continue
    }
    chunks.push(chunk.subarray(0, end))
    if (end + 1 < chunk.length) stdin.unread(chunk.subarray(end + 1))
    break
  }
  return decode(concat(chunks))
}
