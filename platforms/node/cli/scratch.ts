import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from '../../../src/errors.ts'

/** Where a command works that runs for a Job, in the Job's own folder: on the disk of its stage, and private. */
export interface Scratch {
  /** For the copy of the files that a process of the host works in. */
  readonly copies: string
  /** What /tmp is for the machine. */
  readonly temporary: string
  /** Removes it; what the machine put into /tmp stays for one that is suspended, and a copy stays of which the changes could not be taken. */
  remove(keepTemporary: boolean): void
}

/** For the Job's own command: its /tmp is there again when it is resumed. */
export function runScratch(folder: string): Scratch {
  return scratchIn(folder, (copies) => [copies, join(folder, 'tmp')])
}

/** For a command that looks at the Job. */
export function inspectScratch(folder: string): Scratch {
  return scratchIn(folder, (own) => [own, join(own, 'tmp')])
}

function scratchIn(folder: string, foldersOf: (own: string) => readonly [copies: string, temporary: string]): Scratch {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const own = mkdtempSync(join(folder, 'work-'))
  const [copies, temporary] = foldersOf(own)
  return {
    copies,
    temporary,
    remove: (keepTemporary) => {
      if (!keepTemporary) rmSync(temporary, { recursive: true, force: true })
      removeIfEmpty(own)
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

/** Removes what commands left in the folder of a Job that nobody runs any more. */
export function clearScratch(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name === 'tmp' || name.startsWith('work-')) rmSync(join(folder, name), { recursive: true, force: true })
  }
}
