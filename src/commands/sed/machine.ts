import { encode } from '../../bytes.ts'
import type { Regex } from '../../regex/regex.ts'
import { CommandFailure } from '../utility.ts'
import type { SedInput } from './input.ts'
import type { SedOutput } from './output.ts'
import type { SedAddress, SedCommand, SedPattern, SedScript, SedSubstitution } from './script.ts'
import { substitute, substituteInLines } from './substitute.ts'

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
  #space = ''
  #hold = ''
  /** The last line of the pattern space had its terminator; likewise of the hold space. */
  #terminated = true
  #holdTerminated = true
  #substituted = false
  /** `D` has left something: the next cycle reads no line. */
  #kept = false
  #quitting = false
  /** `n` has printed the pattern space and stopped before it went on. */
  #printed = false
  #last: SedPattern = null
  readonly #whole: readonly WholeSubstitution[] | null

  constructor(script: SedScript, input: SedInput, output: SedOutput, options: MachineOptions) {
    this.#commands = script.commands
    this.#input = input
    this.output = output
    this.#options = options
    this.#ranges = script.commands.map(({ from }) => newRange(from))
    this.#whole = options.silent || options.terminator !== '\n' ? null : wholeScript(script.commands)
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
          if (this.#whole !== null) {
            this.#substituteAll(this.#whole)
            return 'rest'
          }
          this.#space = this.#input.take()
          this.#terminated = this.#input.terminated
          this.#substituted = false
        }
        this.#pc = 0
        if (this.#commands.length === 0) continue
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

  #substituteAll(whole: readonly WholeSubstitution[]): void {
    let text = this.#input.takeAll()
    for (const { regex, nullable, substitution } of whole) text = substituteInLines(text, regex, nullable, substitution)
    this.output.line(text, this.#input.terminated)
  }

  /** The pattern space is printed and the queue written. */
  #endCycle(): Stop | null {
    if (this.#pc !== AFTER && !this.#options.silent) this.#print(this.#space)
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

  #firstLine(to: SedOutput): void {
    const end = this.#space.indexOf(this.#options.terminator)
    if (end < 0) to.line(this.#space, this.#terminated)
    else to.line(this.#space.slice(0, end), true)
  }

  #print(text: string): void {
    this.output.line(text, this.#terminated)
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
      case 'D': {
        const newline = this.#space.indexOf(this.#options.terminator)
        if (newline >= 0) {
          this.#space = this.#space.slice(newline + 1)
          this.#kept = true
        }
        this.#pc = AFTER
        return null
      }
      case 'F':
        this.output.raw(`${this.#input.fileName}\n`)
        return null
      case 'g':
        this.#space = this.#hold
        this.#terminated = this.#holdTerminated
        return null
      case 'G':
        this.#space += this.#options.terminator + this.#hold
        this.#terminated = this.#holdTerminated
        return null
      case 'h':
        this.#hold = this.#space
        this.#holdTerminated = this.#terminated
        return null
      case 'H':
        this.#hold += this.#options.terminator + this.#space
        this.#holdTerminated = this.#terminated
        return null
      case 'x':
        ;[this.#space, this.#hold] = [this.#hold, this.#space]
        ;[this.#terminated, this.#holdTerminated] = [this.#holdTerminated, this.#terminated]
        return null
      case 'z':
        this.#space = ''
        return null
      case 'n':
      case 'N':
        return this.#next(action.type, at)
      case 'p':
        this.#print(this.#space)
        return null
      case 'P':
        this.#firstLine(this.output)
        return null
      case 'l':
        this.output.raw(unambiguous(this.#space, action.width ?? this.#options.width))
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
        this.#options.outputOf(action.file).line(this.#space, this.#terminated)
        return null
      case 'W':
        this.#firstLine(this.#options.outputOf(action.file))
        return null
      case 's':
        this.#substitute(action.substitution)
        return null
      case 'y':
        this.#space = transliterated(this.#space, action.map)
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
        this.#print(this.#space)
        this.#printed = true
      }
      const stop = this.#dump(at)
      if (stop !== null) return stop
      this.#pc = at + 1
    }
    if (type === 'n' && !this.#options.silent && !this.#printed) this.#print(this.#space)
    this.#printed = false
    const line = this.#input.take()
    this.#terminated = this.#input.terminated
    this.#space = type === 'n' ? line : this.#space + this.#options.terminator + line
    return null
  }

  #substitute(substitution: SedSubstitution): void {
    const pattern = this.#used(substitution.pattern)
    const { regex } = pattern
    if (substitution.replacement.groups > regex.groups) {
      throw new CommandFailure(`${this.#options.where}: invalid reference \\${substitution.replacement.groups} on \`s' command's RHS`, 1)
    }
    const result = substitute(this.#space, regex, pattern.nullable, substitution)
    if (result === null) return
    this.#space = result
    this.#substituted = true
    if (substitution.print) this.#print(this.#space)
    if (substitution.file !== null) this.#options.outputOf(substitution.file).line(this.#space, this.#terminated)
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
        return this.#used(address.pattern).regex.find(this.#space, 0) >= 0
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

interface WholeSubstitution {
  readonly regex: Regex
  readonly nullable: boolean
  readonly substitution: SedSubstitution
}

/** The substitutions of a script that does nothing else, which can be done to many lines at once; null for another script. */
function wholeScript(commands: readonly SedCommand[]): WholeSubstitution[] | null {
  const whole: WholeSubstitution[] = []
  for (const [index, { from, negated, action }] of commands.entries()) {
    if (from !== null || negated || action.type !== 's') return null
    const { pattern, replacement, number, print, file } = action.substitution
    if (pattern === null || number !== 1 || print || file !== null) return null
    // What follows would see two lines in what is one pattern space.
    if (index < commands.length - 1 && replacement.pieces.some(({ text }) => text.includes('\n'))) return null
    const regex = pattern.inLines()
    if (regex === null) return null
    whole.push({ regex, nullable: pattern.nullable, substitution: action.substitution })
  }
  return whole.length === 0 ? null : whole
}

function transliterated(text: string, map: ReadonlyMap<string, string>): string {
  let result = ''
  let done = 0
  for (let at = 0; at < text.length; ) {
    const point = text.charCodeAt(at)
    const width = point >= 0xd800 && point <= 0xdbff && (text.codePointAt(at) as number) > 0xffff ? 2 : 1
    const to = map.get(width === 1 ? (text[at] as string) : text.slice(at, at + 2))
    if (to !== undefined) {
      result += text.slice(done, at) + to
      done = at + width
    }
    at += width
  }
  return done === 0 ? text : result + text.slice(done)
}

const VISIBLE = new Map([
  [7, '\\a'],
  [8, '\\b'],
  [9, '\\t'],
  [10, '\\n'],
  [11, '\\v'],
  [12, '\\f'],
  [13, '\\r'],
  [92, '\\\\'],
])

/** The text as `l` prints it. */
function unambiguous(text: string, width: number): string {
  let result = ''
  let column = 0
  for (const byte of encode(text)) {
    const shown = VISIBLE.get(byte) ?? (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`)
    if (width > 0 && column + shown.length > width - 1) {
      result += '\\\n'
      column = 0
    }
    result += shown
    column += shown.length
  }
  return `${result}$\n`
}
