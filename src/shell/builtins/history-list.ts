import { hasCode } from '../../errors.ts'
import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import { BASH_HISTORY_PATH } from '../../state/bash-history-file.ts'
import type { SessionHistory } from '../../state/history.ts'
import type { ListedLine, ShellHistory } from '../machine/environment.ts'
import { readText } from '../machine/parameters.ts'
import type { Process } from '../machine/process.ts'
import { fail } from './builtin.ts'

/**
 * The list that `history` and `fc` work on, oldest line first. Positions count from 0 and are numbers less one. As in bash the line that
 * runs is its last one, though the record gets it only when it has ended: what takes that line out of the list keeps it out of both views.
 * A line that is added while another runs stands before that one.
 */
export interface HistoryList {
  /** Position behind the last line. */
  size(): MaybePromise<number>
  range(from: number, to: number): MaybePromise<readonly ListedLine[]>
  add(lines: readonly ListedLine[]): MaybePromise<void>
  remove(from: number, to: number): MaybePromise<void>
  clear(): MaybePromise<void>
  /** True while the line that runs is in the list. */
  hasRunning(): boolean
  /** Takes the line that runs out of the list, unless it has added a line already. */
  dropRunning(): void
  /** Puts another text in the place of the line that runs. */
  replaceRunning(command: string): void
}

/**
 * The list of a process. A session's own shell has the session's record, which every instance shares and which `/.bash_history` shows too. A
 * subshell that changes the list gets a copy for itself; `bash` started inside has an empty one.
 */
export function historyList(process: Process): HistoryList {
  const { environment, machine } = process
  const { history } = machine
  if (environment.history.lines !== null || history === null || environment.shellPid !== machine.shellPid) return ownList(process)
  return process.pid === machine.shellPid ? recordedList(process, history) : copiedList(process, recordedList(process, history))
}

/** Fails as the file `/.bash_history` does where the session's rules keep the record from being read; null where they don't. */
export async function refusedHistory(process: Process, name: string): Promise<number | null> {
  const { environment, machine } = process
  if (machine.history === null || environment.shellPid !== machine.shellPid || environment.history.lines !== null) return null
  try {
    // No byte is asked for: only the rules are.
    await machine.fs.read(BASH_HISTORY_PATH, 0, 0)
    return null
  } catch (error) {
    const why = hasCode(error, 'ENOENT') ? 'No such file or directory' : hasCode(error, 'EACCES') ? 'Permission denied' : null
    if (why === null) throw error
    return fail(process, name, `${BASH_HISTORY_PATH}: ${why}`)
  }
}

/** Position of the first line that HISTSIZE lets be seen; the record keeps the others. */
export function firstShown(process: Process, size: number): number {
  const limit = readText(process, 'HISTSIZE')
  return limit !== undefined && /^[0-9]+$/.test(limit) ? Math.max(0, size - Number(limit)) : 0
}

/** Notes what is known of the history file. */
export function noteHistory(process: Process, changes: Partial<ShellHistory>): void {
  process.environment.history = { ...process.environment.history, ...changes }
}

function recordedList(process: Process, history: SessionHistory): HistoryList {
  const { machine } = process
  const running = (): ListedLine | null => (machine.line === null || machine.line.hidden ? null : machine.line)
  const recorded = (): MaybePromise<number> => {
    const page = history.tail(0)
    return isPromise(page) ? page.then(({ total }) => total) : page.total
  }
  return {
    size: async () => (await recorded()) + (running() === null ? 0 : 1),
    range: async (from, to) => {
      const page = await history.range(from, to)
      const last = running()
      return last !== null && from <= page.total && to > page.total ? [...page.entries, last] : page.entries
    },
    add: (lines) => {
      const now = machine.host.now()
      const { cwd } = process.environment
      const agent = machine.line?.agent ?? null
      return history.add(
        lines.map(({ command, timestamp }) => ({ agent, timestamp: timestamp ?? now, cwd, command, exitCode: 0, durationMs: 0 })),
      )
    },
    remove: async (from, to) => {
      const total = await recorded()
      if (to > total && machine.line !== null) machine.line.hidden = true
      const end = Math.min(to, total)
      if (from >= end) return
      await history.remove(from, end)
      const { saved } = process.environment.history
      if (saved > from) noteHistory(process, { saved: Math.max(from, saved - (end - from)) })
    },
    clear: () => {
      if (machine.line !== null) machine.line.hidden = true
      noteHistory(process, { saved: 0 })
      return history.clear()
    },
    hasRunning: () => running() !== null,
    dropRunning: () => {
      if (machine.line !== null && !machine.line.added) machine.line.hidden = true
    },
    replaceRunning: (command) => {
      if (machine.line !== null) machine.line.command = command
    },
  }
}

/** A subshell's view of the record: the first change makes a copy of its own. */
function copiedList(process: Process, recorded: HistoryList): HistoryList {
  let dropped = false
  const size = async (): Promise<number> => (await recorded.size()) - (dropped && recorded.hasRunning() ? 1 : 0)
  const own = async (): Promise<HistoryList> => {
    if (process.environment.history.lines === null) noteHistory(process, { lines: await recorded.range(0, await size()) })
    return ownList(process)
  }
  return {
    size,
    range: async (from, to) => recorded.range(from, Math.min(to, await size())),
    add: async (lines) => (await own()).add(lines),
    remove: async (from, to) => (await own()).remove(from, to),
    clear: () => ownList(process).clear(),
    hasRunning: () => !dropped && recorded.hasRunning(),
    dropRunning: () => {
      dropped = true
    },
    replaceRunning: () => undefined,
  }
}

function ownList(process: Process): HistoryList {
  const lines = (): readonly ListedLine[] => process.environment.history.lines ?? []
  return {
    size: () => lines().length,
    range: (from, to) => lines().slice(from, to),
    add: (more) => noteHistory(process, { lines: [...lines(), ...more.map(({ command, timestamp }) => ({ command, timestamp }))] }),
    remove: (from, to) => {
      const { saved } = process.environment.history
      const left = [...lines().slice(0, from), ...lines().slice(to)]
      noteHistory(process, { lines: left, saved: saved > from ? Math.max(from, saved - (to - from)) : saved })
    },
    clear: () => noteHistory(process, { lines: [], saved: 0 }),
    hasRunning: () => false,
    dropRunning: () => undefined,
    replaceRunning: () => undefined,
  }
}
