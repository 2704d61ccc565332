import { lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { faultOf } from '../../../src/replay/fault.ts'
import { fidelityOf, samplesIn } from './fidelity.ts'
import type { FailedFile, FidelityFile } from './fidelity-text.ts'
import { fidelityDocument, fidelityText } from './fidelity-text.ts'
import type { JobArguments } from './job-arguments.ts'
import { replayProgress } from './replay-progress.ts'
import { folderOf } from './run-request.ts'
import { onSignals } from './signals.ts'
import { readTrajectoryFile } from './trajectory-file.ts'
import { UsageError } from './usage-error.ts'

const CALL_TIMEOUT = 30_000
const NAMES = /\.(json|jsonl|ndjson|traj|eval)$/

/** `mirage fidelity`. */
export async function fidelityWord(given: JobArguments, write: (text: string) => void): Promise<number> {
  const workspace = given.text('workspace')
  const root = workspace === undefined ? null : folderOf(workspace, 'workspace')
  const callTimeoutMs = milliseconds(given.text('timeout-ms'))
  const paths = given.operands.flatMap(filesIn)
  const done: FidelityFile[] = []
  const failed: FailedFile[] = []
  const ending = new AbortController()
  let interrupted = 0
  const stop = onSignals((fired) => {
    interrupted = fired
    ending.abort()
  })
  const progress = replayProgress(process.stderr)
  const one = async (path: string, bytes: Uint8Array, sample: string | undefined): Promise<void> => {
    const { signal } = ending
    const name = sample === undefined ? path : `${path} ${sample}`
    if (signal.aborted) return
    const onProgress: typeof progress.show = (at) => progress.show({ ...at, call: `${name}: ${at.call}` })
    try {
      const fidelity = await fidelityOf(bytes, { sample, workspace: root, callTimeoutMs, signal, onProgress })
      done.push({ path: name, ...fidelity })
    } catch (error) {
      failed.push(failure(name, error))
    }
  }
  try {
    for (const path of paths) {
      if (ending.signal.aborted) break
      try {
        const bytes = await readTrajectoryFile(path)
        for (const sample of await samplesIn(bytes)) await one(path, bytes, sample)
      } catch (error) {
        failed.push(failure(path, error))
      }
    }
  } finally {
    progress.end()
    stop()
  }
  const document = fidelityDocument(done, failed)
  write(given.flag('json') ? `${JSON.stringify(document, null, 2)}\n` : fidelityText(document))
  return interrupted !== 0 ? interrupted : done.length === 0 ? 1 : 0
}

function failure(path: string, error: unknown): FailedFile {
  const { category, message } = faultOf(error)
  return { path, category, message }
}

/** The file, or those in the folder that may be trajectories, by their names. */
function filesIn(path: string): readonly string[] {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) throw new UsageError(`fidelity: there is no file or folder ${path}`)
  if (!stat.isDirectory()) return [path]
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => NAMES.test(name))
    .map((name) => join(path, name))
    .filter((file) => lstatSync(file).isFile())
    .sort()
}

function milliseconds(text: string | undefined): number {
  if (text === undefined) return CALL_TIMEOUT
  if (!/^[1-9]\d*$/.test(text))
    throw new UsageError(`option '--timeout-ms' holds '${text}'; it may hold a number of milliseconds, 1 or more`)
  return Number(text)
}
