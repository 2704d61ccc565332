import { errorText } from '../errors.ts'
import { Base32, Base64, type BaseCode } from './base-code.ts'
import type { ByteReader, Command, CommandContext } from './command.ts'
import { nextChunk } from './input.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { Output } from './output.ts'
import { quoted, quotedName } from './quoting.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { CommandFailure, isExpected, utility } from './utility.ts'

/** `base64`: bytes as text of 64 characters, and back. */
export const base64: Command = baseEncoding('base64', Base64)

/** `base32`: bytes as text of 32 characters, and back. */
export const base32: Command = baseEncoding('base32', Base32)

function baseEncoding(name: string, code: BaseCode): Command {
  return utility({
    help: `Usage: ${name} [OPTION]... [FILE]
Write FILE, or standard input, encoded as ${name}, or decoded.

  -d, --decode           decode
  -i, --ignore-garbage   with -d, pass over characters that don't belong there
  -w, --wrap=COLS        break lines after COLS characters instead of 76, not at all for 0
      --help             show this help
      --version          show the version
`,
    options: { 'd|decode': 'none', 'i|ignore-garbage': 'none', 'w|wrap': 'required' },
    run: (parsed, context) => proceed(run(parsed, code, context)),
  })
}

function* run({ options, operands, has }: ParsedOptions, code: BaseCode, context: CommandContext): Steps<number> {
  let wrap = 76
  for (const { name, value } of options) {
    if (name !== 'w') continue
    if (!/^\s*\+?[0-9]+$/.test(value ?? '')) throw new CommandFailure(`invalid wrap size: ${quoted(context, value ?? '')}`)
    wrap = Number(value)
  }
  const [name = '-', extra] = operands
  if (extra !== undefined) throw new UsageError(`extra operand ${quoted(context, extra)}`)
  let input: ByteReader
  try {
    input = name === '-' ? context.stdin : yield* wait(context.open(context.resolve(name)))
  } catch (error) {
    if (!isExpected(error)) throw error
    const reason = errorText(error)
    throw new CommandFailure(reason === 'Is a directory' ? `read error: ${reason}` : `${quotedName(name)}: ${reason}`)
  }
  const conversion = has('d') ? code.decoder(has('i')) : code.encoder(wrap)
  const output = new Output(context.stdout)
  let valid = true
  while (valid) {
    const chunk = yield* nextChunk(input, output)
    const converted = chunk === null ? conversion.finish() : conversion.add(chunk)
    output.bytes(converted.bytes)
    valid = converted.valid
    if (chunk === null) break
    yield* wait(output.settle())
    yield* wait(context.pause())
  }
  yield* wait(output.flush())
  if (name !== '-') yield* wait(input.close())
  if (!valid) throw new CommandFailure('invalid input')
  return 0
}
