import { realpathSync } from 'node:fs'
import { shownPath } from '../../../src/job/shown-path.ts'
import type { JobArguments } from './job-arguments.ts'
import { defaultRunHome, foundJobs } from './job-folders.ts'
import { commandText } from './job-text.ts'
import { localTime } from './local-time.ts'
import { table } from './table.ts'

/** `mirage jobs`. */
export async function jobsWord(given: JobArguments, write: (text: string) => void): Promise<number> {
  const folder = realpathSync('.')
  const found = foundJobs(given.text('output-dir') ?? defaultRunHome())
  const jobs = found.filter(({ record }) => given.flag('all') || record.workspace === folder)
  jobs.sort((a, b) => a.record.started_at_unix_ms - b.record.started_at_unix_ms || (a.id < b.id ? -1 : 1))
  if (given.flag('json'))
    write(
      `${JSON.stringify(
        jobs.map(({ record, folder }) => ({ ...record, folder })),
        null,
        2,
      )}\n`,
    )
  else if (jobs.length === 0) write(given.flag('all') ? 'no Jobs yet\n' : 'no Jobs of this folder yet\n')
  else
    write(
      table([
        ['JOB', 'STATE', 'STARTED', 'NAME', 'COMMAND'],
        ...jobs.map(({ id, record }) => [
          id,
          record.state,
          localTime(record.started_at_unix_ms),
          shownPath(record.name ?? '-'),
          firstLine(commandText(record)),
        ]),
      ]),
    )
  return 0
}

const MOST = 60

function firstLine(text: string): string {
  const line = shownPath(text.split('\n')[0] as string)
  return line.length > MOST ? `${line.slice(0, MOST - 1)}…` : line
}
