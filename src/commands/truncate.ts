import { errorText, hasCode } from '../errors.ts'
import type { Command, CommandContext } from './command.ts'
import { operandPath } from './operand-path.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { quotedFile } from './quoted-file.ts'
import { quoted } from './quoting.ts'
import { parseSize } from './size.ts'
import { CommandFailure, complain, complainOf, isExpected, utility } from './utility.ts'

/** Sets the size of files. */
export const truncate: Command = utility({
  help: `Usage: truncate OPTION... FILE...
Makes each FILE as long as asked; what is added reads as zeros. A file that doesn't exist is made.

  -c, --no-create       make no files
  -o, --io-blocks       SIZE counts blocks of 4096 bytes
  -r, --reference=FILE  as long as FILE
  -s, --size=SIZE       this long; +N longer, -N shorter, <N at most, >N at least, /N down or %N up to a multiple
      --help            show this text
      --version         show the version
`,
  options: { 'c|no-create': 'none', 'o|io-blocks': 'none', 'r|reference': 'required', 's|size': 'required' },
  run: setSizes,
})

const IO_BLOCK = 4096

interface Size {
  readonly operator: '' | '+' | '-' | '<' | '>' | '/' | '%'
  readonly count: number
}

async function setSizes(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  const text = parsed.value('s')
  const size = text === null ? null : parseOperator(text, context)
  const reference = parsed.value('r')
  if (reference === null && size === null) throw new UsageError("you must specify either '--size' or '--reference'")
  if (reference !== null && size !== null && size.operator === '') {
    throw new UsageError("you must specify a relative '--size' with '--reference'")
  }
  if (parsed.has('o') && size === null) throw new UsageError("'--io-blocks' was specified but '--size' was not")
  if (parsed.operands.length === 0) throw new UsageError('missing file operand')
  let base: number | null = null
  if (reference !== null) {
    try {
      base = (await context.fs.stat(operandPath(context, reference))).size
    } catch (error) {
      if (!isExpected(error)) throw error
      throw new CommandFailure(`cannot stat ${quotedFile(reference)}: ${errorText(error)}`)
    }
  }
  let status = 0
  for (const name of parsed.operands) if (!(await setSize(name, size, base, parsed, context))) status = 1
  return status
}

function parseOperator(text: string, context: CommandContext): Size {
  const [, mark = '', rest = ''] = /^\s*([<>/%]?)\s*(.*)$/s.exec(text) ?? []
  const signed = /^([+-])(.*)$/s.exec(rest)
  if (mark !== '' && signed !== null) throw new UsageError('multiple relative modifiers specified')
  const digits = signed === null ? rest : (signed[2] as string)
  const count = parseSize(digits)
  if (Number.isNaN(count)) throw new CommandFailure(`Invalid number: ${quoted(context, rest)}`)
  if (count > Number.MAX_SAFE_INTEGER) {
    throw new CommandFailure(`Invalid number: ${quoted(context, rest)}: Value too large for defined data type`)
  }
  if ((mark === '/' || mark === '%') && count === 0) throw new CommandFailure('division by zero')
  return { operator: (mark || (signed?.[1] ?? '')) as Size['operator'], count }
}

async function setSize(
  name: string,
  size: Size | null,
  base: number | null,
  parsed: ParsedOptions,
  context: CommandContext,
): Promise<boolean> {
  const { fs, umask } = context
  const path = operandPath(context, name)
  let current = 0
  try {
    const stat = await fs.stat(path)
    if (stat.type === 'directory') {
      await complain(context, `cannot open ${quotedFile(name)} for writing: Is a directory`)
      return false
    }
    current = stat.size
  } catch (error) {
    if (hasCode(error, 'ENOENT') && parsed.has('c')) return true
    if (!hasCode(error, 'ENOENT')) {
      await complainOf(context, `cannot open ${quotedFile(name)} for writing`, error)
      return false
    }
    try {
      await fs.write(path, new Uint8Array(0), { mode: 0o666 & ~umask })
    } catch (problem) {
      await complainOf(context, `cannot open ${quotedFile(name)} for writing`, problem)
      return false
    }
  }
  const wanted = newSize(size === null ? null : { ...size, count: size.count * (parsed.has('o') ? IO_BLOCK : 1) }, base ?? current, base)
  try {
    await fs.truncate(path, Math.max(wanted, 0))
    return true
  } catch (error) {
    await complainOf(context, `failed to truncate ${quotedFile(name)} at ${wanted} bytes`, error)
    return false
  }
}

function newSize(size: Size | null, from: number, reference: number | null): number {
  if (size === null) return reference ?? from
  const { operator, count } = size
  switch (operator) {
    case '':
      return count
    case '+':
      return from + count
    case '-':
      return from - count
    case '<':
      return Math.min(from, count)
    case '>':
      return Math.max(from, count)
    case '/':
      return Math.floor(from / count) * count
    case '%':
      return Math.ceil(from / count) * count
    default:
      return operator satisfies never
  }
}
