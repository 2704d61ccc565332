import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import type { RegexMatch } from '../../regex/regex.ts'
import { binaryTest, unaryTest } from '../expand/conditional.ts'
import { quoteTraced } from '../expand/quote.ts'
import type { TestExpression, Word } from '../syntax/ast.ts'
import type { TextMode, TextOf, WordCompiler } from './compile-word.ts'
import { ShellFault } from './fault.ts'
import { matchesPattern } from './fields.ts'
import { lazy } from './lazy.ts'
import { evaluate } from './parameters.ts'
import type { Process } from './process.ts'
import type { Assembler } from './program.ts'
import { arithmeticFailed, trace as writeTrace } from './report.ts'
import { testContext } from './test-context.ts'
import { Attribute, IndexedArray } from './variables.ts'

/** Code for `[[ … ]]`: leaves 0, 1 or 2 in the status. */
export function emitTest(assembler: Assembler, expression: TestExpression, words: WordCompiler, negation = ''): void {
  switch (expression.type) {
    case 'parens':
      emitTest(assembler, expression.operand, words)
      return
    case 'not':
      emitTest(assembler, expression.operand, words, `${negation}! `)
      assembler.emit((process) => {
        if (process.status < 2) process.status = process.status === 0 ? 1 : 0
      })
      return
    case 'and':
    case 'or': {
      const end = assembler.label()
      // Every operand sees `$?` as it was before the command.
      const kept = expression.operands.some(readsStatus)
      if (kept) assembler.emit((process) => process.push(process.status))
      for (const [i, operand] of expression.operands.entries()) {
        if (i > 0) {
          assembler.emit((process) => {
            const goOn = expression.type === 'and' ? process.status === 0 : process.status === 1
            if (!goOn) process.frame.counter = end.at
            else if (kept) process.status = process.stack.at(-1) as number
          })
        }
        emitTest(assembler, operand, words)
      }
      assembler.place(end)
      if (kept) assembler.emit((process) => void process.stack.pop())
      return
    }
    case 'word':
      emitLeaf(assembler, [{ word: expression.word, mode: 'plain' }], words, (process, [text]) => {
        trace(process, `${negation}-n ${quoteTraced(text as string)}`)
        return text === '' ? 1 : 0
      })
      return
    case 'unary': {
      const { operator } = expression
      emitLeaf(assembler, [{ word: expression.word, mode: 'plain' }], words, (process, [text]) => {
        trace(process, `${negation}${operator} ${quoteTraced(text as string)}`)
        return asStatus(unaryTest(operator, text as string, testContext(process, '[[')))
      })
      return
    }
    case 'binary': {
      const { operator } = expression
      emitLeaf(
        assembler,
        [
          { word: expression.left, mode: 'plain' },
          { word: expression.right, mode: rightMode(operator) },
        ],
        words,
        (process, [left, right]) => {
          trace(
            process,
            `${negation}${quoteTraced(left as string)} ${operator} ${expression.right.raw.startsWith('"') ? quoteTraced(right as string) : (right as string)}`,
          )
          return compare(process, operator, left as string, right as string)
        },
      )
      return
    }
    default:
      expression satisfies never
  }
}

function readsStatus(expression: TestExpression): boolean {
  switch (expression.type) {
    case 'parens':
    case 'not':
      return readsStatus(expression.operand)
    case 'and':
    case 'or':
      return expression.operands.some(readsStatus)
    case 'word':
    case 'unary':
      return /\$\{?\?/.test(expression.word.raw)
    case 'binary':
      return /\$\{?\?/.test(expression.left.raw + expression.right.raw)
    default:
      return expression satisfies never
  }
}

function rightMode(operator: string): TextMode {
  if (operator === '=~') return 'regex'
  return operator === '==' || operator === '=' || operator === '!=' ? 'pattern' : 'plain'
}

function trace(process: Process, text: string): void {
  if (process.environment.options.xtrace) writeTrace(process, `[[ ${text} ]]`)
}

function emitLeaf(
  assembler: Assembler,
  operands: readonly { word: Word; mode: TextMode }[],
  words: WordCompiler,
  test: (process: Process, texts: readonly string[]) => MaybePromise<number>,
): void {
  const { get, pushed } = words.texts(assembler, operands)
  assembler.emit((process) => {
    const base = process.stack.length - pushed
    const texts = get.map((text: TextOf) => text(process, base))
    process.stack.length = base
    process.status = 1
    process.environment.pipeStatus = null
    process.after(test(process, texts), 'a file test', (status) => {
      process.status = status
    })
  })
}

function compare(process: Process, operator: string, left: string, right: string): MaybePromise<number> {
  switch (operator) {
    case '=':
    case '==':
      return matchesPattern(process, right, left, true) ? 0 : 1
    case '!=':
      return matchesPattern(process, right, left, true) ? 1 : 0
    case '=~':
      return matchesRegex(process, left, right)
    case '<':
      return left < right ? 0 : 1
    case '>':
      return left > right ? 0 : 1
    case '-eq':
    case '-ne':
    case '-lt':
    case '-le':
    case '-gt':
    case '-ge':
      return compareNumbers(process, operator, left, right)
    default:
      return asStatus(binaryTest(operator, left, right, testContext(process, '[[')))
  }
}

function asStatus(holds: MaybePromise<boolean>): MaybePromise<number> {
  return isPromise(holds) ? holds.then((value) => (value ? 0 : 1)) : holds ? 0 : 1
}

function compareNumbers(process: Process, operator: string, left: string, right: string): number {
  let a: number | bigint
  let b: number | bigint
  try {
    a = evaluate(process, left)
    b = evaluate(process, right)
  } catch (error) {
    arithmeticFailed(process, error, '[[: ')
    return 1
  }
  switch (operator) {
    case '-eq':
      return BigInt(a) === BigInt(b) ? 0 : 1
    case '-ne':
      return BigInt(a) === BigInt(b) ? 1 : 0
    case '-lt':
      return a < b ? 0 : 1
    case '-le':
      return a <= b ? 0 : 1
    case '-gt':
      return a > b ? 0 : 1
    default:
      return a >= b ? 0 : 1
  }
}

type RegexModule = typeof import('../../regex/regex.ts')

/** The engine for `=~` is loaded when it is first used. */
const regexes = lazy<RegexModule>(() => import('../../regex/regex.ts'))

function matchesRegex(process: Process, text: string, source: string): MaybePromise<number> {
  const loaded = regexes.get()
  return isPromise(loaded)
    ? loaded.then((module) => matchesLoaded(process, text, source, module))
    : matchesLoaded(process, text, source, loaded)
}

function matchesLoaded(process: Process, text: string, source: string, { compileRegex }: RegexModule): number {
  let match: RegexMatch | null
  let count: number
  try {
    const regex = compileRegex(source, { syntax: 'extended', ignoreCase: process.environment.options.has('nocasematch') })
    match = regex.exec(text, 0)
    count = regex.groups
  } catch (error) {
    // bash says nothing: the status alone tells of a regular expression that can't be read.
    if (error instanceof ShellFault) throw error
    return 2
  }
  const { variables } = process.environment
  const groups = new IndexedArray()
  if (match !== null) {
    groups.set(0, text.slice(match.start, match.end))
    for (let i = 1; i <= count; i++) {
      const group = match.group(i)
      groups.set(i, group === null ? '' : text.slice(group.start, group.end))
    }
  }
  variables.put('BASH_REMATCH', variables.make(groups, Attribute.array))
  return match === null ? 1 : 0
}
