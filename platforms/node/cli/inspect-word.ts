import { endings } from './endings.ts'
import type { JobArguments } from './job-arguments.ts'
import { executorOf, openSelected, selectedJob } from './opened-job.ts'
import { inspectScratch } from './scratch.ts'
import { UsageError } from './usage-error.ts'

/** `mirage inspect`: the command's exit status. */
export async function inspectWord(given: JobArguments): Promise<number> {
  const { command, word } = given
  if (command === null) throw new UsageError(`inspect needs a command; usage: mirage inspect ${word.usage}`)
  const selected = await selectedJob(given)
  const scratch = inspectScratch(selected.found.folder, executorOf(selected.found))
  const ending = endings()
  const { signal, out, errors } = ending
  try {
    const job = await openSelected(selected, scratch)
    const checkpoint = given.text('checkpoint')
    const { exitCode, signal: endedBy } = await job.inspect(command, {
      ...(checkpoint !== undefined && { checkpoint }),
      signal,
      ...(!scratch.hasTerminal && { stdin: process.stdin }),
      onOutput: (bytes, stream) => (stream === 'stdout' ? out : errors).write(bytes),
    })
    if (signal.aborted) return ending.status
    if (endedBy !== null) process.stderr.write(`mirage: ended by ${endedBy}\n`)
    return exitCode
  } finally {
    ending.stop()
    process.stdin.destroy()
    scratch.remove(false)
  }
}
