import { writeFileSync } from 'node:fs'
import { errorText } from '../../../src/errors.ts'
import { randomId, webHost } from '../../../src/host.ts'
import { checkRequest } from '../../../src/replay/check-request.ts'
import type { ReplayReport } from '../../../src/replay/documents.ts'
import { earlyFailure } from '../../../src/replay/early-failure.ts'
import { configurationFault } from '../../../src/replay/fault.ts'
import type { ReplayContext } from '../../../src/replay/plan.ts'
import { replay } from '../../../src/replay/replay.ts'
import type { Replayed } from '../../../src/replay/request.ts'
import type { JobArguments } from './job-arguments.ts'
import type { ReplayFields } from './replay-fields.ts'
import { fieldsOfFlags, replayFlags, STANDARD_ERROR } from './replay-fields.ts'
import { fieldsOfConfig, fieldsOfRequest } from './replay-files.ts'
import { replayJobs, replayWorkspace } from './replay-jobs.ts'
import { diskReplay } from './replay-place.ts'
import { replayProgress } from './replay-progress.ts'
import type { ReplaySettings } from './replay-settings.ts'
import { replaySettings, rootsOf, workspaceOf } from './replay-settings.ts'
import { replayText } from './replay-text.ts'
import { onSignals } from './signals.ts'
import { readTrajectoryFile } from './trajectory-file.ts'
import { UsageError } from './usage-error.ts'

/** Exit status where all was done, and only the report could not be written. */
const NO_REPORT = 1

type Write = (text: string) => void

/** `mirage replay`: prints the result, also where it fails; the exit status is that of the failure's category. Throws a {@link UsageError} for flags that can't be understood. */
export async function replayWord(given: JobArguments, write: Write): Promise<number> {
  const read = source(given)
  let fields: ReplayFields | null = null
  try {
    fields = await read.fields()
    const settings = replaySettings(fields, read.isCommandLine)
    return tell(await replayed(settings), write)
  } catch (error) {
    return tell(early(error, fields), write)
  }
}

/** The same for an option that can't be had here. */
export function refusedReplay(error: Error, write: Write): number {
  return tell(earlyFailure(configurationFault(`CAPABILITY_UNSUPPORTED: ${error.message}`), null, null), write)
}

/** Where the fields come from: one file, or the flags. */
function source(given: JobArguments): { readonly isCommandLine: boolean; fields(): Promise<ReplayFields> | ReplayFields } {
  const [config, request] = [given.text('config'), given.text('request')]
  const flags = fieldsOfFlags(given)
  const file = config ?? request
  if (file === undefined) return { isCommandLine: true, fields: () => flags }
  const name = config === undefined ? 'request' : 'config'
  const other = config !== undefined && request !== undefined ? 'request' : replayFlags().find((flag) => given.flag(flag))
  if (other !== undefined) throw new UsageError(`replay: --${name} does not go with --${other}: the file says all of it`)
  return { isCommandLine: false, fields: () => (config === undefined ? fieldsOfRequest(file) : fieldsOfConfig(file)) }
}

async function replayed(settings: ReplaySettings): Promise<Replayed> {
  const { roots, trajectory, mountAt, report } = settings
  const runId = settings.request.runId ?? `replay-${randomId(webHost, 16)}`
  const request = { ...settings.request, runId, trajectory: new Uint8Array(0) }
  const place = diskReplay(roots, runId)
  let tidy = (): void => undefined
  const ending = new AbortController()
  const stop = onSignals(() => ending.abort())
  const progress = replayProgress(process.stderr)
  try {
    // What can be told without the files is told first.
    checkRequest(request)
    const folder = workspaceOf(settings.workspace)
    const bytes = await readTrajectoryFile(trajectory)
    const context: ReplayContext = {
      host: webHost,
      place: () => place,
      jobs: async (directory) => {
        const { executor = 'machine' } = request
        const jobs = await replayJobs(replayWorkspace(folder, mountAt ?? directory, executor), executor, runId)
        tidy = jobs.tidy
        return jobs.context
      },
    }
    const answer = await replay(context, { ...request, trajectory: bytes, signal: ending.signal, onProgress: progress.show })
    progress.end()
    if (report === null || answer.report === null || (await writeReport(report, answer.report))) return answer
    return { ...answer, exitStatus: answer.exitStatus || NO_REPORT }
  } catch (error) {
    return earlyFailure(error, runId, place)
  } finally {
    stop()
    tidy()
  }
}

/** Where the documents would have been, as far as that is known. */
function early(error: unknown, fields: ReplayFields | null): Replayed {
  const runId = fields?.get('run_id')
  if (fields === null || typeof runId !== 'string') return earlyFailure(error, null, null)
  return earlyFailure(error, runId, diskReplay(rootsOf(fields), runId))
}

/** What was done stays done where its report can't be written, which is told; false then. */
async function writeReport(path: string, report: ReplayReport): Promise<boolean> {
  try {
    const isSeen = path === STANDARD_ERROR
    const text = await replayText(report, { colour: isSeen && process.stderr.isTTY && process.env.NO_COLOR === undefined })
    if (isSeen) process.stderr.write(text)
    else writeFileSync(path, text, { mode: 0o600 })
    return true
  } catch (error) {
    process.stderr.write(`mirage: the report can't be written to ${path}: ${errorText(error)}\n`)
    return false
  }
}

function tell({ result, exitStatus, fault }: Replayed, write: Write): number {
  write(`${JSON.stringify(result)}\n`)
  if (fault !== null && process.stderr.isTTY) process.stderr.write(`mirage: ${fault.category}: ${fault.message}\n`)
  return exitStatus
}
