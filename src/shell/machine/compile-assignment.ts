import { quoteTraced } from '../expand/quote.ts'
import type { ArrayLiteral, Assignment, Word } from '../syntax/ast.ts'
import type { WordCompiler } from './compile-word.ts'
import { isPure } from './compile-word.ts'
import { matchGlobs } from './fields.ts'
import type { CompoundElement } from './parameters.ts'
import { assignCompound, assignElement, assignScalar, refuseReadonly } from './parameters.ts'
import type { Process } from './process.ts'
import type { Assembler } from './program.ts'
import { trace } from './report.ts'
import { Attribute } from './variables.ts'

/** Whether an assignment stays, or only surrounds one command. */
type Lifetime = 'shell' | 'temporary'

/**
 * Assignments in order. When all can be done at once the closure that does them is given and nothing is emitted; otherwise
 * their code is emitted and null is given.
 */
export function emitAssignments(
  assembler: Assembler,
  assignments: readonly Assignment[],
  words: WordCompiler,
  lifetime: Lifetime,
): ((process: Process) => void) | null {
  const pure =
    lifetime === 'shell' ? assignments.map((assignment) => atOnce(assembler, assignment, words, assignments.length === 1)) : [null]
  if (pure.every((one) => one !== null)) {
    const [only] = pure
    if (pure.length === 1 && only !== undefined) return only
    return (process) => {
      for (const assign of pure) assign(process)
    }
  }
  for (const assignment of assignments) emitAssignment(assembler, assignment, words, lifetime)
  return null
}

/** `name=(…)` as an argument of `declare`: adds one argument that carries the elements. */
export function assignPrepared(assembler: Assembler, assignment: Assignment, literal: ArrayLiteral, words: WordCompiler): void {
  emitElements(assembler, literal, words)
  assembler.emit((process) => {
    const elements = decodeElements(process.pop() as string[])
    const args = process.pop() as string[]
    args.push(`${assignment.name}${assignment.append ? '+=' : '='}${COMPOUND}${JSON.stringify(elements)}`)
    process.push(args)
  })
}

/** Marks an argument that carries the elements of an array; no real argument holds a NUL. */
export const COMPOUND = '\u0000'

function atOnce(assembler: Assembler, assignment: Assignment, words: WordCompiler, alone: boolean): ((process: Process) => void) | null {
  const { name, subscript, append, value } = assignment
  if (subscript !== null && !isPure(subscript.parts)) return null
  if ('elements' in value) return alone ? compoundAtOnce(assignment, value, words) : null
  if (!isPure(value.parts)) return null
  if (subscript !== null) {
    const key = words.text(assembler, subscript)
    const text = words.text(assembler, value)
    if (key === null || text === null) return null
    return (process) => {
      const at = key(process, 0)
      const assigned = text(process, 0)
      traceAssignment(process, `${name}[${at}]`, append, assigned)
      assignElement(process, name, at, assigned, append)
    }
  }
  const [only] = value.parts
  if (value.parts.length === 1 && only?.type === 'arithmetic' && !append) {
    const result = words.pureArithmetic(only.expression)
    return (process) => {
      const number = result(process, 0)
      const assigned = typeof number === 'bigint' ? String(number) : number
      traceAssignment(process, name, false, assigned)
      assignScalar(process, name, assigned)
    }
  }
  const text = words.text(assembler, value)
  if (text === null) return null
  return (process) => {
    const assigned = text(process, 0)
    traceAssignment(process, name, append, assigned)
    assignScalar(process, name, assigned, append)
  }
}

function compoundAtOnce(assignment: Assignment, literal: ArrayLiteral, words: WordCompiler): ((process: Process) => void) | null {
  if (literal.elements.some((element) => element.subscript !== null)) return null
  const fields = words.fieldsAtOnce(literal.elements.map((element) => element.value))
  if (fields === null) return null
  return (process) => {
    const out: string[] = []
    fields(process, out)
    process.after(matchGlobs(process, out), 'a glob', (texts) => {
      assignElements(
        process,
        assignment,
        texts.map((text) => ({ subscript: null, text, append: false })),
      )
    })
  }
}

function assignElements(process: Process, assignment: Assignment, elements: readonly CompoundElement[]): void {
  if (assignment.subscript !== null) {
    process.complain(`${process.messagePrefix()}${assignment.name}[${assignment.subscript.raw}]: cannot assign list to array member\n`)
    process.substitutionStatus = 1
    return
  }
  if (process.environment.options.xtrace) {
    const shown = elements.map(({ subscript, text }) => (subscript === null ? quoteTraced(text) : `[${subscript}]=${quoteTraced(text)}`))
    trace(process, `${assignment.name}${assignment.append ? '+=' : '='}(${shown.join(' ')})`)
  }
  assignCompound(process, assignment.name, elements, assignment.append)
}

function emitAssignment(assembler: Assembler, assignment: Assignment, words: WordCompiler, lifetime: Lifetime): void {
  const { name, subscript, append, value } = assignment
  if ('elements' in value) {
    emitElements(assembler, value, words)
    assembler.emit((process) => {
      const elements = decodeElements(process.pop() as string[])
      if (lifetime === 'temporary') {
        // A command's environment holds no arrays; bash passes the text it was written as.
        assignTemporarily(process, name, assignment.raw.slice(assignment.raw.indexOf('=') + 1), false)
        return
      }
      assignElements(process, assignment, elements)
    })
    return
  }
  if (subscript !== null) words.pushText(assembler, subscript)
  words.pushText(assembler, value)
  assembler.emit((process) => {
    const text = process.popText()
    if (subscript !== null) {
      const key = process.popText()
      if (lifetime === 'temporary') {
        process.complain(`${process.messagePrefix()}\`${name}[${subscript.raw}]': not a valid identifier\n`)
        return
      }
      traceAssignment(process, `${name}[${key}]`, append, text)
      assignElement(process, name, key, text, append)
      return
    }
    traceAssignment(process, name, append, text)
    if (lifetime === 'temporary') assignTemporarily(process, name, text, append)
    else assignScalar(process, name, text, append)
  })
}

/** Sets and exports a variable until the command it stands before has ended. */
function assignTemporarily(process: Process, name: string, text: string, append: boolean): void {
  const { variables } = process.environment
  const known = variables.get(name)
  if (known !== undefined && (known.attributes & Attribute.readonly) !== 0) {
    if (process.environment.options.posix) refuseReadonly(name, known)
    process.complain(`${process.messagePrefix()}${name}: readonly variable\n`)
    return
  }
  const special = known !== undefined && (known.attributes & Attribute.special) !== 0
  if (special) {
    assignScalar(process, name, text, append)
    return
  }
  const before = append && known !== undefined ? (typeof known.value === 'object' ? '' : String(known.value ?? '')) : ''
  const kept = (known?.attributes ?? 0) & (Attribute.integer | Attribute.lower | Attribute.upper | Attribute.capitalize)
  process.bindings += 1
  process.undo.push({ name, variable: known, order: process.bindings })
  variables.put(name, variables.make(undefined, Attribute.exported | kept))
  assignScalar(process, name, before + text)
}

/** Emits code that leaves the elements of an array literal on the stack, as a flat row: a mark, a key where there is one, a text. */
function emitElements(assembler: Assembler, literal: ArrayLiteral, words: WordCompiler): void {
  assembler.emit((process) => process.push([]))
  for (const element of literal.elements) {
    if (element.subscript === null) {
      emitPlainElement(assembler, element.value, words)
      continue
    }
    words.pushText(assembler, element.subscript)
    words.pushText(assembler, element.value)
    const mark = element.append ? '+' : '='
    assembler.emit((process) => {
      const text = process.popText()
      const key = process.popText()
      const row = process.stack.at(-1) as string[]
      row.push(mark, key, text)
    })
  }
}

function emitPlainElement(assembler: Assembler, value: Word, words: WordCompiler): void {
  words.pushFields(assembler, [value])
  assembler.emit((process) => {
    const fields = process.pop() as string[]
    const row = process.stack.at(-1) as string[]
    for (const field of fields) row.push('-', field)
  })
}

function decodeElements(row: readonly string[]): CompoundElement[] {
  const elements: CompoundElement[] = []
  for (let i = 0; i < row.length; ) {
    const mark = row[i] as string
    if (mark === '-') {
      elements.push({ subscript: null, text: row[i + 1] as string, append: false })
      i += 2
      continue
    }
    elements.push({ subscript: row[i + 1] as string, text: row[i + 2] as string, append: mark === '+' })
    i += 3
  }
  return elements
}

function traceAssignment(process: Process, target: string, append: boolean, value: string | number): void {
  if (!process.environment.options.xtrace) return
  trace(process, `${target}${append ? '+=' : '='}${quoteTraced(String(value))}`)
}
