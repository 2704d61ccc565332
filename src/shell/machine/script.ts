import type { FunctionDefinition, ListItem, Word } from '../syntax/ast.ts'
import type { CompleteCommand, Parser } from '../syntax/parser.ts'
import { createParser, ShellSyntaxError } from '../syntax/parser.ts'
import { tooDeep } from './call.ts'
import { Compiler } from './compile-command.ts'
import type { TextOf } from './compile-word.ts'
import { isPure } from './compile-word.ts'
import type { ShellFunction } from './environment.ts'
import { ShellFault } from './fault.ts'
import { NotLoaded } from './lazy.ts'
import type { CompoundElement } from './parameters.ts'
import type { Frame, Process, Scope, Script } from './process.ts'
import type { Program, ProgramSettings } from './program.ts'
import { Assembler, fixedProgram } from './program.ts'

/** Code of a frame that reads a script: each time round it reads, compiles and enters one complete command. */
const READER: Program = fixedProgram('script', [readNext])

/** Starts running a text on top of what runs. */
export function enterScript(process: Process, source: string, origin: Script['origin'], line = 1, scope: Scope | null = null): Frame {
  if (process.frames.length > process.machine.limits.depth) throw tooDeep(process)
  return process.enter('script', READER, { scope, script: { source, origin, offset: 0, line } })
}

/** What a place in a text compiled to, under some settings. */
interface Step {
  readonly program: Program | null
  readonly next: number
  readonly line: number
}

const CACHED_TEXTS = 512
const CACHED_LENGTH = 8192
const cache = new Map<string, Map<number, Step>>()
/** Parsers under way: a script's text is read on from where it is. */
const parsers = new WeakMap<Script, { parser: Parser; base: number }>()

function readNext(process: Process): void {
  const { frame } = process
  frame.counter = 0
  const script = frame.script as Script
  const onlyOne = script.offset > 0 && process.environment.options.has('onecmd') && script.origin !== 'eval' && script.origin !== 'trap'
  if (onlyOne) process.exiting = true
  if (process.exiting && script.origin !== 'trap') {
    process.leave()
    return
  }
  const step = nextStep(process, script)
  if (step === null) return
  if (step.program === null) {
    process.leave()
    return
  }
  script.offset = step.next
  script.line = step.line
  if (process.environment.options.noexec) return
  process.enter('program', step.program)
}

/** The next complete command as code; null when it doesn't parse, which has been said, or when the process has to wait first. */
function nextStep(process: Process, script: Script): Step | null {
  const { environment } = process
  const { options } = environment
  const aliases = options.has('expand_aliases') && environment.aliases.size > 0
  const cacheable = !aliases && script.source.length <= CACHED_LENGTH && !options.has('verbose')
  const key = cacheable ? `${options.extglob ? 1 : 0}${options.posix ? 1 : 0}${options.has('braceexpand') ? 1 : 0}${script.source}` : ''
  let steps: Map<number, Step> | undefined
  if (cacheable) {
    steps = cache.get(key)
    const known = steps?.get(script.offset)
    if (known !== undefined && (script.offset > 0 || script.line === 1)) return known
  }
  let command: CompleteCommand | null
  try {
    let reading = parsers.get(script)
    if (reading === undefined) {
      reading = {
        parser: createParser(script.offset === 0 ? script.source : script.source.slice(script.offset), script.line),
        base: script.offset,
      }
      parsers.set(script, reading)
    }
    command = reading.parser.next({
      ...(aliases ? { alias: (name: string): string | undefined => environment.aliases.get(name) } : {}),
      extglob: options.extglob,
      posix: options.posix,
    })
    const { base } = reading
    const step: Step =
      command === null
        ? { program: null, next: script.source.length, line: script.line }
        : {
            program: new Compiler({
              extglob: options.extglob,
              posix: options.posix,
              braceexpand: options.has('braceexpand'),
            }).list(command.list),
            next: base + command.end,
            line: script.line + countNewlines(script.source, script.offset, base + command.end),
          }
    if (command !== null && options.has('verbose')) process.complain(script.source.slice(script.offset, step.next))
    if (command !== null)
      for (const warning of warningsOf(command))
        process.complain(`${environment.name}: line ${endLine(script, step.next)}: warning: ${warning}\n`)
    if (cacheable && script.line + script.offset >= 1 && (script.offset > 0 || script.line === 1)) remember(key, steps, script.offset, step)
    return step
  } catch (error) {
    if (error instanceof NotLoaded) {
      // Read again once it is there.
      parsers.delete(script)
      process.block(error.load(), 'a part of the shell', () => undefined)
      return null
    }
    if (!(error instanceof ShellSyntaxError)) throw error
    syntaxError(process, script, error)
    return null
  }
}

/** The line at which a text that ended too early was given up. */
function endLine(script: Script, end: number): number {
  return script.line + countNewlines(script.source, script.offset, end - 1)
}

function warningsOf(command: CompleteCommand): readonly string[] {
  return (command as { warnings?: readonly string[] }).warnings ?? []
}

function remember(key: string, steps: Map<number, Step> | undefined, offset: number, step: Step): void {
  if (steps !== undefined) {
    steps.set(offset, step)
    return
  }
  if (cache.size >= CACHED_TEXTS) cache.delete(cache.keys().next().value as string)
  cache.set(key, new Map([[offset, step]]))
}

function countNewlines(text: string, from: number, to: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

function syntaxError(process: Process, script: Script, error: ShellSyntaxError): void {
  const { environment } = process
  const part = script.origin === 'eval' ? 'eval: ' : script.origin === 'trap' ? 'trap: ' : ''
  const where = environment.interactive ? `${environment.name}: ` : `${process.scriptName()}: ${part}line ${error.line}: `
  process.complain(`${where}${error.message}\n`)
  if (error.message.startsWith('syntax error near unexpected token') && !environment.interactive) {
    process.complain(`${where}\`${lineOf(script, error.line)}'\n`)
  }
  process.machine.syntaxError ??= error
  process.status = 2
  process.leave()
}

/** A line of a script by its number. */
function lineOf(script: Script, line: number): string {
  const first = script.line - countNewlines(script.source, 0, script.offset)
  return script.source.split('\n')[line - first] ?? ''
}

/** Compiles the text of a function definition again, from a saved state or an exported function. */
export function compileFunction(source: string): FunctionDefinition {
  const command = createParser(source).next({ extglob: true })?.list.items[0]?.first.stages[0]?.command
  if (command?.type !== 'function') throw new ShellFault(`not a function definition: ${source.slice(0, 40)}`)
  return command
}

/** A program made again from its text and settings. */
export function compileProgram(kind: 'list' | 'function', text: string, settings: ProgramSettings): Program {
  if (kind === 'function') return new Compiler(settings).body(compileFunction(text))
  const parser = createParser(text)
  const items: ListItem[] = []
  for (let command = parser.next(settings); command !== null; command = parser.next(settings)) items.push(...command.list.items)
  return new Compiler(settings).list({ items })
}

/** A function made from its text. */
export function functionFromText(name: string, source: string, flags: { exported: boolean; readonly: boolean }): ShellFunction {
  let program: Program | null = null
  const compile = (): Program => {
    program ??= new Compiler().body(compileFunction(source))
    return program
  }
  return { name, source, program: null, compile, exported: flags.exported, readonly: flags.readonly, traced: false, file: 'main', line: 1 }
}

const texts = new Map<string, TextOf>()

/** Expands a text as inside double quotes. Command substitutions stay as they are written: nothing here can wait for them. */
export function expandText(process: Process, text: string): string {
  if (!/[$`\\]/.test(text)) return text
  // A backslash at the very end has nothing to quote.
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(text)) return `${expandText(process, text.slice(0, -1))}\\`
  return cachedText(`"${text}`, () => parseHereDocument(text), text)(process, 0)
}

/** Expands the subscript of an associative array. */
export function expandSubscript(process: Process, text: string): string {
  if (!/[$`\\"']/.test(text)) return text
  return cachedText(`[${text}`, () => parseSubscript(text), text)(process, 0)
}

function cachedText(key: string, parse: () => Word | null, text: string): TextOf {
  const known = texts.get(key)
  if (known !== undefined) return known
  let made: TextOf = () => text
  try {
    const word = parse()
    if (word !== null && isPure(word.parts)) made = new Compiler().words.text(new Assembler(), word) ?? made
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error
  }
  if (texts.size > 512) texts.clear()
  texts.set(key, made)
  return made
}

const MARK = 'END_OF_TEXT_TO_EXPAND'

function parseHereDocument(text: string): Word | null {
  const command = createParser(`: <<${MARK}\n${text}\n${MARK}\n`).next()?.list.items[0]?.first.stages[0]?.command
  const body = command?.redirects[0]?.hereDocument?.body ?? null
  if (body === null) return null
  // The newline before the delimiter isn't part of the text.
  const last = body.parts.at(-1)
  if (last?.type !== 'text' || !last.text.endsWith('\n')) return body
  return { ...body, parts: [...body.parts.slice(0, -1), { ...last, text: last.text.slice(0, -1) }] }
}

function parseSubscript(text: string): Word | null {
  const command = createParser(`x[${text}]=`).next()?.list.items[0]?.first.stages[0]?.command
  return command?.type === 'simple' ? (command.assignments[0]?.subscript ?? null) : null
}

/** The elements of `(…)`, the text of an array literal that came out of an expansion. */
export function parseElements(process: Process, text: string): CompoundElement[] {
  const command = createParser(`x=${text}`).next()?.list.items[0]?.first.stages[0]?.command
  const value = command?.type === 'simple' ? command.assignments[0]?.value : undefined
  if (value === undefined || !('elements' in value)) return []
  const { words } = new Compiler()
  const assembler = new Assembler()
  return value.elements.flatMap((element): CompoundElement[] => {
    if (element.subscript !== null) {
      const key = words.text(assembler, element.subscript)
      const elementText = words.text(assembler, element.value)
      return key === null || elementText === null
        ? []
        : [{ subscript: key(process, 0), text: elementText(process, 0), append: element.append }]
    }
    const fields = words.fieldsAtOnce([element.value])
    const out: string[] = []
    fields?.(process, out)
    process.globs = []
    return out.map((field) => ({ subscript: null, text: field, append: false }))
  })
}
