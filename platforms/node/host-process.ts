import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { Attempt } from '../../src/job/executor.ts'
import { hasHostCode } from './node-file-error.ts'
import { IN_GROUPS, ProcessGroup } from './process-group.ts'

/** What to run, and with what. */
export interface HostProcessOptions {
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin: Attempt['stdin']
  readonly output: Attempt['output']
  /** It has this process's own streams, which are a terminal, instead of pipes: nothing is read for it, and its output is not seen. */
  readonly ownStreams: boolean
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
export async function startProcess({ command, cwd, env, stdin, output, ownStreams }: HostProcessOptions): Promise<HostProcess> {
  const [program = '', ...words] = command
  const child = spawn(program, words, { cwd, env, detached: IN_GROUPS, stdio: ownStreams ? 'inherit' : 'pipe', windowsHide: true })
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  exit.catch(() => undefined)
  await once(child, 'spawn')
  const pid = child.pid as number
  const group = new ProcessGroup(pid)
  if (child.stdin !== null) void feed(child.stdin, stdin)
  const takers: Taker[] = []
  if (child.stdout !== null) takers.push(takeAll(child.stdout, 'stdout', output))
  if (child.stderr !== null) takers.push(takeAll(child.stderr, 'stderr', output))
  const unwatch = ownStreams ? passSizes(pid) : (): void => undefined
  const ended = (async (): Promise<ProcessEnd> => {
    try {
      const taken = Promise.all(takers.map(({ done }) => done))
      const [exitCode, signal] = await Promise.race([exit, taken.then(() => exit)])
      const leftProcesses = await group.endAfter(GRACE)
      await Promise.all(takers.map((taker) => taker.finish()))
      return { exitCode, signal, leftProcesses }
    } catch (error) {
      group.end()
      await group.endAfter(0)
      throw error
    } finally {
      unwatch()
      child.stdin?.destroy()
    }
  })()
  ended.catch(() => undefined)
  return { pid, ended, kill: () => group.end() }
}

/** Tells a group when the terminal has another size: the system tells only who is in front. */
function passSizes(pid: number): () => void {
  const pass = (): void => {
    try {
      process.kill(-pid, 'SIGWINCH')
    } catch (error) {
      if (!hasHostCode(error, 'ESRCH')) throw error
    }
  }
  process.on('SIGWINCH', pass)
  return () => process.off('SIGWINCH', pass)
}

interface Taker {
  /** Resolves when everything was taken. */
  readonly done: Promise<void>
  /** Waits until everything that was written is taken, though a process that left the group may hold the pipe open. */
  finish(): Promise<void>
}

function takeAll(stream: Readable, name: 'stdout' | 'stderr', output: Attempt['output']): Taker {
  let isOver = false
  /** Null while something is being taken. */
  let idleSince: number | null = performance.now()
  const done = (async () => {
    try {
      for await (const chunk of stream) {
        idleSince = null
        await output(new Uint8Array(chunk as Buffer), name)
        idleSince = performance.now()
      }
    } catch (error) {
      if (!hasHostCode(error, 'ERR_STREAM_PREMATURE_CLOSE')) throw error
    } finally {
      isOver = true
    }
  })()
  done.catch(() => undefined)
  return {
    done,
    async finish() {
      while (!isOver) {
        if (idleSince !== null && performance.now() - idleSince > LAST_OUTPUT) stream.destroy()
        await Promise.race([done, setTimeout(LOOK, undefined, { ref: false })])
      }
      await done
    },
  }
}

/** Writes what the process reads, as it reads it. */
async function feed(stdin: Writable, given: Attempt['stdin']): Promise<void> {
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

/** Milliseconds that what a process started may go on after it, such as the end of a pipeline. */
const GRACE = 250
/** Milliseconds without output after which nothing is expected any more when the whole group has ended. */
const LAST_OUTPUT = 500
/** Milliseconds between looks at a pipe that is not closed. */
const LOOK = 20
