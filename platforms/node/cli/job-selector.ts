import { existsSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { WorkspaceError } from '../../../src/errors.ts'
import type { FoundJob } from './job-folders.ts'
import { foundJobs, jobAround, jobIn } from './job-folders.ts'

/**
 * The Job that a selector means: `last`, an id or the only one that it begins, a folder of a Job or a path in it, a folder that Jobs worked on. NOT_FOUND where
 * there is none; CONFLICT where it could be several.
 */
export function selectJob(selector: string, home: string, folder: string): FoundJob {
  if (selector === 'last') return latest(home, folder, true) ?? missing(`there is no Job of ${folder} in ${home} yet`)
  const isId = !/[/\\]/.test(selector) && selector !== '.' && selector !== '..'
  const named = isId ? jobIn(join(home, selector), false) : null
  if (named !== null) return named
  const path = resolve(folder, selector)
  if (existsSync(path)) {
    const found = jobAround(path) ?? latest(home, realpathSync(path), false)
    if (found !== null) return found
    if (!isId) return missing(`${selector} is no Job's folder, not in one, and no Job in ${home} worked on it`)
  }
  return isId ? begunBy(selector, home) : missing(`${selector}: there is no such folder of a Job`)
}

function begunBy(beginning: string, home: string): FoundJob {
  const found = foundJobs(home).filter(({ id }) => id.startsWith(beginning) || id.startsWith(`run-${beginning}`))
  const [first, second] = found
  if (first === undefined) return missing(`there is no Job '${beginning}' in ${home}, and no folder of that name`)
  if (second === undefined) return first
  const ids = found.map(({ id }) => id).sort()
  throw new WorkspaceError(
    'CONFLICT',
    `'${beginning}' could be ${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ` or ${ids.length - 3} others` : ''}`,
  )
}

/** The Job of a folder that was started last; `last` leaves out those that have a folder of their own. */
function latest(home: string, folder: string, inHome: boolean): FoundJob | null {
  const jobs = foundJobs(home).filter(({ record, elsewhere }) => record.workspace === folder && !(inHome && elsewhere))
  return jobs.sort((a, b) => b.record.started_at_unix_ms - a.record.started_at_unix_ms || (b.id < a.id ? -1 : 1))[0] ?? null
}

function missing(message: string): never {
  throw new WorkspaceError('NOT_FOUND', message)
}
