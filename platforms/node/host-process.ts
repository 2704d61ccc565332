import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { Attempt } from '../../src/job/executor.ts'
import { hasHostCode } from './node-file-error.ts'

/** What to run, and with what. */
export interface HostProcessOptions {
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin: Attempt['stdin']
  readonly output: Attempt['output']
}

/** How a process ended. */
export interface ProcessEnd {
  readonly exitCode: number | null
  readonly signal: string | null
  /** Others of its group ran on and were ended. */
  readonly leftProcesses: boolean
}

/** A process of the host in a group of its own. */
export interface HostProcess {
  readonly pid: number
  /** Resolves when nothing of its group runs any more and all output was taken. Rejects where the output's taker does; the group is ended then, too. */
  readonly ended: Promise<ProcessEnd>
  /** Asks the group to end; two seconds later it has to. */
  kill(): void
}

/** Starts a process. Rejects with the host's error where that can't be: ENOENT, EACCES … */
export async function startProcess({ command, cwd, env, stdin, output }: HostProcessOptions): Promise<HostProcess> {
  const [program = '', ...words] = command
  const child = spawn(program, words, { cwd, env, detached: IN_GROUPS, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true })
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  exit.catch(() => undefined)
  await once(child, 'spawn')
  const pid = child.pid as number
  const group = new ProcessGroup(pid)
  void feed(child, stdin)
  const taken = Promise.all([take(child.stdout, 'stdout', output), take(child.stderr, 'stderr', output)])
  const ended = (async (): Promise<ProcessEnd> => {
    try {
      const first = await Promise.race([exit, taken.then(() => exit)])
      const leftProcesses = await group.endAfter(GRACE)
      // Who left the group may hold the pipes open.
      if ((await Promise.race([taken, setTimeout(LAST_OUTPUT, 'late')])) === 'late') {
        child.stdout.destroy()
        child.stderr.destroy()
      }
      return { exitCode: first[0], signal: first[1], leftProcesses }
    } catch (error) {
      group.end()
      await group.endAfter(0)
      throw error
    } finally {
      child.stdin.destroy()
    }
  })()
  ended.catch(() => undefined)
  return { pid, ended, kill: () => group.end() }
}

/** A process and those that it started, unless they left. */
class ProcessGroup {
  readonly #pid: number
  #asked: number | null = null

  constructor(pid: number) {
    this.#pid = pid
  }

  end(): void {
    if (this.#asked !== null) return
    this.#asked = performance.now()
    this.#signal('SIGTERM')
    globalThis.setTimeout(() => this.#signal('SIGKILL'), LAST_WISHES).unref()
  }

  /** Waits until the group has ended, and ends it where it doesn't in time. True where that was needed. */
  async endAfter(graceMs: number): Promise<boolean> {
    const start = performance.now()
    let pause = 1
    for (;;) {
      if (!this.#signal(0)) return false
      const now = performance.now()
      if (now - start >= graceMs) break
      await setTimeout(pause)
      pause = Math.min(pause * 2, 50)
    }
    const wasAsked = this.#asked !== null
    this.end()
    for (pause = 1; this.#signal(0); pause = Math.min(pause * 2, 50)) {
      // What nobody reaps stays in its group for ever.
      if (performance.now() - (this.#asked ?? 0) > LAST_WISHES + REAPED) break
      await setTimeout(pause)
    }
    return !wasAsked
  }

  /** False where there is nobody. */
  #signal(signal: NodeJS.Signals | 0): boolean {
    try {
      return process.kill(IN_GROUPS ? -this.#pid : this.#pid, signal)
    } catch (error) {
      // Not allowed to: a program that became another user's.
      return hasHostCode(error, 'EPERM')
    }
  }
}

async function take(stream: Readable, name: 'stdout' | 'stderr', output: Attempt['output']): Promise<void> {
  for await (const chunk of stream) await output(new Uint8Array(chunk as Buffer), name)
}

/** Writes what the process reads, as it reads it. */
async function feed({ stdin }: ChildProcessWithoutNullStreams, given: Attempt['stdin']): Promise<void> {
  // It may end without having read everything.
  let isOpen = true
  const closed = new Promise<void>((resolve) => {
    const close = (): void => {
      isOpen = false
      resolve()
    }
    stdin.on('error', close)
    stdin.on('close', close)
  })
  if (given instanceof Uint8Array) {
    stdin.end(given)
    return
  }
  try {
    while (isOpen) {
      const chunk = await given()
      if (chunk === null) break
      if (isOpen && !stdin.write(chunk)) await Promise.race([closed, once(stdin, 'drain')])
    }
  } catch {
    // Whoever gives the input failed: the process reads no more.
  }
  stdin.end()
}

/** Elsewhere only the process itself can be ended. */
const IN_GROUPS = process.platform !== 'win32'
/** Milliseconds that what a process started may go on after it, such as the end of a pipeline. */
const GRACE = 250
/** Milliseconds from asking to end to ending. */
const LAST_WISHES = 2000
const REAPED = 500
/** Milliseconds that output may still come when the whole group has ended. */
const LAST_OUTPUT = 500
