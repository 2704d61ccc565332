import type {
  ArithmeticCommand,
  ArithmeticFor,
  Assignment,
  Case,
  Command,
  Coprocess,
  For,
  FunctionDefinition,
  Group,
  If,
  List,
  ListItem,
  Pipeline,
  Redirect,
  Select,
  SimpleCommand,
  Stage,
  Subshell,
  While,
  Word,
} from '../syntax/ast.ts'
import { printCommand, printFunction, printList } from '../syntax/print.ts'
import {
  awaitPipeline,
  awaitSubshell,
  endLastStage,
  runsLastStage,
  startBackground,
  startCoprocess,
  startPipeline,
  startSubshell,
} from './children.ts'
import { assignPrepared, emitAssignments } from './compile-assignment.ts'
import type { BodyCompiler } from './compile-word.ts'
import { isPure, loadBraces, WordCompiler } from './compile-word.ts'
import { endLoop, keepLoopStatus, keepPipeStatus, nextTurn, startLoop } from './control.ts'
import { matchesPattern } from './fields.ts'
import { defineFunction } from './functions.ts'
import { lazy } from './lazy.ts'
import { assignScalar, isName, splitReference } from './parameters.ts'
import type { Process } from './process.ts'
import type { Label, Program, ProgramSettings } from './program.ts'
import { Assembler } from './program.ts'
import { redirect as applyRedirect, complainOfRedirection, redirectionFailed } from './redirect.ts'
import { arithmeticFailed, begin, debugTrap, errorTrap, evaluateText, trace, traceCommand } from './report.ts'
import { Attribute } from './variables.ts'

/** The menu of `select`. */
const selections = lazy(() => import('./select.ts'))
/** What `time` writes. */
const timings = lazy(() => import('./report-time.ts'))
/** Code for `[[ … ]]`. */
const tests = lazy(() => import('./compile-test.ts'))

/** Loads what compiling may ask for, so that it throws no NotLoaded. */
export async function loadCompiler(): Promise<void> {
  await Promise.all([tests.get(), loadBraces()])
}

/** Compiles trees to flat code. May throw NotLoaded for a part of its own. */
export class Compiler implements BodyCompiler {
  readonly words: WordCompiler = new WordCompiler(this)
  readonly #settings: ProgramSettings
  /** The failure of the command being compiled counts for nothing: it stands behind `!`. */
  #unchecked = false
  /** Failure counts for nothing where code is being emitted, whatever called it. */
  #inCondition = false

  constructor(settings: Partial<ProgramSettings> = {}) {
    this.#settings = { extglob: false, posix: false, braceexpand: true, ...settings }
  }

  /** A program that runs a list and leaves its frame. */
  list(list: List): Program {
    this.#inCondition = false
    this.#unchecked = false
    const assembler = new Assembler()
    this.#list(assembler, list)
    assembler.emit(leave)
    return { kind: 'list', settings: this.#settings, code: assembler.code, lines: assembler.lines, text: () => printList(list) }
  }

  /** A program for the body of a function. */
  body(definition: FunctionDefinition): Program {
    const assembler = new Assembler()
    this.#inCondition = false
    this.#unchecked = false
    assembler.line = definition.body.line
    this.#command(assembler, definition.body)
    assembler.emit(leave)
    return {
      kind: 'function',
      settings: this.#settings,
      code: assembler.code,
      lines: assembler.lines,
      text: () => printFunction(definition),
    }
  }

  get expandsBraces(): boolean {
    return this.#settings.braceexpand
  }

  child(assembler: Assembler, body: List): Label {
    return this.#child(assembler, () => this.#list(assembler, body))
  }

  /** Code of a child process, jumped over by its parent. */
  #child(assembler: Assembler, emitBody: () => void): Label {
    const over = assembler.label()
    const entry = assembler.label()
    const outer = this.#inCondition
    this.#inCondition = false
    assembler.jump(over)
    assembler.place(entry)
    emitBody()
    this.#inCondition = outer
    assembler.emit(leave)
    assembler.place(over)
    return entry
  }

  #list(assembler: Assembler, list: List): void {
    for (const item of list.items) this.#item(assembler, item)
  }

  #item(assembler: Assembler, item: ListItem): void {
    if (!item.background) {
      this.#andOr(assembler, item)
      return
    }
    assembler.line = item.first.line
    const entry = this.#child(assembler, () => this.#andOr(assembler, item))
    const text = (): string => printList({ items: [{ ...item, background: false }] })
    assembler.emit((process) => startBackground(process, entry.at, text))
  }

  #andOr(assembler: Assembler, item: ListItem): void {
    const last = item.rest.length
    for (let i = 0; i <= last; i++) {
      const part = i === 0 ? null : (item.rest[i - 1] as ListItem['rest'][number])
      const skip = assembler.label()
      if (part?.operator === '&&') assembler.jumpIfFailed(skip)
      if (part?.operator === '||') assembler.jumpIfSucceeded(skip)
      const pipeline = part === null ? item.first : part.pipeline
      if (i < last) this.#condition(assembler, () => this.#pipeline(assembler, pipeline))
      else this.#pipeline(assembler, pipeline)
      assembler.place(skip)
    }
  }

  /** Code whose failure neither ends the shell nor runs the ERR trap. */
  #condition(assembler: Assembler, emitBody: () => void): void {
    const outer = this.#inCondition
    this.#inCondition = true
    assembler.emit((process) => {
      process.conditionDepth += 1
    })
    emitBody()
    assembler.emit((process) => {
      process.conditionDepth -= 1
    })
    this.#inCondition = outer
  }

  /** The test of `if` and `while`. Expressions run no commands, so nothing has to know that they are a condition. */
  #test(assembler: Assembler, list: List): void {
    if (!list.items.every(isExpression)) {
      this.#condition(assembler, () => this.#list(assembler, list))
      return
    }
    const outer = this.#inCondition
    this.#inCondition = true
    this.#list(assembler, list)
    this.#inCondition = outer
  }

  #pipeline(assembler: Assembler, pipeline: Pipeline): void {
    assembler.line = pipeline.line
    if (pipeline.timed === 'no') {
      this.#negatable(assembler, pipeline)
      return
    }
    const posix = pipeline.timed === 'time -p'
    assembler.emit((process) => process.push(process.machine.host.elapsed()))
    this.#negatable(assembler, pipeline)
    assembler.emit((process) => {
      const took = process.machine.host.elapsed() - (process.pop() as number)
      process.after(timings.get(), 'time', ({ reportTime }) => reportTime(process, took, posix))
    })
  }

  #negatable(assembler: Assembler, pipeline: Pipeline): void {
    if (!pipeline.negated) {
      this.#stages(assembler, pipeline)
      return
    }
    this.#unchecked = true
    // As in bash, `! f` keeps errexit from acting in `f` only where it is on already.
    assembler.emit((process) => {
      const surrounds = process.environment.options.errexit ? 1 : 0
      process.conditionDepth += surrounds
      process.push(surrounds)
    })
    this.#stages(assembler, pipeline)
    assembler.emit((process) => {
      process.conditionDepth -= process.pop() as number
    })
    this.#unchecked = false
    const type = pipeline.stages.length === 1 ? pipeline.stages[0]?.command.type : undefined
    const expression = type === 'test' || type === 'arithmetic'
    assembler.emit((process) => {
      if (!expression) keepPipeStatus(process)
      process.status = process.status === 0 ? 1 : 0
    })
  }

  #stages(assembler: Assembler, pipeline: Pipeline): void {
    const { stages } = pipeline
    const [only] = stages
    if (only === undefined) {
      assembler.emit(succeed)
      return
    }
    if (stages.length === 1) {
      this.#command(assembler, only.command)
      return
    }
    const join = assembler.label()
    const last = stages.at(-1) as Stage
    const entries = stages.slice(0, -1).map((stage) => this.#child(assembler, () => this.#command(assembler, stage.command)))
    entries.push(this.#lastStage(assembler, last.command, join))
    const errorsToo = stages.map((stage) => stage.errorsToo)
    const text = (): string => printList({ items: [{ first: pipeline, rest: [], background: false }] })
    for (const stage of stages) {
      const { command } = stage
      if (command.type !== 'simple') continue
      assembler.line = command.line
      const text = commandText(command)
      assembler.emit((process) => {
        if (stage !== last || !runsLastStage(process)) begin(process, text)
      })
    }
    assembler.line = pipeline.line
    assembler.emit((process) =>
      startPipeline(
        process,
        entries.map((entry) => entry.at),
        errorsToo,
        text,
      ),
    )
    assembler.place(join)
    assembler.emit(awaitPipeline)
    this.#check(assembler)
  }

  /** Code of the last stage, which a child runs, or under `lastpipe` the shell itself. */
  #lastStage(assembler: Assembler, command: Command, join: Label): Label {
    const over = assembler.label()
    const entry = assembler.label()
    assembler.jump(over)
    assembler.place(entry)
    this.#command(assembler, command)
    assembler.emit((process) => endLastStage(process, join.at))
    assembler.place(over)
    return entry
  }

  #command(assembler: Assembler, command: Command): void {
    assembler.line = command.line
    if (command.type === 'simple') {
      this.#simple(assembler, command)
      return
    }
    if (command.type === 'subshell') {
      this.#subshell(assembler, command)
      return
    }
    if (command.redirects.length === 0 || command.type === 'function' || command.type === 'coproc') {
      this.#compound(assembler, command)
      return
    }
    const end = assembler.label()
    const failed = assembler.label()
    assembler.emit((process) => process.push(process.undo.length))
    this.#redirects(assembler, command.redirects, failed)
    this.#compound(assembler, command)
    assembler.jump(end)
    assembler.place(failed)
    this.#check(assembler)
    assembler.place(end)
    assembler.emit((process) => process.restore(process.pop() as number))
  }

  #compound(assembler: Assembler, command: Exclude<Command, SimpleCommand | Subshell>): void {
    switch (command.type) {
      case 'group':
        this.#group(assembler, command)
        return
      case 'if':
        this.#if(assembler, command)
        return
      case 'for':
        this.#for(assembler, command)
        return
      case 'arithmetic-for':
        this.#arithmeticFor(assembler, command)
        return
      case 'while':
        this.#while(assembler, command)
        return
      case 'case':
        this.#case(assembler, command)
        return
      case 'select':
        this.#select(assembler, command)
        return
      case 'arithmetic':
        this.#arithmetic(assembler, command)
        return
      case 'test':
        this.#prologue(assembler, command)
        tests.demand().emitTest(assembler, command.expression, this.words)
        this.#check(assembler)
        return
      case 'function':
        this.#function(assembler, command)
        return
      case 'coproc':
        this.#coprocess(assembler, command)
        return
      default:
        command satisfies never
    }
  }

  #group(assembler: Assembler, command: Group): void {
    this.#list(assembler, command.body)
  }

  #subshell(assembler: Assembler, command: Subshell): void {
    const entry = this.#child(assembler, () => {
      const end = assembler.label()
      this.#redirects(assembler, command.redirects, end)
      this.#list(assembler, command.body)
      assembler.place(end)
    })
    const text = commandText(command)
    assembler.emit((process) => startSubshell(process, entry.at))
    assembler.emit((process) => awaitSubshell(process, text))
    this.#check(assembler)
  }

  #if(assembler: Assembler, command: If): void {
    const end = assembler.label()
    for (const { test, body } of command.clauses) {
      const next = assembler.label()
      this.#test(assembler, test)
      assembler.jumpIfFailed(next)
      this.#list(assembler, body)
      assembler.jump(end)
      assembler.place(next)
    }
    if (command.otherwise === null) assembler.emit(succeed)
    else this.#list(assembler, command.otherwise)
    assembler.place(end)
  }

  /** Starts a loop: its record is on the frame until `end`. */
  #loop(assembler: Assembler, next: Label, end: Label, takesItems: boolean): void {
    assembler.emit((process) => startLoop(process, next.at, end.at, takesItems ? (process.pop() as string[]) : []))
  }

  #endLoop(assembler: Assembler, end: Label): void {
    assembler.place(end)
    assembler.emit((process) => endLoop(process))
  }

  #for(assembler: Assembler, command: For): void {
    const next = assembler.label()
    const end = assembler.label()
    const { name, words } = command
    if (!isName(name)) {
      assembler.emit((process) => {
        process.complain(`${process.messagePrefix()}\`${name}': not a valid identifier\n`)
        process.status = 1
      })
      return
    }
    if (words === null) assembler.emit((process) => process.push(process.environment.positional.slice()))
    else this.words.pushFields(assembler, words)
    this.#loop(assembler, next, end, true)
    assembler.place(next)
    const traced = (): string => `for ${name} in ${words === null ? '"$@"' : words.map((word) => word.raw).join(' ')}`
    assembler.emit((process) => {
      const loop = process.frame.loops.at(-1) as (typeof process.frame.loops)[number]
      if (loop.index >= loop.items.length) {
        process.frame.counter = end.at
        return
      }
      if (process.environment.traps.size > 0 && debugTrap(process, traced)) return
      if (process.environment.options.xtrace) trace(process, traced())
      assignLoopVariable(process, name, loop.items[loop.index] as string)
      loop.index += 1
    })
    this.#list(assembler, command.body)
    assembler.emit((process) => nextTurn(process, next.at))
    this.#endLoop(assembler, end)
  }

  #arithmeticFor(assembler: Assembler, command: ArithmeticFor): void {
    const next = assembler.label()
    const end = assembler.label()
    const top = assembler.label()
    this.#value(assembler, command.init, command.line, () => undefined)
    this.#loop(assembler, next, end, false)
    assembler.place(top)
    this.#value(assembler, command.test, command.line, (process, value) => {
      if (value === 0) process.frame.counter = end.at
    })
    this.#list(assembler, command.body)
    assembler.emit((process) => keepLoopStatus(process))
    assembler.place(next)
    this.#value(assembler, command.step, command.line, () => undefined)
    assembler.jump(top)
    this.#endLoop(assembler, end)
  }

  /** Evaluates one of the three expressions of a C-style `for`. */
  #value(assembler: Assembler, expression: Word | null, line: number, use: (process: Process, value: number | bigint) => void): void {
    if (expression === null) return
    assembler.line = line
    const raw = expression.raw.trim()
    const value = this.words.arithmetic(assembler, expression)
    const text = (): string => `((${raw}))`
    assembler.emit((process) => {
      if (process.environment.traps.size > 0 && debugTrap(process, text)) return
      if (process.environment.options.xtrace) trace(process, `(( ${raw} ))`)
      const result = value === null ? evaluateText(process, process.popText()) : value(process, 0)
      use(process, result)
    })
  }

  #while(assembler: Assembler, command: While): void {
    const next = assembler.label()
    const end = assembler.label()
    this.#loop(assembler, next, end, false)
    assembler.place(next)
    this.#test(assembler, command.test)
    if (command.until) assembler.jumpIfSucceeded(end)
    else assembler.jumpIfFailed(end)
    this.#list(assembler, command.body)
    assembler.emit((process) => nextTurn(process, next.at))
    this.#endLoop(assembler, end)
  }

  #case(assembler: Assembler, command: Case): void {
    const end = assembler.label()
    const traced = (): string => `case ${command.word.raw} in `
    assembler.emit((process) => {
      if (process.environment.traps.size > 0 && debugTrap(process, traced)) return
      if (process.environment.options.xtrace) trace(process, traced().trimEnd())
    })
    this.words.pushText(assembler, command.word)
    const bodies = command.clauses.map(() => assembler.label())
    const tests = command.clauses.map(() => assembler.label())
    for (const [i, clause] of command.clauses.entries()) {
      const body = bodies[i] as Label
      assembler.place(tests[i] as Label)
      for (const word of clause.patterns) {
        const text = this.words.text(assembler, word, 'pattern')
        assembler.emit((process) => {
          const pattern = text === null ? process.popText() : text(process, 0)
          if (matchesPattern(process, pattern, process.stack.at(-1) as string)) process.frame.counter = body.at
        })
      }
      const after = tests[i + 1] ?? null
      const skip = assembler.label()
      assembler.jump(after ?? skip)
      assembler.place(body)
      if (clause.body.items.length === 0) assembler.emit(succeed)
      else this.#list(assembler, clause.body)
      const following = bodies[i + 1]
      if (clause.terminator === ';&' && following !== undefined) assembler.jump(following)
      else if (clause.terminator === ';;&' && after !== null) assembler.jump(after)
      else assembler.jump(end)
      assembler.place(skip)
    }
    assembler.emit(succeed)
    assembler.place(end)
    assembler.emit((process) => {
      process.stack.pop()
    })
  }

  #select(assembler: Assembler, command: Select): void {
    const next = assembler.label()
    const end = assembler.label()
    if (command.words === null) assembler.emit((process) => process.push(process.environment.positional.slice()))
    else this.words.pushFields(assembler, command.words)
    this.#loop(assembler, next, end, true)
    assembler.place(next)
    assembler.emit((process) => process.after(selections.get(), 'select', ({ askSelection }) => askSelection(process)))
    assembler.emit((process) => {
      process.after(selections.get(), 'select', ({ takeSelection }) => {
        if (takeSelection(process, command.name)) return
        process.frame.counter = process.status === 0 ? next.at : end.at
      })
    })
    this.#list(assembler, command.body)
    assembler.emit((process) => nextTurn(process, next.at))
    this.#endLoop(assembler, end)
  }

  #arithmetic(assembler: Assembler, command: ArithmeticCommand): void {
    this.#prologue(assembler, command)
    const raw = command.expression.raw
    const value = this.words.arithmetic(assembler, command.expression)
    assembler.emit((process) => {
      if (process.environment.options.xtrace) trace(process, `(( ${raw} ))`)
      process.environment.pipeStatus = null
      try {
        const result = value === null ? evaluateText(process, process.popText()) : value(process, 0)
        process.status = Number(result) !== 0 ? 0 : 1
      } catch (error) {
        arithmeticFailed(process, error, '((: ')
      }
    })
    this.#check(assembler)
  }

  #function(assembler: Assembler, command: FunctionDefinition): void {
    let program: Program | null = null
    const compile = (): Program => {
      program ??= this.body(command)
      return program
    }
    let source: string | null = null
    const text = (): string => {
      source ??= printFunction(command)
      return source
    }
    assembler.emit((process) => defineFunction(process, command, compile, text))
  }

  #coprocess(assembler: Assembler, command: Coprocess): void {
    const entry = this.#child(assembler, () => this.#command(assembler, command.body))
    const text = (): string => `coproc ${command.name} ${printCommand(command.body)}`
    assembler.emit((process) => startCoprocess(process, entry.at, command.name, text))
  }

  /** Notes the command for BASH_COMMAND and runs the DEBUG trap before it. */
  #prologue(assembler: Assembler, command: Command): void {
    const text = commandText(command)
    assembler.emit((process) => {
      begin(process, text)
    })
  }

  #check(assembler: Assembler): void {
    if (this.#unchecked) {
      this.#unchecked = false
      return
    }
    if (!this.#inCondition) assembler.emit(checkFailure)
  }

  #simple(assembler: Assembler, command: SimpleCommand): void {
    if (command.words.length === 0) {
      this.#assignmentsOnly(assembler, command)
      this.#check(assembler)
      return
    }
    const text = commandText(command)
    const declares = declaration(command.words)
    if (command.assignments.length === 0 && command.redirects.length === 0 && declares === null) {
      const fields = this.words.fieldsAtOnce(command.words)
      if (fields !== null) {
        assembler.emit((process) => {
          if (begin(process, text) || isSkipped(process)) return
          const args: string[] = []
          fields(process, args)
          if (process.globs.length === 0) process.machine.runtime.invoke(process, args)
          else process.machine.runtime.invokeMatched(process, args)
        })
        this.#check(assembler)
        return
      }
    }
    const after = assembler.label()
    assembler.emit((process) => {
      if (!begin(process, text) && isSkipped(process)) process.frame.counter = after.at
    })
    assembler.emit((process) => {
      process.substitutionStatus = null
      process.push(process.undo.length)
    })
    if (declares === null) this.words.pushFields(assembler, command.words)
    else this.#pushDeclaration(assembler, command.words, declares)
    const failed = assembler.label()
    const end = assembler.label()
    if (command.redirects.length > 0 && command.assignments.length === 0) assembler.emit(traceEarly)
    this.#redirects(assembler, command.redirects, failed)
    if (command.assignments.length > 0) emitAssignments(assembler, command.assignments, this.words, 'temporary')
    assembler.emit((process) => process.machine.runtime.invoke(process, process.pop() as string[]))
    assembler.jump(end)
    assembler.place(failed)
    assembler.emit((process) => {
      process.stack.pop()
      process.traced = false
      redirectionFailed(process, command.words[0])
    })
    assembler.place(end)
    assembler.emit(endSimple)
    this.#check(assembler)
    assembler.place(after)
  }

  #assignmentsOnly(assembler: Assembler, command: SimpleCommand): void {
    const text = commandText(command)
    if (command.redirects.length === 0) {
      const at = assembler.code.length
      assembler.emit((process) => {
        process.substitutionStatus = null
        if (process.environment.traps.size > 0) begin(process, text)
      })
      const pure = emitAssignments(assembler, command.assignments, this.words, 'shell')
      if (pure !== null) {
        // Nothing had to be emitted: one instruction does it all.
        assembler.code.length = at
        assembler.lines.length = at
        assembler.emit((process) => {
          if (process.environment.traps.size > 0 && begin(process, text)) return
          process.substitutionStatus = 0
          pure(process)
          process.status = process.substitutionStatus ?? 0
          process.environment.pipeStatus = null
        })
        return
      }
      assembler.emit((process) => {
        process.status = process.substitutionStatus ?? 0
        process.environment.pipeStatus = null
      })
      return
    }
    const end = assembler.label()
    assembler.emit((process) => {
      process.substitutionStatus = null
      process.push(process.undo.length)
    })
    const pure = emitAssignments(assembler, command.assignments, this.words, 'shell')
    if (pure !== null) assembler.emit(pure)
    this.#redirects(assembler, command.redirects, end)
    assembler.emit((process) => {
      process.status = process.substitutionStatus ?? 0
      process.environment.pipeStatus = null
    })
    assembler.place(end)
    assembler.emit((process) => process.restore(process.pop() as number))
  }

  /** Arguments of `declare` and kin: those that are assignments are neither split nor globbed, and arrays are put aside. */
  #pushDeclaration(assembler: Assembler, words: readonly Word[], from: number): void {
    this.words.pushFields(assembler, words.slice(0, from))
    for (const word of words.slice(from)) {
      const { assignment } = word
      if (assignment === undefined) {
        this.words.pushFields(assembler, [word])
        assembler.emit((process) => {
          const more = process.pop() as string[]
          const all = process.pop() as string[]
          process.push(all.concat(more))
        })
        continue
      }
      const expanded = 'elements' in assignment.value ? [] : this.words.braces(word)
      if (expanded.length < 2) this.#pushAssignmentArgument(assembler, assignment)
      for (const one of expanded.length < 2 ? [] : expanded) {
        this.words.pushText(assembler, one)
        assembler.emit((process) => {
          const text = process.popText()
          const args = process.pop() as string[]
          process.push([...args, text])
        })
      }
    }
  }

  #pushAssignmentArgument(assembler: Assembler, assignment: Assignment): void {
    if ('elements' in assignment.value) {
      assignPrepared(assembler, assignment, assignment.value, this.words)
      return
    }
    const operator = assignment.append ? '+=' : '='
    const prefix = assignment.subscript === null ? assignment.name : `${assignment.name}[${assignment.subscript.raw}]`
    this.words.pushText(assembler, assignment.value)
    assembler.emit((process) => {
      const value = process.popText()
      const args = process.pop() as string[]
      args.push(`${prefix}${operator}${value}`)
      process.push(args)
    })
  }

  /** Emits redirections; when one fails its message is shown, the status is 1, and code goes on at `failed`. */
  #redirects(assembler: Assembler, redirects: readonly Redirect[], failed: Label): void {
    for (const redirect of redirects) {
      const before = assembler.line
      assembler.line = redirect.line
      if (redirect.hereDocument !== null) this.words.pushText(assembler, redirect.hereDocument.body)
      else if (redirect.operator === '<<<') this.words.pushText(assembler, redirect.target)
      else this.words.pushFields(assembler, [redirect.target])
      assembler.emit((process) => {
        const fail = (error: unknown): void => {
          complainOfRedirection(process, error)
          process.status = 1
          process.frame.counter = failed.at
        }
        try {
          const operand = process.pop() as string | string[]
          const opened = applyRedirect(process, redirect, operand)
          if (opened !== undefined) {
            process.block(
              opened.then(
                (apply) => apply,
                (error: unknown) => () => fail(error),
              ),
              'opening a file',
              (apply) => apply(),
            )
          }
        } catch (error) {
          fail(error)
        }
      })
      assembler.line = before
    }
  }
}

const DECLARING: ReadonlySet<string> = new Set(['declare', 'typeset', 'local', 'export', 'readonly'])

/** Where the arguments of a declaring command start; null where the command is none, or no argument is an assignment. */
function declaration(words: readonly Word[]): number | null {
  if (!words.some((word) => word.assignment !== undefined)) return null
  return DECLARING.has((words[0] as Word).raw) ? 1 : null
}

function commandText(command: Command): () => string {
  let text: string | null = null
  return () => {
    text ??= printCommand(command)
    return text
  }
}

/** A `for` over a name reference points it to each name in turn. */
function assignLoopVariable(process: Process, name: string, item: string): void {
  const { variables } = process.environment
  const known = variables.get(name)
  if (known !== undefined && (known.attributes & Attribute.nameref) !== 0 && isName(splitReference(item).name)) {
    variables.writable(name).value = item
  } else assignScalar(process, name, item)
}

/** Under extdebug the DEBUG trap has said no to the command. */
function isSkipped(process: Process): boolean {
  const { skipped } = process
  process.skipped = false
  return skipped
}

/** Shows a command under `set -x` before its redirections take effect. */
function traceEarly(process: Process): void {
  if (!process.environment.options.xtrace) return
  traceCommand(process, process.stack.at(-1) as string[])
  process.traced = true
}

function leave(process: Process): void {
  process.leave()
}

function succeed(process: Process): void {
  keepPipeStatus(process)
  process.status = 0
}

function endSimple(process: Process): void {
  const height = process.pop() as number
  if (process.keepRedirections) {
    process.keepRedirections = false
    process.keep(height)
  } else process.restore(height)
}

/** A list item that is one `((…))` or `[[…]]` without redirections or substitutions. */
function isExpression(item: ListItem): boolean {
  if (item.background || item.rest.length > 0 || item.first.stages.length !== 1 || item.first.timed !== 'no') return false
  const command = item.first.stages[0]?.command
  if (command === undefined || command.redirects.length > 0) return false
  return command.type === 'arithmetic' ? isPure(command.expression.parts) : command.type === 'test'
}

/** A command has ended where failure counts: runs the ERR trap, then ends the shell under errexit. */
function checkFailure(process: Process): void {
  if (process.status === 0 || process.conditionDepth !== 0) return
  if (process.environment.traps.size > 0 && errorTrap(process)) return
  if (process.environment.options.errexit) process.machine.exit(process, process.status)
}
