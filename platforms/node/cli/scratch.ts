import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from '../../../src/errors.ts'
import type { Stdio } from './attend.ts'
import type { ExecutorName } from './job-workspace.ts'

/** Where a command works that runs for a Job, in the Job's own folder: on the disk of its stage, and private. */
export interface Scratch {
  /** For the copy of the files that a process of the host works in; null for the machine. */
  readonly copies: string | null
  /** A process of the host has the terminal. */
  readonly hasTerminal: boolean
  readonly isForInspection: boolean
  /** What /tmp is for the machine. */
  readonly temporary: string
  /** Removes it. What the machine put into /tmp stays where it goes on later, and a copy stays of which the changes could not be taken. */
  remove(keepTemporary: boolean): void
}

/** For the Job's own command: its /tmp is there again when it is resumed. Nothing is made for the machine before it runs. */
export function runScratch(folder: string, executor: ExecutorName, stdio: Stdio): Scratch {
  const isHost = executor === 'host'
  return scratchOf({
    copies: isHost ? newFolder(folder) : null,
    temporary: join(folder, 'tmp'),
    hasTerminal: isHost && stdio === 'inherit' && isAtTerminal(),
    isForInspection: false,
  })
}

/** For a command that looks at the Job. */
export function inspectScratch(folder: string, executor: ExecutorName): Scratch {
  const own = newFolder(folder)
  return scratchOf({ copies: own, temporary: join(own, 'tmp'), hasTerminal: executor === 'host' && isAtTerminal(), isForInspection: true })
}

/** Removes what commands left in the folder of a Job that nobody runs any more. */
export function clearScratch(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name === 'tmp' || name.startsWith('work-')) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/** Someone sits at all of this process's streams. */
function isAtTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && process.stderr.isTTY === true
}

function newFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return mkdtempSync(join(folder, 'work-'))
}

function scratchOf(parts: Omit<Scratch, 'remove'>): Scratch {
  const { copies, temporary } = parts
  return {
    ...parts,
    remove: (keepTemporary) => {
      if (keepTemporary) removeIfEmpty(temporary)
      else rmSync(temporary, { recursive: true, force: true })
      if (copies !== null) removeIfEmpty(copies)
    },
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY') && !hasCode(error, 'ENOENT')) throw error
  }
}
