import type { Integer } from '../expand/arithmetic.ts'
import { convertCase } from '../expand/case-conversion.ts'
import type { Pattern } from '../expand/pattern.ts'
import { compilePattern } from '../expand/pattern.ts'
import { replaceMatch } from '../expand/replace-match.ts'
import { characterCount, characterSlice } from '../expand/string-length.ts'
import type { ParameterExpansion, ParameterOperation, Word } from '../syntax/ast.ts'
import type { TextMode, TextOf } from './compile-word.ts'
import { ShellFault } from './fault.ts'
import { fieldSeparators, joinStar, Piece } from './fields.ts'
import {
  assignElement,
  assignScalar,
  isName,
  keysInOrder,
  readElement,
  readText,
  readValue,
  resolveName,
  splitReference,
  unbound,
} from './parameters.ts'
import type { Fragments, Process } from './process.ts'
import { optionLetters } from './report.ts'
import { transform } from './transform.ts'
import { Attribute, IndexedArray, scalarText } from './variables.ts'

/** A compiled parameter expansion. `base` is where operands pushed for it start on the stack. */
export interface ParameterCode {
  /** Its value without splitting. */
  text(process: Process, base: number): string
  /** Adds its value to a word that is being split. */
  fragments(process: Process, base: number, sink: Fragments): void
  /** For `-`, `=`, `?`, `+`: whether the word is to be expanded. */
  needsWord(process: Process): boolean
  /** For `=` and `?`: what happens with the expanded word; gives the value. */
  takeWord(process: Process, word: string): string
}

/** How operand words are compiled. */
export interface OperandCompiler {
  text(word: Word, mode: TextMode): TextOf
  fragments(word: Word): (process: Process, base: number, sink: Fragments) => void
  arithmetic(word: Word): (process: Process, base: number) => Integer
}

/** Compiles `$x`, `${x…}`. `quoted`: it stands inside double quotes. */
export function compileParameter(part: ParameterExpansion, quoted: boolean, operands: OperandCompiler): ParameterCode {
  if (part.indirect) return compileIndirect(part, quoted, memoized(operands))
  const { operation } = part
  if (operation !== null && (operation.type === 'names' || operation.type === 'keys')) {
    const { joined } = operation
    const values =
      operation.type === 'names'
        ? (process: Process) => namesWithPrefix(process, part.name)
        : (process: Process) => keysOf(process, part.name)
    return listCode(joined, quoted, values)
  }
  const joined = part.name === '*' || part.subscript === '*'
  if (joined || part.name === '@' || part.subscript === '@') return compileList(part, joined, quoted, operands)
  return compileScalar(part, quoted, operands)
}

function compileScalar(part: ParameterExpansion, quoted: boolean, operands: OperandCompiler): ParameterCode {
  const read = scalarReader(part, operands)
  const { operation } = part
  const name = shownName(part)
  if (operation === null) {
    return scalarCode(quoted, (process, base) => {
      const value = read(process, base)
      if (value !== undefined) return value
      if (process.environment.options.nounset) throw unbound(name)
      return ''
    })
  }
  switch (operation.type) {
    case 'length':
      return scalarCode(quoted, (process, base) => {
        const value = read(process, base)
        if (value === undefined && part.subscript === null && process.environment.options.nounset) throw unbound(name)
        return String(characterCount(value ?? ''))
      })
    case 'default':
    case 'assign':
    case 'error':
    case 'alternate':
      return conditionalCode(part, operation, quoted, operands, (process, base) => {
        const value = read(process, base)
        return { set: operation.colon ? value !== undefined && value !== '' : value !== undefined, text: value ?? '', values: null }
      })
    case 'transform': {
      const { letter } = operation
      return scalarCode(quoted, (process, base) => {
        const value = read(process, base)
        if (value === undefined && process.environment.options.nounset) throw unbound(name)
        return transform(process, letter, part, value)
      })
    }
    case 'remove':
    case 'replace':
    case 'slice':
    case 'case': {
      const apply = compileOperation(operation, operands)
      return scalarCode(quoted, (process, base) => {
        const value = read(process, base)
        if (value === undefined) {
          if (process.environment.options.nounset) throw unbound(name)
          return ''
        }
        return apply(process, base, value)
      })
    }
    case 'names':
    case 'keys':
      throw new Error('handled before')
    default:
      return operation satisfies never
  }
}

/** How messages name the parameter. */
function shownName(part: ParameterExpansion): string {
  if (part.subscript === null) return /^[0-9]+$/.test(part.name) || !isName(part.name) ? `${part.name}` : part.name
  return `${part.name}[${typeof part.subscript === 'string' ? part.subscript : part.subscript.raw}]`
}

type Reader = (process: Process, base: number) => string | undefined

function scalarReader(part: ParameterExpansion, operands: OperandCompiler): Reader {
  const { name, subscript } = part
  if (subscript !== null && typeof subscript === 'object') {
    const key = operands.text(subscript, 'plain')
    return (process, base) => readElement(process, name, key(process, base))
  }
  if (/^[0-9]+$/.test(name)) {
    const index = Number(name)
    if (index === 0) return (process) => process.environment.name
    return (process) => process.environment.positional[index - 1]
  }
  switch (name) {
    case '#':
      return (process) => String(process.environment.positional.length)
    case '?':
      return (process) => String(process.status)
    case '$':
      return (process) => String(process.environment.shellPid)
    case '!':
      return (process) => (process.environment.lastBackground === 0 ? undefined : String(process.environment.lastBackground))
    case '-':
      return (process) => optionLetters(process)
    default:
      return (process) => readText(process, name)
  }
}

function scalarCode(quoted: boolean, text: (process: Process, base: number) => string): ParameterCode {
  const flag = quoted ? Piece.quoted : Piece.split
  return {
    text,
    fragments: (process, base, { texts, flags }) => {
      texts.push(text(process, base))
      flags.push(flag)
    },
    needsWord: () => false,
    takeWord: (_process, word) => word,
  }
}

interface Probe {
  readonly set: boolean
  readonly text: string
  /** For a list: its elements. */
  readonly values: readonly string[] | null
}

type Conditional = Extract<ParameterOperation, { type: 'default' | 'assign' | 'error' | 'alternate' }>

function conditionalCode(
  part: ParameterExpansion,
  operation: Conditional,
  quoted: boolean,
  operands: OperandCompiler,
  probe: (process: Process, base: number) => Probe,
): ParameterCode {
  const { type, word } = operation
  const wordText = operands.text(word, 'plain')
  const wordFragments = type === 'default' || type === 'alternate' ? operands.fragments(word) : null
  const takeWord = (process: Process, text: string): string => {
    if (type === 'error') {
      const message = word.parts.length > 0 ? text : operation.colon ? 'parameter null or not set' : 'parameter not set'
      throw new ShellFault(`${shownName(part)}: ${message}`, 'shell')
    }
    if (!isName(part.name)) throw new ShellFault(`$${part.name}: cannot assign in this way`)
    if (part.subscript !== null && typeof part.subscript === 'object') {
      assignElement(process, part.name, operands.text(part.subscript, 'plain')(process, 0), text)
    } else assignScalar(process, part.name, text)
    return text
  }
  const joined = part.name === '*' || part.subscript === '*'
  const flag = quoted ? Piece.quoted : Piece.split
  const wanted = (seen: Probe): boolean => (type === 'alternate' ? seen.set : !seen.set)
  return {
    text(process, base) {
      const seen = probe(process, base)
      if (!wanted(seen)) return type === 'alternate' ? '' : seen.text
      const text = wordText(process, base)
      return type === 'default' || type === 'alternate' ? text : takeWord(process, text)
    },
    fragments(process, base, sink) {
      const seen = probe(process, base)
      if (wanted(seen)) {
        if (wordFragments !== null) {
          const before = sink.texts.length
          wordFragments(process, base, sink)
          if (quoted && sink.texts.length === before && word.parts.length === 0) addTo(sink, '', Piece.quoted)
          return
        }
        addTo(sink, takeWord(process, wordText(process, base)), flag)
        return
      }
      if (type === 'alternate') {
        if (quoted) addTo(sink, '', Piece.quoted)
        return
      }
      if (seen.values !== null) addList(process, seen.values, joined, quoted, sink)
      else addTo(sink, seen.text, flag)
    },
    needsWord: (process) => wanted(probe(process, process.stack.length)),
    takeWord,
  }
}

function addTo(sink: Fragments, text: string, flag: number): void {
  sink.texts.push(text)
  sink.flags.push(flag)
}

function addList(process: Process, values: readonly string[], joined: boolean, quoted: boolean, sink: Fragments): void {
  if (quoted && joined) {
    addTo(sink, joinStar(process, values), Piece.quoted)
    return
  }
  if (!quoted && values.includes('')) {
    const ifs = fieldSeparators(process)
    if (ifs !== '' && !' \t\n'.includes(ifs[0] as string)) {
      addTo(sink, joinStar(process, values), Piece.split)
      return
    }
  }
  const flag = quoted ? Piece.quoted : Piece.split
  for (let i = 0; i < values.length; i++) addTo(sink, values[i] as string, i === 0 ? flag : flag | Piece.breakBefore)
}

/** A list of values: `@` gives a field each, `*` in quotes one field. */
function listCode(joined: boolean, quoted: boolean, values: (process: Process, base: number) => readonly string[]): ParameterCode {
  return {
    text: (process, base) => joinText(process, joined, values(process, base)),
    fragments: (process, base, sink) => addList(process, values(process, base), joined, quoted, sink),
    needsWord: () => false,
    takeWord: (_process, word) => word,
  }
}

function joinText(process: Process, joined: boolean, values: readonly string[]): string {
  return joined ? joinStar(process, values) : values.join(' ')
}

function compileList(part: ParameterExpansion, joined: boolean, quoted: boolean, operands: OperandCompiler): ParameterCode {
  const values = listReader(part)
  const { operation } = part
  if (operation === null) return listCode(joined, quoted, values)
  switch (operation.type) {
    case 'length':
      return scalarCode(quoted, (process) => String(countOf(process, part)))
    case 'default':
    case 'assign':
    case 'error':
    case 'alternate':
      return conditionalCode(part, operation, quoted, operands, (process) => {
        const list = values(process)
        const text = joinText(process, joined, list)
        return { set: operation.colon ? text !== '' : list.length > 0, text, values: list }
      })
    case 'slice': {
      const offset = operands.arithmetic(operation.offset)
      const length = operation.length === null ? null : operands.arithmetic(operation.length)
      return listCode(joined, quoted, (process, base) =>
        sliceList(process, part, Number(offset(process, base)), length === null ? null : Number(length(process, base))),
      )
    }
    case 'transform': {
      const { letter } = operation
      if (letter === 'A' || letter === 'K') {
        return scalarCode(quoted, (process) => transform(process, letter, part, undefined))
      }
      if (letter === 'k') return listCode(joined, quoted, (process) => keysAndValues(process, part))
      return listCode(joined, quoted, (process) => values(process).map((value) => transform(process, letter, part, value)))
    }
    case 'remove':
    case 'replace':
    case 'case': {
      const apply = compileOperation(operation, operands)
      return listCode(joined, quoted, (process, base) => values(process).map((value) => apply(process, base, value)))
    }
    case 'names':
    case 'keys':
      throw new Error('handled before')
    default:
      return operation satisfies never
  }
}

function listReader(part: ParameterExpansion): (process: Process) => readonly string[] {
  const { name } = part
  if (part.subscript === null) return (process) => process.environment.positional
  return (process) => valuesOf(process, name)
}

/** All elements of a variable in order; a scalar counts as one. */
export function valuesOf(process: Process, name: string): readonly string[] {
  const value = readValue(process, name)
  if (value instanceof IndexedArray) return value.values()
  if (value instanceof Map) return keysInOrder(value).map((key) => value.get(key) as string)
  const text = scalarText(value)
  return text === undefined ? [] : [text]
}

/** All keys of a variable in order. */
export function keysOf(process: Process, name: string): string[] {
  const value = readValue(process, name)
  if (value instanceof IndexedArray) return value.keys().map(String)
  if (value instanceof Map) return keysInOrder(value)
  return value === undefined ? [] : ['0']
}

function keysAndValues(process: Process, part: ParameterExpansion): string[] {
  const keys = keysOf(process, part.name)
  const values = valuesOf(process, part.name)
  return keys.flatMap((key, i) => [key, values[i] as string])
}

function countOf(process: Process, part: ParameterExpansion): number {
  if (part.subscript === null) return process.environment.positional.length
  const value = readValue(process, part.name)
  if (value instanceof IndexedArray) return value.count
  if (value instanceof Map) return value.size
  if (value === undefined && process.environment.options.nounset) throw unbound(part.name)
  return value === undefined ? 0 : 1
}

function sliceList(process: Process, part: ParameterExpansion, offset: number, length: number | null): readonly string[] {
  const positional = part.subscript === null
  if (length !== null && length < 0) throw new ShellFault(`${length}: substring expression < 0`)
  if (positional) {
    const all = [process.environment.name, ...process.environment.positional]
    const start = offset < 0 ? all.length + offset : offset
    if (start < 0) return []
    return all.slice(start, length === null ? undefined : start + length)
  }
  const value = readValue(process, part.name)
  if (value instanceof IndexedArray) {
    const start = offset < 0 ? value.end + offset : offset
    if (start < 0) return []
    const keys = value.keys().filter((key) => key >= start)
    return (length === null ? keys : keys.slice(0, length)).map((key) => value.get(key) as string)
  }
  const values = valuesOf(process, part.name)
  const start = offset < 0 ? values.length + offset : value instanceof Map && offset > 0 ? offset - 1 : offset
  if (start < 0) return []
  return values.slice(start, length === null ? undefined : start + length)
}

function namesWithPrefix(process: Process, prefix: string): string[] {
  return process.environment.variables
    .names()
    .filter((name) => name.startsWith(prefix) && readValue(process, name) !== undefined)
    .sort((a, b) => (a < b ? -1 : 1))
}

type Apply = (process: Process, base: number, value: string) => string

function compileOperation(
  operation: Extract<ParameterOperation, { type: 'remove' | 'replace' | 'slice' | 'case' }>,
  operands: OperandCompiler,
): Apply {
  switch (operation.type) {
    case 'remove': {
      const { side, longest } = operation
      const pattern = patternOf(operands.text(operation.pattern, 'pattern'))
      if (side === 'prefix') {
        return (process, base, value) => {
          const length = pattern(process, base).prefix(value, longest)
          return length <= 0 ? value : value.slice(length)
        }
      }
      return (process, base, value) => {
        const start = pattern(process, base).suffix(value, longest)
        return start < 0 ? value : value.slice(0, start)
      }
    }
    case 'replace': {
      const pattern = patternOf(operands.text(operation.pattern, 'pattern'), true)
      const replacement = operation.replacement === null ? () => '' : operands.text(operation.replacement, 'replacement')
      const { where } = operation
      return (process, base, value) => replaced(process, value, pattern(process, base), replacement(process, base), where)
    }
    case 'slice': {
      const offset = operands.arithmetic(operation.offset)
      const length = operation.length === null ? null : operands.arithmetic(operation.length)
      return (process, base, value) => {
        const at = Number(offset(process, base))
        const count = characterCount(value)
        const start = at < 0 ? count + at : at
        const size = length === null ? count - start : Number(length(process, base))
        if (start < 0 || start > count) return ''
        if (size >= 0) return characterSlice(value, start, Math.min(size, count - start))
        const end = count + size
        if (end < start) throw new ShellFault(`${operation.length?.raw ?? size}: substring expression < 0`)
        return characterSlice(value, start, end - start)
      }
    }
    case 'case': {
      const { to, all } = operation
      const pattern = operation.pattern === null ? null : patternOf(operands.text(operation.pattern, 'pattern'))
      return (process, base, value) => convertCase(value, to, all, pattern === null ? null : pattern(process, base))
    }
    default:
      return operation satisfies never
  }
}

function patternOf(text: TextOf, mayIgnoreCase = false): (process: Process, base: number) => Pattern {
  let last: { text: string; extglob: boolean; nocase: boolean; pattern: Pattern } | null = null
  return (process, base) => {
    const source = text(process, base)
    const { options } = process.environment
    const nocase = mayIgnoreCase && options.has('nocasematch')
    if (last === null || last.text !== source || last.extglob !== options.extglob || last.nocase !== nocase) {
      const pattern = compilePattern(source, { extglob: options.extglob, nocase })
      last = { text: source, extglob: options.extglob, nocase, pattern }
    }
    return last.pattern
  }
}

function replaced(
  process: Process,
  value: string,
  pattern: Pattern,
  replacement: string,
  where: 'first' | 'all' | 'prefix' | 'suffix',
): string {
  const withMatch = process.environment.options.has('patsub_replacement') && /[&\\]/.test(replacement)
  const put = (matched: string): string => {
    if (withMatch) return replacement.replaceAll(/\\([&\\])|&/g, (_all, escaped?: string) => escaped ?? matched)
    return replacement.includes('\\') ? replacement.replaceAll(/\\([&\\])/g, '$1') : replacement
  }
  if (pattern.literal !== null && pattern.literal !== '' && where === 'all' && !withMatch) {
    return value.replaceAll(pattern.literal, () => put(''))
  }
  return replaceMatch(value, pattern, where, put)
}

/** `${!x}`: what x says is looked up when it runs. */
function compileIndirect(part: ParameterExpansion, quoted: boolean, operands: OperandCompiler): ParameterCode {
  const direct = { ...part, indirect: false }
  const joined = part.subscript === '@' || part.subscript === '*'
  const pointer: Reader = joined
    ? (process) => {
        const values = valuesOf(process, part.name)
        return values.length === 0 ? undefined : values.join(' ')
      }
    : scalarReader(direct, operands)
  // Compiled once so that operands that need instructions have theirs.
  compileParameter({ ...direct, name: '_', subscript: null }, quoted, operands)
  const compiled = new Map<string, ParameterCode>()
  const find = (process: Process, base: number): ParameterCode => {
    const variable = part.subscript === null ? process.environment.variables.get(part.name) : undefined
    if (variable !== undefined && (variable.attributes & Attribute.nameref) !== 0) {
      const target = resolveName(process, part.name)
      return scalarCode(quoted, () => (target.subscript === null ? target.name : `${target.name}[${target.subscript}]`))
    }
    const to = pointer(process, base)
    if (to === undefined || to === '') {
      if (to === undefined && (part.operation?.type === 'alternate' || part.operation?.type === 'transform'))
        return scalarCode(quoted, () => '')
      throw new ShellFault(to === undefined ? `${part.name}: invalid indirect expansion` : `${to}: invalid variable name`)
    }
    const known = compiled.get(to)
    if (known !== undefined) return known
    const { name, subscript } = splitReference(to)
    if (!isName(name) && !/^(?:[0-9]+|[@*#?$!-])$/.test(to)) throw new ShellFault(`${to}: invalid variable name`)
    const code = compileParameter(
      {
        ...direct,
        name,
        subscript: subscript === null ? null : subscript === '@' || subscript === '*' ? subscript : dynamicSubscript(subscript),
      },
      quoted,
      {
        ...operands,
        text: (word, mode) => (word.raw === subscript && word.parts.length === 0 ? subscriptText(word.raw) : operands.text(word, mode)),
      },
    )
    if (compiled.size > 64) compiled.clear()
    compiled.set(to, code)
    return code
  }
  return {
    text: (process, base) => find(process, base).text(process, base),
    fragments: (process, base, sink) => find(process, base).fragments(process, base, sink),
    needsWord: (process) => find(process, process.stack.length).needsWord(process),
    takeWord: (process, word) => find(process, process.stack.length).takeWord(process, word),
  }
}

/** A subscript known only when it runs: a word without parts whose text is expanded then. */
function dynamicSubscript(text: string): Word {
  return { type: 'word', parts: [], raw: text }
}

function subscriptText(raw: string): TextOf {
  return (process) => process.machine.runtime.expandSubscript(process, raw)
}

function memoized(operands: OperandCompiler): OperandCompiler {
  const texts = new Map<Word, TextOf>()
  const arithmetics = new Map<Word, (process: Process, base: number) => Integer>()
  const fragments = new Map<Word, (process: Process, base: number, sink: Fragments) => void>()
  const once = <T>(map: Map<Word, T>, word: Word, make: () => T): T => {
    const known = map.get(word)
    if (known !== undefined) return known
    const made = make()
    map.set(word, made)
    return made
  }
  return {
    text: (word, mode) => once(texts, word, () => operands.text(word, mode)),
    arithmetic: (word) => once(arithmetics, word, () => operands.arithmetic(word)),
    fragments: (word) => once(fragments, word, () => operands.fragments(word)),
  }
}
