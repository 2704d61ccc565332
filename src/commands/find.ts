import { decode } from '../bytes.ts'
import { errorText } from '../errors.ts'
import type { Command, CommandContext } from './command.ts'
import type { Operator, Primary, Word } from './find/expression.ts'
import { compileExpression } from './find/expression.ts'
import type { Test } from './find/found-file.ts'
import { FIND_HELP } from './find/help.ts'
import type { PrimaryKind } from './find/primaries.ts'
import { PrimaryReader, primaryKind } from './find/primaries.ts'
import { FindRun } from './find/run.ts'
import { walk } from './find/walk.ts'
import { wholeFile, wholeInput } from './input.ts'
import { say } from './output.ts'
import { quoted } from './quoting.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { CommandFailure, isExpected } from './utility.ts'

/** `find`: walks directories and does what an expression says with each file. */
export const find: Command = { run: (args, context) => proceed(start(args, context)) }

function* start(args: readonly string[], context: CommandContext): Steps<number> {
  const run = new FindRun(context)
  try {
    return yield* search(args, run)
  } catch (error) {
    if (error instanceof Answer) return yield* wait(say(context.stdout, error.text))
    if (!(error instanceof CommandFailure)) throw error
    yield* wait(run.complain(error.message))
    return error.status
  } finally {
    yield* run.close()
  }
}

/** `--help` or `--version` was asked for. */
class Answer extends Error {
  override readonly name: string = 'Answer'
  readonly text: string

  constructor(text: string) {
    super('')
    this.text = text
  }
}

function* search(args: readonly string[], run: FindRun): Steps<number> {
  const { context } = run
  let at = yield* leadingOptions(args, run)
  const operands: string[] = []
  for (; at < args.length && !startsExpression(args[at] as string, true); at++) operands.push(args[at] as string)

  const expression = yield* readExpression(args, at, run)
  if (run.operandsFrom !== null && operands.length > 0) {
    throw new CommandFailure(
      `extra operand ${quoted(context, operands[0] as string)}\nfind: file operands cannot be combined with -files0-from`,
    )
  }
  if (run.operandsFrom !== null) yield* walkListed(run, run.operandsFrom, expression)
  else {
    for (const operand of operands.length === 0 ? ['.'] : operands) {
      yield* walk(run, operand, expression)
      if (run.isOver) break
    }
  }
  for (const finish of run.batches) yield* wait(finish())
  return run.status
}

/** `-H`, `-L`, `-P`, `-D` and `-O` stand before everything; gives where they end. */
function* leadingOptions(args: readonly string[], run: FindRun): Steps<number> {
  const { context } = run
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string
    if (arg === '--') return at + 1
    if (arg === '-H') run.following = 'operands'
    else if (arg === '-L') run.following = 'always'
    else if (arg === '-P') run.following = 'never'
    else if (arg === '-D') {
      at += 1
      const flags = args[at]
      if (flags === undefined) {
        throw new CommandFailure("Missing argument after the -D option.\nTry 'find --help' for more information.")
      }
      for (const flag of flags.split(',')) {
        if (flag === 'help')
          throw new Answer('Options of -D, all of them without effect: all, exec, opt, rates, search, stat, time, tree.\n')
        if (!DEBUG_FLAGS.has(flag)) yield* wait(run.complain(`Ignoring unrecognised debug flag ${quoted(context, flag)}`))
      }
    } else if (arg.startsWith('-O')) {
      if (arg === '-O') throw new CommandFailure('The -O option must be immediately followed by a decimal integer')
      if (!/^-O\d+$/.test(arg)) throw new CommandFailure('Please specify a decimal number immediately after -O')
    } else return at
  }
  return args.length
}

const DEBUG_FLAGS: ReadonlySet<string> = new Set(['all', 'exec', 'opt', 'rates', 'search', 'stat', 'time', 'tree'])

/** True for a word of the expression; before it (`leading`) `)` and `,` name files. */
function startsExpression(arg: string, leading: boolean): boolean {
  if (arg.startsWith('-')) return arg.length > 1
  if (arg === ')' || arg === ',') return !leading
  return arg === '(' || arg === '!'
}

const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['(', '('],
  [')', ')'],
  ['!', '!'],
  [',', ','],
  ['not', '!'],
  ['a', 'and'],
  ['and', 'and'],
  ['o', 'or'],
  ['or', 'or'],
])

function* readExpression(args: readonly string[], from: number, run: FindRun): Steps<Test> {
  const reader = new PrimaryReader(run, args, from)
  const words: Word[] = []
  let acts = false
  let firstTest: string | null = null
  let last = ''
  while (reader.at < args.length) {
    const text = args[reader.at] as string
    if (!startsExpression(text, false)) yield* refuseOperand(text, last, run)
    const name = text.replace(/^--?/, '')
    const operator = OPERATORS.get(name)
    reader.at += 1
    if (operator !== undefined) {
      words.push({ type: 'operator', text, operator })
      firstTest ??= text
      last = text
      continue
    }
    if (name === 'help') throw new Answer(FIND_HELP)
    if (name === 'version') throw new Answer('find (mirage-runtime) 0.1.0\n')
    const kind = primaryKind(name)
    if (kind === undefined) throw unknown(text, name)
    reader.name = text
    reader.met.add(name)
    if (kind.kind === 'global' && firstTest !== null) reader.doubt(lateOption(text, firstTest))
    if (kind.kind === 'test' || kind.kind === 'action') firstTest ??= text
    if (kind.kind === 'action') acts = true
    words.push({ type: 'primary', text, primary: yield* made(kind, reader) })
    last = text
    for (const warning of reader.warnings.splice(0)) yield* wait(run.complain(warning))
  }
  run.stdinTaken = run.operandsFrom === '-'
  const { met } = reader
  if (run.stdinTaken && (met.has('ok') || met.has('okdir'))) {
    throw new CommandFailure('option -files0-from reading from standard input cannot be combined with -ok, -okdir\n')
  }
  if (met.has('delete') && met.has('prune') && !met.has('depth') && !met.has('d')) {
    throw new CommandFailure(
      'The -delete action automatically turns on -depth, but -prune does nothing when -depth is in effect.  If you want to carry on anyway, just explicitly use the -depth option.',
    )
  }
  const print = yield* made(primaryKind('print') as PrimaryKind, reader)
  if (words.length === 0) return print.test
  if (acts) return compileExpression(words, false)
  // Checked by itself first, for messages.
  compileExpression(words, true)
  const open: Word = { type: 'operator', text: '(', operator: '(' }
  const close: Word = { type: 'operator', text: ')', operator: ')' }
  return compileExpression([open, ...words, close, { type: 'primary', text: '-print', primary: print }], false)
}

function* made(kind: PrimaryKind, reader: PrimaryReader): Steps<Primary> {
  const primary = kind.read(reader)
  return Symbol.iterator in primary ? yield* primary : primary
}

function* refuseOperand(text: string, last: string, run: FindRun): Steps<never> {
  let hint = ''
  try {
    yield* wait(run.context.fs.stat(run.context.resolve(text)))
    if (last !== '') hint = `\nfind: possible unquoted pattern after predicate \`${last}'?`
  } catch (error) {
    if (!isExpected(error)) throw error
  }
  throw new CommandFailure(`paths must precede expression: \`${text}'${hint}`)
}

function unknown(text: string, name: string): CommandFailure {
  return new CommandFailure(/^newer..$/.test(name) ? `invalid predicate \`${text}'` : `unknown predicate \`${text}'`)
}

function lateOption(option: string, test: string): string {
  return `you have specified the global option ${option} after the argument ${test}, but global options are not positional, i.e., ${option} affects tests specified before it as well as those specified after it.  Please specify global options before other arguments.`
}

/** Operands out of a file, each ended by a zero byte. */
function* walkListed(run: FindRun, name: string, expression: Test): Steps<void> {
  const { context } = run
  let text: string
  try {
    text = decode(name === '-' ? yield* wholeInput(context.stdin) : yield* wholeFile(name, context))
  } catch (error) {
    if (!isExpected(error)) throw error
    const reason = errorText(error)
    const shown = quoted(context, name)
    throw new CommandFailure(
      reason === 'Is a directory' ? `${shown}: read error: ${reason}` : `cannot open ${shown} for reading: ${reason}`,
    )
  }
  const operands = text.split('\0')
  if (operands.at(-1) === '') operands.pop()
  for (const [index, operand] of operands.entries()) {
    if (operand === '') {
      run.status = 1
      const from = quoted(context, name === '-' ? '(standard input)' : name)
      yield* wait(run.complain(`${from}:${index + 1}: invalid zero-length file name`))
      continue
    }
    yield* walk(run, operand, expression)
    if (run.isOver) break
  }
}
