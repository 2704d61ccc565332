import type { Process } from './process.ts'
import { Halt } from './process.ts'
import { signalDescription, signalName } from './signals.ts'

/** A background job. */
export interface Job {
  readonly id: number
  readonly pids: readonly number[]
  readonly text: string
  /** Its end was told of. */
  notified: boolean
  /** `disown -h`: it gets no SIGHUP. */
  keep: boolean
}

/** The jobs of one shell. */
export class JobTable {
  readonly jobs: Map<number, Job> = new Map()
  /** Job ids, the current one last. */
  order: number[] = []
  /** The largest id given, as long as its job is there. */
  #largest = 0

  /** For a subshell: it may list its parent's jobs. */
  copy(): JobTable {
    const copy = new JobTable()
    for (const [id, job] of this.jobs) copy.jobs.set(id, { ...job })
    copy.order = this.order.slice()
    copy.#largest = this.#largest
    return copy
  }

  add(pids: readonly number[], text: string): Job {
    if (!this.jobs.has(this.#largest)) this.#largest = Math.max(0, ...this.jobs.keys())
    const id = this.#largest + 1
    this.#largest = id
    const job: Job = { id, pids, text, notified: false, keep: false }
    this.jobs.set(id, job)
    this.order.push(id)
    return job
  }

  remove(id: number): void {
    this.jobs.delete(id)
    this.order = this.order.filter((other) => other !== id)
  }

  /** `+` for the current job, `-` for the one before, else a blank. */
  mark(id: number): string {
    return this.order.at(-1) === id ? '+' : this.order.at(-2) === id ? '-' : ' '
  }

  byPid(pid: number): Job | undefined {
    return [...this.jobs.values()].find((job) => job.pids.includes(pid))
  }

  /** The job a `%spec` names; 'ambiguous' when several match, undefined when none does. */
  find(spec: string): Job | undefined | 'ambiguous' {
    const text = spec.startsWith('%') ? spec.slice(1) : spec
    if (text === '' || text === '%' || text === '+') return this.jobs.get(this.order.at(-1) ?? -1)
    if (text === '-') return this.jobs.get(this.order.at(-2) ?? this.order.at(-1) ?? -1)
    if (/^[0-9]+$/.test(text)) return this.jobs.get(Number(text))
    const all = [...this.jobs.values()]
    const found = text.startsWith('?')
      ? all.filter((job) => job.text.includes(text.slice(1)))
      : all.filter((job) => job.text.startsWith(text))
    return found.length > 1 ? 'ambiguous' : found[0]
  }
}

/** Where a job stands: its state, and its status once it has ended. */
export function jobState(process: Process, job: Job): { state: 'Running' | 'Stopped' | 'Done'; status: number } {
  const alive = job.pids.map((pid) => process.machine.processes.get(pid)).filter((child) => child !== undefined)
  if (alive.some((child) => (child.halt & Halt.stopped) !== 0)) return { state: 'Stopped', status: 0 }
  if (alive.length > 0) return { state: 'Running', status: 0 }
  return { state: 'Done', status: process.zombies.get(job.pids.at(-1) as number) ?? 0 }
}

/** Says that a signal ended a process, where bash says so. */
export function reportDeath(process: Process, pid: number, text: () => string, foreground: boolean): void {
  const { killed } = process.machine
  const name = killed.get(pid)
  if (name === undefined) return
  killed.delete(pid)
  if (name === 'INT' || name === 'PIPE' || process.environment.interactive) return
  const { traps } = process.environment
  if (name !== 'TERM' && !traps.has(name)) {
    process.complain(`${process.messagePrefix()}${String(pid).padStart(5)} ${signalDescription(name).padEnd(24)}${text()}\n`)
  } else if (foreground) process.complain(`${signalDescription(name)}\n`)
}

/** How `jobs` shows a state: `Done`, `Exit 3`, `Terminated`. */
export function stateText(state: string, status: number): string {
  if (state !== 'Done' || status === 0) return state
  if (status > 128) {
    const name = signalName(status - 128)
    if (name !== undefined) return signalDescription(name)
  }
  return `Exit ${status}`
}
