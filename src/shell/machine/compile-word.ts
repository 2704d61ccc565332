import type { MaybePromise } from '../../host.ts'
import type { Arithmetic, Integer } from '../expand/arithmetic.ts'
import { compileArithmetic } from '../expand/arithmetic.ts'
import { escapePattern } from '../expand/pattern.ts'
import type { DoubleQuoted, List, ParameterExpansion, Word, WordPart } from '../syntax/ast.ts'
import { awaitSubstitution, startProcessSubstitution, startSubstitution, startTextSubstitution } from './children.ts'
import type { ParameterCode } from './compile-parameter.ts'
import { compileParameter } from './compile-parameter.ts'
import { finishFields, matchGlobs, Piece } from './fields.ts'
import { lazy } from './lazy.ts'
import { NO_SLOTS, readText, runArithmetic } from './parameters.ts'
import type { Fragments, Process } from './process.ts'
import type { Assembler, Label } from './program.ts'
import { readWhole } from './redirect.ts'
import { badSubstitution, loadPrompts } from './report.ts'
import { substituted } from './substitution.ts'

/** How the text of a word is made: as it is, with quoted parts escaped for a pattern, a regular expression or a replacement. */
export type TextMode = 'plain' | 'pattern' | 'regex' | 'replacement'

/** Makes a text at once. `base` is where operands pushed for it start on the stack. */
export type TextOf = (process: Process, base: number) => string

/** Adds the fields of a word; patterns among them are noted in `process.globs`. */
export type FieldsOf = (process: Process, out: string[]) => void

/** What the word compiler needs of the command compiler: code for a substitution's body. */
export interface BodyCompiler {
  /** Code of a child process that runs the list and exits; gives where it starts. */
  child(assembler: Assembler, body: List): Label
  /** `{a,b}` makes words. */
  readonly expandsBraces: boolean
}

const braces = lazy(() => import('../expand/brace.ts'))

/** Loads what expands braces. */
export function loadBraces(): MaybePromise<unknown> {
  return braces.get()
}

/** Compiles words. Words without substitutions become one closure; others become a row of instructions that leave their result on the stack. */
export class WordCompiler {
  readonly #bodies: BodyCompiler

  constructor(bodies: BodyCompiler) {
    this.#bodies = bodies
  }

  /**
   * The text of a word without splitting. Where it can't be made at once, instructions are emitted that leave it on the
   * stack, and null is given.
   */
  text(assembler: Assembler, word: Word, mode: TextMode = 'plain'): TextOf | null {
    if (isPure(word.parts)) return this.#pureText(word.parts, false, mode)
    this.#emitText(assembler, word.parts, false, mode)
    return null
  }

  /** As {@link WordCompiler.text}, always emitting: the text is on the stack afterwards. */
  pushText(assembler: Assembler, word: Word, mode: TextMode = 'plain'): void {
    const text = this.text(assembler, word, mode)
    if (text !== null) assembler.emit((process) => process.push(text(process, 0)))
  }

  /** The texts of several words, left to right; the getters read what was pushed for them. `pushed` is how many that is. */
  texts(assembler: Assembler, words: readonly { word: Word; mode: TextMode }[]): { get: TextOf[]; pushed: number } {
    let pushed = 0
    const get = words.map(({ word, mode }) => {
      const pure = this.text(assembler, word, mode)
      if (pure !== null) return pure
      const index = pushed
      pushed += 1
      return (process: Process, base: number): string => process.stack[base + index] as string
    })
    return { get, pushed }
  }

  /** The words that a word's braces make. */
  braces(word: Word): readonly Word[] {
    return this.#bodies.expandsBraces && hasBraces(word) ? braces.demand().expandBraces(word) : [word]
  }

  /** Emits code that pushes an array with the fields of the words. */
  pushFields(assembler: Assembler, words: readonly Word[]): void {
    const fields = this.fieldsAtOnce(words)
    if (fields !== null) {
      assembler.emit((process) => {
        const out: string[] = []
        fields(process, out)
        process.after(matchGlobs(process, out), 'a glob', (matched) => process.push(matched))
      })
      return
    }
    assembler.emit((process) => process.push([]))
    for (const word of words) for (const expanded of this.braces(word)) this.#emitFields(assembler, expanded)
  }

  /** The fields of words of which none has a substitution; null when one has. */
  fieldsAtOnce(words: readonly Word[]): FieldsOf | null {
    if (!words.every((word) => isPure(word.parts))) return null
    const all = words.flatMap((word) => this.braces(word)).map((word) => this.#pureFields(word))
    if (all.every((one) => typeof one === 'string')) {
      const constants = all as string[]
      return (_process, out) => {
        for (const constant of constants) out.push(constant)
      }
    }
    if (all.length === 1) return all[0] as FieldsOf
    return (process, out) => {
      for (const one of all) {
        if (typeof one === 'string') out.push(one)
        else one(process, out)
      }
    }
  }

  /** Arithmetic written in a script. Null when instructions were emitted that leave its text on the stack. */
  arithmetic(assembler: Assembler, expression: Word): ((process: Process, base: number) => Integer) | null {
    if (!isPure(expression.parts)) {
      this.#emitText(assembler, expression.parts, true, 'plain')
      return null
    }
    return this.pureArithmetic(expression)
  }

  /** Arithmetic in which nothing has to wait. */
  pureArithmetic(expression: Word): (process: Process, base: number) => Integer {
    const template = slotTemplate(expression)
    const text = this.#pureText(expression.parts, true, 'plain')
    if (template === null) {
      return (process, base) => runArithmetic(process, compileArithmetic(text(process, base)), NO_SLOTS)
    }
    if (template.slots.length === 0) {
      let compiled: Arithmetic | null = null
      return (process) => {
        compiled ??= compileArithmetic(template.text)
        return runArithmetic(process, compiled, NO_SLOTS)
      }
    }
    const slots = template.slots.map((part) => this.#pureText([part], true, 'plain'))
    let compiled: Arithmetic | null | undefined
    return (process, base) => {
      if (compiled === undefined) compiled = tryCompile(template.text)
      if (compiled === null) return runArithmetic(process, compileArithmetic(text(process, base)), NO_SLOTS)
      const values: string[] = []
      for (const slot of slots) {
        const value = slot(process, base)
        if (!PLAIN_INTEGER.test(value)) return runArithmetic(process, compileArithmetic(text(process, base)), NO_SLOTS)
        values.push(value)
      }
      return runArithmetic(process, compiled, values)
    }
  }

  #pureText(parts: readonly WordPart[], quoted: boolean, mode: TextMode): TextOf {
    const texts = parts.map((part) => this.#pureTextPart(part, quoted, mode))
    const [first, second] = texts
    if (first === undefined) return () => ''
    if (second === undefined) return first
    if (texts.length === 2) return (process, base) => first(process, base) + second(process, base)
    return (process, base) => {
      let all = ''
      for (const text of texts) all += text(process, base)
      return all
    }
  }

  #pureTextPart(part: WordPart, quoted: boolean, mode: TextMode): TextOf {
    switch (part.type) {
      case 'text': {
        const text = inMode(part.text, quoted || part.quoted, mode)
        return () => text
      }
      case 'double':
        return this.#pureText(part.parts, true, mode)
      case 'tilde':
        return (process) => inMode(tilde(process, part.user), true, mode)
      case 'arithmetic': {
        const value = this.pureArithmetic(part.expression)
        return (process, base) => String(value(process, base))
      }
      case 'bad':
        return () => {
          throw badSubstitution(part.raw)
        }
      case 'parameter': {
        const { text } = this.#pureParameter(part, quoted)
        if (mode === 'plain') return text
        // What an unquoted expansion gives is pattern text; a quoted one's is not.
        return quoted ? (process, base) => inMode(text(process, base), true, mode) : text
      }
      case 'command':
      case 'process':
        throw new Error('a substitution is never pure')
      default:
        return part satisfies never
    }
  }

  /** A constant, or what adds the fields. */
  #pureFields(word: Word): string | FieldsOf {
    const [part] = word.parts
    if (word.parts.length === 1 && part !== undefined) {
      if (part.type === 'text' && part.text !== '' && (part.quoted || !/[*?[\\(]/.test(part.text))) return part.text
      if (part.type === 'double') {
        const constant = constantText(part)
        if (constant !== null) return constant
        if (part.parts.every((inner) => !isList(inner))) {
          const text = this.#pureText(part.parts, true, 'plain')
          return (process, out) => out.push(text(process, 0))
        }
      }
    }
    if (word.parts.every((one) => one.type === 'text' && (one.quoted || !/[*?[\\(]/.test(one.text)))) {
      const text = word.parts.map((one) => (one.type === 'text' ? one.text : '')).join('')
      // `{a,}` leaves a word that is nothing at all.
      if (text === '' && !word.parts.some((one) => one.type === 'text' && one.quoted)) return () => undefined
      return text
    }
    const pieces = word.parts.map((one) => this.#pureFragments(one, false, false))
    return (process, out) => {
      const fragments: Fragments = { texts: [], flags: [] }
      for (const piece of pieces) piece(process, 0, fragments)
      finishFields(process, fragments, out)
    }
  }

  /** `splitTexts`: unquoted texts are split too, as in the word of `${x:-word}`. */
  #pureFragments(part: WordPart, quoted: boolean, splitTexts: boolean): (process: Process, base: number, sink: Fragments) => void {
    switch (part.type) {
      case 'text': {
        const flag = quoted || part.quoted ? Piece.quoted : splitTexts ? Piece.split : 0
        return (_process, _base, { texts, flags }) => {
          texts.push(part.text)
          flags.push(flag)
        }
      }
      case 'double': {
        if (part.parts.length === 0) {
          return (_process, _base, { texts, flags }) => {
            texts.push('')
            flags.push(Piece.quoted)
          }
        }
        const pieces = part.parts.map((inner) => this.#pureFragments(inner, true, false))
        return (process, base, sink) => {
          for (const piece of pieces) piece(process, base, sink)
        }
      }
      case 'tilde':
        return (process, _base, { texts, flags }) => {
          texts.push(tilde(process, part.user))
          flags.push(Piece.quoted)
        }
      case 'arithmetic': {
        const value = this.pureArithmetic(part.expression)
        return (process, base, { texts, flags }) => {
          texts.push(String(value(process, base)))
          flags.push(quoted ? Piece.quoted : Piece.split)
        }
      }
      case 'bad':
        return () => {
          throw badSubstitution(part.raw)
        }
      case 'parameter':
        return this.#pureParameter(part, quoted).fragments
      case 'command':
      case 'process':
        throw new Error('a substitution is never pure')
      default:
        return part satisfies never
    }
  }

  #pureParameter(part: ParameterExpansion, quoted: boolean): ParameterCode {
    return compileParameter(part, quoted, {
      text: (word, mode) => this.#pureText(word.parts, false, mode),
      fragments: (word) => {
        const pieces = word.parts.map((inner) => this.#pureFragments(inner, quoted, true))
        return (process, base, sink) => {
          for (const piece of pieces) piece(process, base, sink)
        }
      },
      arithmetic: (word) => this.pureArithmetic(word),
    })
  }

  /** Emits code that leaves the text of the parts on the stack. */
  #emitText(assembler: Assembler, parts: readonly WordPart[], quoted: boolean, mode: TextMode): void {
    let count = 0
    for (const part of parts) {
      count += 1
      if (isPure([part])) {
        const text = this.#pureTextPart(part, quoted, mode)
        assembler.emit((process) => process.push(text(process, 0)))
        continue
      }
      this.#emitTextPart(assembler, part, quoted, mode)
    }
    if (count === 1) return
    assembler.emit((process) => {
      const texts = process.stack.splice(process.stack.length - count, count)
      process.push(texts.join(''))
    })
  }

  #emitTextPart(assembler: Assembler, part: WordPart, quoted: boolean, mode: TextMode): void {
    switch (part.type) {
      case 'double':
        this.#emitText(assembler, part.parts, true, mode)
        return
      case 'command':
      case 'process':
        this.#emitSubstitution(assembler, part)
        if (mode !== 'plain' && (quoted || part.type === 'process')) {
          assembler.emit((process) => process.push(inMode(process.popText(), true, mode)))
        }
        return
      case 'arithmetic': {
        this.#emitText(assembler, part.expression.parts, true, 'plain')
        assembler.emit((process) => process.push(String(runArithmetic(process, compileArithmetic(process.popText()), NO_SLOTS))))
        return
      }
      case 'parameter': {
        this.#emitParameter(assembler, part, quoted, (code, pushed) => {
          assembler.emit((process) => {
            const base = process.stack.length - pushed
            const text = code.text(process, base)
            process.stack.length = base
            process.push(quoted ? inMode(text, true, mode) : text)
          })
        })
        return
      }
      case 'text':
      case 'tilde':
      case 'bad':
        throw new Error('always pure')
      default:
        part satisfies never
    }
  }

  /** Emits code that adds the fields of a word to the array on top of the stack. */
  #emitFields(assembler: Assembler, word: Word): void {
    if (isPure(word.parts)) {
      const fields = this.fieldsAtOnce([word]) as FieldsOf
      assembler.emit((process) => {
        const out = process.pop() as string[]
        const before = out.length
        fields(process, out)
        for (let i = 0; i < process.globs.length; i++) if ((process.globs[i]?.at ?? 0) < before) throw new Error('a pattern left over')
        process.after(matchGlobs(process, out), 'a glob', (matched) => process.push(matched))
      })
      return
    }
    assembler.emit((process) => process.push({ texts: [], flags: [] }))
    for (const part of word.parts) this.#emitFragments(assembler, part, false, false)
    assembler.emit((process) => {
      const fragments = process.pop() as Fragments
      const out = process.pop() as string[]
      finishFields(process, fragments, out)
      process.after(matchGlobs(process, out), 'a glob', (matched) => process.push(matched))
    })
  }

  /** Emits code that adds a part's fragments to those on top of the stack. */
  #emitFragments(assembler: Assembler, part: WordPart, quoted: boolean, splitTexts: boolean): void {
    if (isPure([part])) {
      const fragments = this.#pureFragments(part, quoted, splitTexts)
      assembler.emit((process) => fragments(process, 0, process.stack.at(-1) as Fragments))
      return
    }
    switch (part.type) {
      case 'double':
        for (const inner of part.parts) this.#emitFragments(assembler, inner, true, false)
        return
      case 'command':
      case 'process': {
        this.#emitSubstitution(assembler, part)
        const flag = quoted || part.type === 'process' ? Piece.quoted : Piece.split
        assembler.emit((process) => addFragment(process, process.popText(), flag))
        return
      }
      case 'arithmetic':
        this.#emitTextPart(assembler, part, quoted, 'plain')
        assembler.emit((process) => addFragment(process, process.popText(), quoted ? Piece.quoted : Piece.split))
        return
      case 'parameter':
        this.#emitParameterFragments(assembler, part, quoted)
        return
      case 'text':
      case 'tilde':
      case 'bad':
        throw new Error('always pure')
      default:
        part satisfies never
    }
  }

  /** A parameter one of whose operand words has a substitution: the operands first, then `use` emits what takes them from the stack. */
  #emitParameter(
    assembler: Assembler,
    part: ParameterExpansion,
    quoted: boolean,
    use: (code: ParameterCode, pushed: number) => void,
  ): void {
    const { operation } = part
    if (needsPrompts(part)) assembler.emit((process) => process.after(loadPrompts(), 'prompts', () => undefined))
    if (operation !== null && isConditional(operation)) {
      this.#emitConditional(assembler, part, (push) => this.#emitText(assembler, push.parts, quoted, 'plain'), use)
      return
    }
    let pushed = 0
    const operand = (word: Word, mode: TextMode, inQuotes: boolean): TextOf => {
      if (isPure(word.parts)) return this.#pureText(word.parts, inQuotes, mode)
      this.#emitText(assembler, word.parts, inQuotes, mode)
      const index = pushed
      pushed += 1
      return (process, base) => process.stack[base + index] as string
    }
    const code = compileParameter(part, quoted, {
      text: (word, mode) => operand(word, mode, false),
      fragments: () => {
        throw new Error('conditional operations are emitted with jumps')
      },
      arithmetic: (word) => {
        if (isPure(word.parts)) return this.pureArithmetic(word)
        const text = operand(word, 'plain', true)
        return (process, base) => runArithmetic(process, compileArithmetic(text(process, base)), NO_SLOTS)
      },
    })
    use(code, pushed)
  }

  /** `${x:-$(…)}` and kin: the word is only expanded when it is needed. */
  #emitConditional(
    assembler: Assembler,
    part: ParameterExpansion,
    emitWord: (word: Word) => void,
    use: (code: ParameterCode, pushed: number) => void,
  ): void {
    const operation = part.operation as Extract<ParameterExpansion['operation'], { word: Word }>
    const done = assembler.label()
    const needed = assembler.label()
    const { operands, held } = this.#emitKey(assembler, part)
    const probe = compileParameter(part, false, operands)
    const plain = compileParameter({ ...part, operation: null }, false, operands)
    assembler.emit((process) => {
      if (probe.needsWord(process)) process.frame.counter = needed.at
    })
    if (operation.type !== 'alternate') use(plain, held)
    else
      assembler.emit((process) => {
        process.stack.length -= held
        process.push('')
      })
    assembler.jump(done)
    assembler.place(needed)
    emitWord(operation.word)
    const takes = operation.type === 'assign' || operation.type === 'error'
    if (takes || held > 0) {
      assembler.emit((process) => {
        const word = process.popText()
        const text = takes ? probe.takeWord(process, word) : word
        process.stack.length -= held
        process.push(text)
      })
    }
    assembler.place(done)
  }

  /** Operands for looking at a parameter: its subscript, which stays on top of the stack (`held` is 1) where it has a substitution. */
  #emitKey(assembler: Assembler, part: ParameterExpansion): { operands: typeof NO_OPERANDS; held: 0 | 1 } {
    const { subscript } = part
    if (subscript === null || typeof subscript !== 'object') return { operands: NO_OPERANDS, held: 0 }
    const pure = isPure(subscript.parts)
    if (!pure) this.#emitText(assembler, subscript.parts, false, 'plain')
    const key: TextOf = pure ? this.#pureText(subscript.parts, false, 'plain') : (process) => process.stack.at(-1) as string
    const none: TextOf = () => ''
    return { operands: { ...NO_OPERANDS, text: (word?: Word) => (word === subscript ? key : none) }, held: pure ? 0 : 1 }
  }

  #emitParameterFragments(assembler: Assembler, part: ParameterExpansion, quoted: boolean): void {
    const { operation } = part
    if (operation === null || !isConditional(operation)) {
      this.#emitParameter(assembler, part, quoted, (code, pushed) => {
        assembler.emit((process) => {
          const base = process.stack.length - pushed
          const sink = process.stack[base - 1] as Fragments
          code.fragments(process, base, sink)
          process.stack.length = base
        })
      })
      return
    }
    const done = assembler.label()
    const needed = assembler.label()
    const { operands, held } = this.#emitKey(assembler, part)
    const probe = compileParameter(part, quoted, operands)
    const plain = compileParameter({ ...part, operation: null }, quoted, operands)
    assembler.emit((process) => {
      if (probe.needsWord(process)) {
        process.frame.counter = needed.at
        return
      }
      if (operation.type !== 'alternate') plain.fragments(process, 0, process.stack.at(-1 - held) as Fragments)
      process.stack.length -= held
      if (operation.type === 'alternate' && quoted) addFragment(process, '', Piece.quoted)
    })
    assembler.jump(done)
    assembler.place(needed)
    if (operation.type === 'assign' || operation.type === 'error') {
      this.#emitText(assembler, operation.word.parts, quoted, 'plain')
      assembler.emit((process) => {
        const text = probe.takeWord(process, process.popText())
        process.stack.length -= held
        addFragment(process, text, quoted ? Piece.quoted : Piece.split)
      })
    } else {
      if (held > 0) assembler.emit((process) => void process.stack.pop())
      for (const inner of operation.word.parts) this.#emitFragments(assembler, inner, quoted, true)
    }
    assembler.place(done)
  }

  /** Emits code that leaves a substitution's text on the stack. */
  #emitSubstitution(assembler: Assembler, part: Extract<WordPart, { type: 'command' | 'process' }>): void {
    if (part.type === 'process') {
      const entry = this.#bodies.child(assembler, part.body)
      assembler.emit((process) => process.push(startProcessSubstitution(process, entry.at, part.direction)))
      return
    }
    if (typeof part.body === 'string') {
      const text = part.body
      assembler.emit((process) => startTextSubstitution(process, text, part.line))
      assembler.emit((process) => awaitSubstitution(process))
      return
    }
    const file = readsFile(part.body)
    if (file !== null) {
      this.pushText(assembler, file)
      assembler.emit((process) => {
        const path = process.popText()
        process.after(readWhole(process, path), `reading ${path}`, (bytes) => process.push(substituted(process, bytes)))
      })
      return
    }
    const entry = this.#bodies.child(assembler, part.body)
    assembler.emit((process) => startSubstitution(process, entry.at))
    assembler.emit((process) => awaitSubstitution(process))
  }
}

/** `${x@P}`: what resolves it may have to be loaded. */
function needsPrompts(part: ParameterExpansion): boolean {
  return part.operation?.type === 'transform' && part.operation.letter === 'P'
}

/** True where no part has to start a process, or wait for anything else. */
export function isPure(parts: readonly WordPart[]): boolean {
  return parts.every((part) => {
    switch (part.type) {
      case 'text':
      case 'tilde':
      case 'bad':
        return true
      case 'double':
        return isPure(part.parts)
      case 'command':
      case 'process':
        return false
      case 'arithmetic':
        return isPure(part.expression.parts)
      case 'parameter':
        return !needsPrompts(part) && operandsOf(part).every((word) => isPure(word.parts))
      default:
        return part satisfies never
    }
  })
}

function operandsOf(part: ParameterExpansion): Word[] {
  const words: Word[] = []
  if (part.subscript !== null && typeof part.subscript === 'object') words.push(part.subscript)
  const { operation } = part
  if (operation === null) return words
  switch (operation.type) {
    case 'default':
    case 'assign':
    case 'error':
    case 'alternate':
      words.push(operation.word)
      break
    case 'remove':
      words.push(operation.pattern)
      break
    case 'replace':
      words.push(operation.pattern)
      if (operation.replacement !== null) words.push(operation.replacement)
      break
    case 'slice':
      words.push(operation.offset)
      if (operation.length !== null) words.push(operation.length)
      break
    case 'case':
      if (operation.pattern !== null) words.push(operation.pattern)
      break
    case 'length':
    case 'transform':
    case 'names':
    case 'keys':
      break
    default:
      operation satisfies never
  }
  return words
}

type Conditional = Extract<ParameterExpansion['operation'], { type: 'default' | 'assign' | 'error' | 'alternate' }>

function isConditional(operation: NonNullable<ParameterExpansion['operation']>): operation is Conditional {
  return operation.type === 'default' || operation.type === 'assign' || operation.type === 'error' || operation.type === 'alternate'
}

const NO_OPERANDS = {
  text:
    (_word?: Word): TextOf =>
    () =>
      '',
  fragments: () => (): void => undefined,
  arithmetic: () => (): Integer => 0,
}

/** True for what may give several fields inside double quotes. */
function isList(part: WordPart): boolean {
  if (part.type !== 'parameter') return false
  if (part.name === '@' || part.name === '*' || part.subscript === '@' || part.subscript === '*' || part.indirect) return true
  const { operation } = part
  if (operation === null) return false
  if (operation.type === 'names' || operation.type === 'keys') return true
  return isConditional(operation) && operation.word.parts.some(mayBeList)
}

function mayBeList(part: WordPart): boolean {
  return part.type === 'double' ? part.parts.some(mayBeList) : isList(part)
}

function constantText(part: DoubleQuoted): string | null {
  let text = ''
  for (const inner of part.parts) {
    if (inner.type !== 'text') return null
    text += inner.text
  }
  return text
}

function addFragment(process: Process, text: string, flag: number): void {
  const sink = process.stack.at(-1) as Fragments
  sink.texts.push(text)
  sink.flags.push(flag)
}

/** A text as `mode` wants it: what is quoted must match only itself. */
function inMode(text: string, quoted: boolean, mode: TextMode): string {
  if (!quoted) return text
  switch (mode) {
    case 'plain':
      return text
    case 'pattern':
      return escapePattern(text)
    case 'regex':
      return text.replaceAll(/[\\^$.[\]|()?*+{}]/g, '\\$&')
    case 'replacement':
      return text.replaceAll(/[\\&]/g, '\\$&')
    default:
      return mode satisfies never
  }
}

/** `$(<file)`: the file's name. */
function readsFile(body: List): Word | null {
  const [item] = body.items
  if (body.items.length !== 1 || item === undefined || item.background || item.rest.length > 0) return null
  const { stages, negated, timed } = item.first
  const command = stages[0]?.command
  if (stages.length !== 1 || negated || timed !== 'no' || command?.type !== 'simple') return null
  const [redirect] = command.redirects
  if (command.words.length > 0 || command.assignments.length > 0 || command.redirects.length !== 1 || redirect === undefined) return null
  return redirect.operator === '<' && redirect.descriptor === null ? redirect.target : null
}

const PLAIN_INTEGER = /^(?:0|-?[1-9][0-9]{0,14})$/

/** Arithmetic text with a slot for each `$x` that stands alone; null where some part can't be one. */
function slotTemplate(expression: Word): { text: string; slots: ParameterExpansion[] } | null {
  let text = ''
  const slots: ParameterExpansion[] = []
  const parts = expression.parts.flatMap((part) => (part.type === 'double' ? part.parts : [part]))
  for (const [i, part] of parts.entries()) {
    if (part.type === 'text') {
      text += part.text
      continue
    }
    if (part.type !== 'parameter' || part.operation !== null || part.subscript !== null || part.indirect) return null
    if (part.name === '@' || part.name === '*') return null
    const next = parts[i + 1]
    if (/[A-Za-z0-9_#@$]$/.test(text) || (next !== undefined && (next.type !== 'text' || /^[A-Za-z0-9_#@[]/.test(next.text)))) return null
    text += `\u0000${String.fromCharCode(slots.length)}`
    slots.push(part)
  }
  return { text, slots }
}

function tryCompile(text: string): Arithmetic | null {
  try {
    return compileArithmetic(text)
  } catch {
    // The text with the values in place may still parse; if not, its own error is the one to show.
    return null
  }
}

/** What `~` and `~user` stand for. */
export function tilde(process: Process, user: string): string {
  switch (user) {
    case '':
      return readText(process, 'HOME') ?? '/home/user'
    case '+':
      return readText(process, 'PWD') ?? process.environment.cwd
    case '-':
      return readText(process, 'OLDPWD') ?? '~-'
    default: {
      const numbered = /^([+-]?)([0-9]+)$/.exec(user)
      if (numbered !== null) {
        const stack = [process.environment.cwd, ...process.environment.directories]
        const index = Number(numbered[2])
        return stack[numbered[1] === '-' ? stack.length - 1 - index : index] ?? `~${user}`
      }
      if (user === 'root') return '/root'
      return user === (readText(process, 'USER') ?? 'user') ? (readText(process, 'HOME') ?? '/home/user') : `~${user}`
    }
  }
}

/** False where the unquoted text of a word can't be a brace expression: `{}` and `{` alone are none. */
function hasBraces(word: Word): boolean {
  if (!word.raw.includes('{')) return false
  const text = word.parts.map((part) => (part.type === 'text' && !part.quoted ? part.text : ' ')).join('')
  const opening = text.indexOf('{')
  return opening >= 0 && /[,.]/.test(text.slice(opening))
}
