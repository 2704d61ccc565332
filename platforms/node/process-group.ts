import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as startTimer } from 'node:timers'
import { setTimeout } from 'node:timers/promises'
import { hasHostCode } from './node-file-error.ts'

/** A process and those that it started, unless they left its group. Where the system has no groups, the process alone. */
export class ProcessGroup {
  readonly #pid: number
  #asked: number | null = null
  #timer: NodeJS.Timeout | undefined
  /** Its number may be somebody else's by now. */
  #isOver = false

  constructor(pid: number) {
    this.#pid = pid
  }

  /** Asks it to end; two seconds later it has to. */
  end(): void {
    if (this.#asked !== null || this.#isOver) return
    this.#asked = performance.now()
    this.#signal('SIGTERM')
    this.#timer = startTimer(() => this.#signal('SIGKILL'), LAST_WISHES)
  }

  /** Waits until it has ended, and ends it where it doesn't in time. True where nobody else had asked for that. */
  async endAfter(graceMs: number): Promise<boolean> {
    if (await this.#endsWithin(graceMs)) return false
    const wasAsked = this.#asked !== null
    this.end()
    await this.#endsWithin((this.#asked ?? 0) + LAST_WISHES + LAST_BREATH - performance.now())
    return !wasAsked
  }

  async #endsWithin(limitMs: number): Promise<boolean> {
    const start = performance.now()
    for (let pause = 1; this.#isAlive(); pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      if (performance.now() - start >= limitMs) return false
      await setTimeout(pause)
    }
    this.#isOver = true
    clearTimeout(this.#timer)
    return true
  }

  #isAlive(): boolean {
    if (!this.#signal(0)) return false
    // What ended is there until somebody asks how, which may be never.
    return process.platform !== 'linux' || isAnyAlive(this.#pid)
  }

  /** False where there is nobody. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(IN_GROUPS ? -this.#pid : this.#pid, signal)
    } catch (error) {
      // It became another user's.
      return hasHostCode(error, 'EPERM')
    }
  }
}

/** Whether processes can be started in groups of their own. */
export const IN_GROUPS: boolean = process.platform !== 'win32'

/** Asks Linux for a process of a group that has not ended yet. True where it doesn't tell. */
function isAnyAlive(group: number): boolean {
  try {
    for (const name of readdirSync('/proc')) if (/^\d+$/.test(name) && isAliveIn(name, group)) return true
    return false
  } catch {
    return true
  }
}

function isAliveIn(pid: string, group: number): boolean {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return false
  }
  // The name before them may hold anything.
  const [state, , itsGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(itsGroup) === group && state !== 'Z' && state !== 'X'
}

/** Milliseconds from asking to end to ending. */
const LAST_WISHES = 2000
const LAST_BREATH = 500
const LONGEST_PAUSE = 50
