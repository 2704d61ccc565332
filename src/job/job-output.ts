import { encode } from '../bytes.ts'
import type { RunningJob } from './active-job.ts'
import type { RunBundle } from './bundle.ts'
import { CapturedOutput } from './captured-output.ts'
import { capturedBefore, executionOf, headOf } from './execution.ts'
import type { JobCore } from './job-core.ts'
import { readDocument, runRecord } from './job-core.ts'

/** The beginning of what a Job has written: up to 1 MiB of each stream. */
export interface JobOutput {
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  /** More was written than is kept. */
  readonly stdoutTruncated: boolean
  readonly stderrTruncated: boolean
}

/** What a Job has written so far, where it runs here; else until it was suspended last, or ended. */
export async function jobOutput(core: JobCore, running: RunningJob | null): Promise<JobOutput> {
  if (running !== null) return outputOf(running.captured)
  const { state } = await runRecord(core)
  const bundle = state === 'suspended' ? null : await readDocument<RunBundle>(core, 'run-bundle.json')
  if (bundle !== null) {
    const { stdout, stderr, stdout_truncated, stderr_truncated } = bundle.run.output
    return { stdout: encode(stdout), stderr: encode(stderr), stdoutTruncated: stdout_truncated, stderrTruncated: stderr_truncated }
  }
  const head = await headOf(core)
  return outputOf(head === null ? new CapturedOutput() : capturedBefore(await executionOf(core, head)))
}

function outputOf(captured: CapturedOutput): JobOutput {
  return {
    stdout: captured.bytes('stdout'),
    stderr: captured.bytes('stderr'),
    stdoutTruncated: captured.isTruncated('stdout'),
    stderrTruncated: captured.isTruncated('stderr'),
  }
}
