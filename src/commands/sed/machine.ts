import type { Block } from '../text-blocks.ts'
import { CommandFailure } from '../utility.ts'
import type { SedInput } from './input.ts'
import { LineCursor } from './line-cursor.ts'
import type { SedOutput } from './output.ts'
import { PatternSpace } from './pattern-space.ts'
import type { SedAddress, SedCommand, SedPattern, SedScript, SedSubstitution } from './script.ts'
import type { Opening } from './script-shape.ts'
import { countsLines, NO_OPENING, openingOf, watchedCommands } from './script-shape.ts'
import { substitute } from './substitute.ts'
import { unambiguous } from './unambiguous.ts'

export interface MachineOptions {
  readonly silent: boolean
  readonly posix: boolean
  /** Where `l` breaks lines; 0 for nowhere. */
  readonly width: number
  readonly terminator: '\n' | '\0'
  /** What messages about a pattern that was empty begin with. */
  readonly where: string
  /** The output that a file of `w` stands for. */
  readonly outputOf: (file: string) => SedOutput
}

/** What stands in the queue of `a`, `r` and `R`. */
export type Appended = { readonly text: string } | { readonly file: string; readonly oneLine: boolean }

/**
 * What the machine stopped for: 'more', it must be known whether there is another line; 'file', the next file is to be
 * begun, or all is done; 'append', the queue is to be written; 'rest', output may be written and others get their turn; 'quit'.
 */
export type Stop = 'more' | 'file' | 'append' | 'rest' | 'quit'

/** Commands between two stops. */
const TURN = 20_000

/** Runs a script over lines, without ever waiting: it stops, and goes on where it stopped. */
export class SedMachine {
  output: SedOutput
  status = 0
  appended: Appended[] = []
  readonly #commands: readonly SedCommand[]
  readonly #input: SedInput
  readonly #options: MachineOptions
  readonly #ranges: Range[]
  /** The command it goes on with; BEFORE a cycle, AFTER one, or once what that queued is DUMPED. */
  #pc = BEFORE
  readonly #space = new PatternSpace()
  #hold = ''
  #holdTerminated = true
  #substituted = false
  /** `D` has left something: the next cycle reads no line. */
  #kept = false
  #quitting = false
  /** `n` has printed the pattern space and stopped before it went on. */
  #printed = false
  #last: SedPattern = null
  readonly #cursors = new Map<SedPattern, LineCursor | null>()
  /** What the script begins with, done to a whole block when it comes; the cycles begin behind it. */
  readonly #opening: Opening
  /** Where lines that were passed over ended. */
  #passedTo = 0
  /** The block to which that was done. */
  #opened: Block | null = null
  /** Commands that decide whether anything is done with a line; null where that can't be said from their addresses. */
  readonly #watched: readonly number[] | null
  readonly #countsLines: boolean

  constructor(script: SedScript, input: SedInput, output: SedOutput, options: MachineOptions) {
    this.#commands = script.commands
    this.#input = input
    this.output = output
    this.#options = options
    this.#ranges = script.commands.map(({ from }) => newRange(from))
    this.#opening = options.terminator === '\n' ? openingOf(script.commands) : NO_OPENING
    this.#watched = options.terminator === '\n' ? watchedCommands(script.commands, this.#opening.count) : null
    this.#countsLines = script.commands.some(countsLines)
  }

  /** Ranges begin anew, and nothing is held, as with each separate file. */
  reset(): void {
    this.#hold = ''
    this.#holdTerminated = true
    this.#commands.forEach(({ from }, index) => {
      this.#ranges[index] = newRange(from)
    })
  }

  /** Before the first line: what `0r` reads is to be written. */
  prologue(): void {
    for (const { from, action } of this.#commands) {
      if (from?.type === 'line' && from.line === 0 && action.type === 'r') this.appended.push({ file: action.file, oneLine: false })
    }
  }

  run(): Stop {
    for (let turn = 0; turn < TURN; turn++) {
      if (this.#pc === AFTER || this.#pc >= this.#commands.length) {
        const stop = this.#endCycle()
        if (stop !== null) return stop
      }
      if (this.#pc === DUMPED) {
        if (this.#quitting) {
          this.output.raw('')
          return 'quit'
        }
        this.#pc = BEFORE
      }
      if (this.#pc === BEFORE) {
        if (this.#kept) this.#kept = false
        else {
          const { next } = this.#input
          if (next !== 'line') return next === 'none' ? 'file' : 'more'
          if (this.#opening.count > 0) this.#open()
          const { nextStart } = this.#input
          if (this.#watched !== null && this.#skip(this.#watched)) {
            // Much may have been passed over at once.
            turn += this.#passedTo - nextStart
            continue
          }
          this.#input.take()
          this.#space.take(this.#input.block, this.#input.start, this.#input.end)
          this.#space.terminated = this.#input.terminated
          this.#substituted = false
        }
        this.#pc = this.#opening.count
        if (this.#pc >= this.#commands.length) continue
      }
      const command = this.#commands[this.#pc] as SedCommand
      if (needsNext(command) && this.#input.next === 'unknown') return 'more'
      if (this.#applies(command, this.#pc) === command.negated) {
        this.#pc += 1
        continue
      }
      const stop = this.#execute(command)
      if (stop !== null) return stop
    }
    return 'rest'
  }

  /** Passes over lines that no command applies to; false where the next one may be wanted. */
  #skip(watched: readonly number[]): boolean {
    const input = this.#input
    const { block, nextStart: start } = input
    const { text } = block
    let wanted = text.length + 1
    for (const at of watched) {
      const { from, to } = this.#commands[at] as SedCommand
      const range = this.#ranges[at] as Range
      if (range.active) return false
      if (from?.type === 'pattern') {
        const cursor = from.pattern === null ? null : this.#cursorOf(from.pattern)
        if (cursor === null) return false
        wanted = Math.min(wanted, cursor.next(block, start))
      } else if (from?.type === 'last') wanted = Math.min(wanted, text.lastIndexOf('\n') + 1)
      else if (from?.type === 'line') {
        const last = to === null ? from.line : Number.POSITIVE_INFINITY
        if (!range.closed && input.lineNumber < last) return false
      }
    }
    const line = wanted > text.length ? wanted : wanted === 0 ? 0 : text.lastIndexOf('\n', wanted - 1) + 1
    if (line <= start) return false
    input.skip(line, this.#countsLines)
    this.#passedTo = line
    if (!this.#options.silent) this.output.part(block, start, line - 1, input.terminated)
    return true
  }

  /** Does the opening to a block that has just come. */
  #open(): void {
    const { changes, last } = this.#opening
    this.#last = last ?? this.#last
    const { block } = this.#input
    if (block === this.#opened) return
    let { text } = block
    for (const change of changes) text = change(text)
    if (text !== block.text) this.#input.block = { ...block, text, aligned: false }
    this.#opened = this.#input.block
  }

  /** The pattern space is printed and the queue written. */
  #endCycle(): Stop | null {
    if (this.#pc !== AFTER && !this.#options.silent) this.#print(this.output)
    this.#pc = AFTER
    return this.#dump(DUMPED)
  }

  /** Writes the queue; where that takes reading, the machine stops, to go on at `pc`. */
  #dump(pc: number): Stop | null {
    this.#pc = pc
    if (this.appended.length === 0) return null
    if (this.appended.some((entry) => 'file' in entry)) return 'append'
    for (const entry of this.appended) if ('text' in entry) this.output.raw(entry.text)
    this.appended = []
    return null
  }

  #printFirst(to: SedOutput): void {
    const space = this.#space
    const end = space.firstEnd(this.#options.terminator)
    if (end < 0) this.#print(to)
    else if (space.block === null) to.line(space.text.slice(0, end), true)
    else to.part(space.block, space.start, end, true)
  }

  #print(to: SedOutput): void {
    const space = this.#space
    if (space.block === null) to.line(space.text, space.terminated)
    else to.part(space.block, space.start, space.end, space.terminated)
  }

  #execute(command: SedCommand): Stop | null {
    const { action } = command
    const at = this.#pc
    this.#pc += 1
    switch (action.type) {
      case '{':
      case 'b':
        this.#pc = action.target
        return null
      case 't':
        if (this.#substituted) this.#pc = action.target
        this.#substituted = false
        return null
      case 'T':
        if (!this.#substituted) this.#pc = action.target
        this.#substituted = false
        return null
      case '=':
        this.output.raw(`${this.#input.lineNumber}\n`)
        return null
      case 'a':
        this.appended.push({ text: action.text })
        return null
      case 'i':
        if (action.text !== '') this.output.raw(action.text)
        return null
      case 'c':
        if ((command.to === null || command.negated || !(this.#ranges[at] as Range).active) && action.text !== '')
          this.output.raw(action.text)
        this.#pc = AFTER
        return null
      case 'd':
        this.#pc = AFTER
        return null
      case 'D':
        this.#kept = this.#space.dropFirst(this.#options.terminator)
        this.#pc = AFTER
        return null
      case 'F':
        this.output.raw(`${this.#input.fileName}\n`)
        return null
      case 'g':
        this.#space.text = this.#hold
        this.#space.terminated = this.#holdTerminated
        return null
      case 'G':
        this.#space.text += this.#options.terminator + this.#hold
        this.#space.terminated = this.#holdTerminated
        return null
      case 'h':
        this.#hold = this.#space.text
        this.#holdTerminated = this.#space.terminated
        return null
      case 'H':
        this.#hold += this.#options.terminator + this.#space.text
        this.#holdTerminated = this.#space.terminated
        return null
      case 'x': {
        const { text, terminated } = this.#space
        this.#space.text = this.#hold
        this.#space.terminated = this.#holdTerminated
        this.#hold = text
        this.#holdTerminated = terminated
        return null
      }
      case 'z':
        this.#space.text = ''
        return null
      case 'n':
      case 'N':
        return this.#next(action.type, at)
      case 'p':
        this.#print(this.output)
        return null
      case 'P':
        this.#printFirst(this.output)
        return null
      case 'l':
        this.output.raw(unambiguous(this.#space.text, action.width ?? this.#options.width))
        return null
      case 'q':
      case 'Q':
        this.status = action.status
        if (action.type === 'Q') return 'quit'
        this.#quitting = true
        this.#pc = this.#commands.length
        return null
      case 'r':
      case 'R':
        this.appended.push({ file: action.file, oneLine: action.type === 'R' })
        return null
      case 'w':
        this.#print(this.#options.outputOf(action.file))
        return null
      case 'W':
        this.#printFirst(this.#options.outputOf(action.file))
        return null
      case 's':
        this.#substitute(action.substitution)
        return null
      case 'y':
        this.#space.text = action.map.apply(this.#space.text)
        return null
      default:
        return action satisfies never
    }
  }

  #next(type: 'n' | 'N', at: number): Stop | null {
    if (this.#input.next === 'none') {
      if (type === 'n' && this.#options.posix && this.#input.isLastFile) this.#quitting = true
      if (type === 'N' && this.#options.posix) {
        this.#pc = AFTER
        return null
      }
      this.#pc = this.#commands.length
      return null
    }
    if (this.appended.length > 0) {
      // What was appended comes before the next line; then the command is run again.
      if (type === 'n' && !this.#options.silent && !this.#printed) {
        this.#print(this.output)
        this.#printed = true
      }
      const stop = this.#dump(at)
      if (stop !== null) return stop
      this.#pc = at + 1
    }
    if (type === 'n' && !this.#options.silent && !this.#printed) this.#print(this.output)
    this.#printed = false
    const input = this.#input
    input.take()
    if (type === 'n') this.#space.take(input.block, input.start, input.end)
    else this.#space.add(input.block, input.start, input.end, this.#options.terminator)
    this.#space.terminated = input.terminated
    return null
  }

  #substitute(substitution: SedSubstitution): void {
    const pattern = this.#used(substitution.pattern)
    const { regex } = pattern
    if (substitution.replacement.groups > regex.groups) {
      throw new CommandFailure(`${this.#options.where}: invalid reference \\${substitution.replacement.groups} on \`s' command's RHS`, 1)
    }
    if (this.#isOutOfReach(pattern)) return
    const result = substitute(this.#space.text, pattern, substitution)
    if (result === null) return
    this.#space.text = result
    this.#substituted = true
    if (substitution.print) this.#print(this.output)
    if (substitution.file !== null) this.#print(this.#options.outputOf(substitution.file))
  }

  /** What can be known without taking the line out of its block: that the pattern doesn't match it. */
  #isOutOfReach(pattern: NonNullable<SedPattern>): boolean {
    const { block, lines, start, end } = this.#space
    if (block === null || lines > 1) return false
    const cursor = this.#cursorOf(pattern)
    return cursor !== null && !cursor.matches(block, start, end)
  }

  #matchesSpace(pattern: NonNullable<SedPattern>): boolean {
    const { block, lines, start, end } = this.#space
    if (block !== null && lines === 1) {
      const cursor = this.#cursorOf(pattern)
      if (cursor !== null) return cursor.matches(block, start, end)
    }
    return pattern.regex.find(this.#space.text, 0) >= 0
  }

  #cursorOf(pattern: NonNullable<SedPattern>): LineCursor | null {
    let cursor = this.#cursors.get(pattern)
    if (cursor === undefined) {
      const regex = this.#options.terminator === '\n' ? pattern.inLines() : null
      cursor = regex === null ? null : new LineCursor(regex)
      this.#cursors.set(pattern, cursor)
    }
    return cursor
  }

  #used(pattern: SedPattern): NonNullable<SedPattern> {
    const meant = pattern ?? this.#last
    if (meant === null) throw new CommandFailure(`${this.#options.where}: no previous regular expression`, 1)
    this.#last = meant
    return meant
  }

  #applies({ from, to }: SedCommand, at: number): boolean {
    if (from === null) return true
    if (to === null) return this.#matches(from)
    const range = this.#ranges[at] as Range
    const line = this.#input.lineNumber
    if (range.active) {
      const ends = range.end >= 0 ? line >= range.end : this.#matches(to)
      if (ends) this.#close(range, from)
      // Commands that read lines may have gone past the end.
      return to.type !== 'line' || line <= range.end
    }
    if (!this.#begins(range, from, to)) return false
    range.active = true
    range.end = -1
    if (to.type === 'line') range.end = to.line
    else if (to.type === 'more') range.end = line + to.count
    else if (to.type === 'multiple') range.end = to.of > 0 ? line + to.of - (line % to.of) : line
    if ((range.end >= 0 && range.end <= line) || (to.type === 'last' && this.#input.next === 'none')) this.#close(range, from)
    return true
  }

  /** A range that begins with a line's number begins at the first chance from there on, and once. */
  #begins(range: Range, from: SedAddress, to: SedAddress): boolean {
    if (from.type !== 'line') return this.#matches(from)
    const line = this.#input.lineNumber
    if (range.closed || line < from.line) return false
    if (line === from.line || to.type !== 'line' || line <= to.line) return true
    range.closed = true
    return false
  }

  #close(range: Range, from: SedAddress): void {
    range.active = false
    range.closed = from.type === 'line'
  }

  #matches(address: SedAddress): boolean {
    switch (address.type) {
      case 'line':
        return this.#input.lineNumber === address.line
      case 'step':
        return this.#input.lineNumber >= address.first && (this.#input.lineNumber - address.first) % address.step === 0
      case 'last':
        return this.#input.next === 'none'
      case 'pattern':
        return this.#matchesSpace(this.#used(address.pattern))
      default:
        return false
    }
  }
}

const BEFORE = -1
const AFTER = -2
const DUMPED = -3

interface Range {
  active: boolean
  /** It can't begin again. */
  closed: boolean
  /** The line it ends with; -1 where a pattern or the last line ends it. */
  end: number
}

/** `0,/re/` is under way before the first line. */
function newRange(from: SedAddress | null): Range {
  return { active: from?.type === 'line' && from.line === 0, closed: false, end: -1 }
}

function needsNext({ from, to, action }: SedCommand): boolean {
  return from?.type === 'last' || to?.type === 'last' || action.type === 'n' || action.type === 'N'
}
