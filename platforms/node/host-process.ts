import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
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
  const takers = [takeAll(child.stdout, 'stdout', output), takeAll(child.stderr, 'stderr', output)]
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
      child.stdin.destroy()
    }
  })()
  ended.catch(() => undefined)
  return { pid, ended, kill: () => group.end() }
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

/** Milliseconds that what a process started may go on after it, such as the end of a pipeline. */
const GRACE = 250
/** Milliseconds without output after which nothing is expected any more when the whole group has ended. */
const LAST_OUTPUT = 500
/** Milliseconds between looks at a pipe that is not closed. */
const LOOK = 20
