import { decode } from '../../../src/bytes.ts'
import type { RunBundle } from '../../../src/job/bundle.ts'
import type { Job } from '../../../src/job/job.ts'
import type { JobOptions } from '../../../src/job/job-options.ts'
import { endings } from './endings.ts'
import type { JobFolders } from './job-folders.ts'
import { outcomeText } from './job-text.ts'
import type { Scratch } from './scratch.ts'

/** `inherit`: output is passed on; `capture`: it is kept in the bundle instead. */
export type Stdio = 'inherit' | 'capture'

/** What a Job has of this process while it is attended. */
export type AttendedOptions = Pick<JobOptions, 'signal' | 'stdin' | 'onOutput' | 'captureOutput'>

/** Exit statuses where the command has none of its own. */
const CANCELLED = 130
const BROKEN_PIPE = 141
const SUSPENDED = 75
/** Milliseconds after which a person is told what takes so long. */
const PATIENCE_MS = 1500

/** Starts a Job that has this process's streams and is cancelled by its signals, and waits for its end: the exit status. */
export async function attend(
  stdio: Stdio,
  folders: JobFolders,
  scratch: Scratch,
  start: (options: AttendedOptions) => Promise<Job>,
): Promise<number> {
  const ending = endings()
  const { signal, out, errors } = ending
  let isStarted = false
  let isSuspended = false
  const patience = setTimeout(() => tell('copying files, so that the folder stays as it is …'), PATIENCE_MS)
  try {
    const job = await start({
      signal,
      captureOutput: stdio === 'capture',
      ...(stdio === 'inherit' && { onOutput: (bytes, stream) => (stream === 'stdout' ? out : errors).write(bytes) }),
      // What is typed is for the one who has the terminal.
      ...(stdio === 'inherit' && !scratch.hasTerminal && { stdin: process.stdin }),
    })
    isStarted = true
    clearTimeout(patience)
    const { state } = await job.ended
    isSuspended = state === 'suspended'
    const bundle = await bundleOf(folders, job.id)
    say(stdio, outcomeText(job.id, state, bundle, folders.folder(job.id)))
    if (state === 'cancelled') return ending.status === BROKEN_PIPE ? BROKEN_PIPE : CANCELLED
    return isSuspended ? SUSPENDED : (bundle?.run.exit_code ?? 1)
  } finally {
    clearTimeout(patience)
    ending.stop()
    scratch.remove(isSuspended || !isStarted)
    process.stdin.destroy()
  }
}

async function bundleOf(folders: JobFolders, id: string): Promise<RunBundle | null> {
  const stored = await (await folders.place(id)).store.get('run-bundle.json')
  return stored === null || stored === 'same' ? null : (JSON.parse(decode(stored.bytes)) as RunBundle)
}

/** A program that reads the command's output shall not read this. */
function say(stdio: Stdio, { summary, fault }: ReturnType<typeof outcomeText>): void {
  if (fault !== null) process.stderr.write(`mirage: ${fault}\n`)
  if (stdio === 'capture') process.stdout.write(summary)
  else if (process.stderr.isTTY) process.stderr.write(summary)
}

function tell(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`mirage: ${text}\n`)
}
