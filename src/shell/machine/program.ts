import type { Process } from './process.ts'

/** One step of a process. The counter already points to the next one. */
export type Instruction = (process: Process) => void

/**
 * Flat code made from one complete command or one function body. It is found again by its text: a saved state holds texts and
 * counters only, and compiling the same text gives the same code.
 */
export interface Program {
  /** Canonical text that compiles to this code under the settings; the name of code that is the machine's own. */
  readonly text: () => string
  /** What the text is. */
  readonly kind: 'list' | 'function' | 'fixed'
  readonly settings: ProgramSettings
  readonly code: readonly Instruction[]
  /** Line of each instruction, as LINENO counts. */
  readonly lines: readonly number[]
}

/** What parsing and compiling depended on besides the text. */
export interface ProgramSettings {
  readonly extglob: boolean
  readonly posix: boolean
  readonly braceexpand: boolean
}

const PLAIN: ProgramSettings = { extglob: false, posix: false, braceexpand: true }
const fixed = new Map<string, Program>()

/** Code that is the machine's own, found again by its name. */
export function fixedProgram(name: string, code: readonly Instruction[]): Program {
  const program: Program = { text: () => name, kind: 'fixed', settings: PLAIN, code, lines: code.map(() => 1) }
  fixed.set(name, program)
  return program
}

/** The machine's own code of a name; undefined where there is none. */
export function findFixedProgram(name: string): Program | undefined {
  return fixed.get(name)
}

/** A place in code that is known later. */
export interface Label {
  at: number
}

/** Puts instructions one after another. */
export class Assembler {
  readonly code: Instruction[] = []
  readonly lines: number[] = []
  line = 1

  emit(instruction: Instruction): void {
    this.code.push(instruction)
    this.lines.push(this.line)
  }

  label(): Label {
    return { at: -1 }
  }

  /** The label stands here. */
  place(label: Label): void {
    label.at = this.code.length
  }

  jump(label: Label): void {
    this.emit((process) => {
      process.frame.counter = label.at
    })
  }

  jumpIfFailed(label: Label): void {
    this.emit((process) => {
      if (process.status !== 0) process.frame.counter = label.at
    })
  }

  jumpIfSucceeded(label: Label): void {
    this.emit((process) => {
      if (process.status === 0) process.frame.counter = label.at
    })
  }
}
