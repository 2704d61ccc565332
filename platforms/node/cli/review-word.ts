import { encode } from '../../../src/bytes.ts'
import type { JobArguments } from './job-arguments.ts'
import { openJob } from './opened-job.ts'
import { reviewText } from './review-text.ts'
import { UsageError } from './usage-error.ts'

/** `mirage review`. */
export async function reviewWord(given: JobArguments, write: (text: string | Uint8Array) => void): Promise<number> {
  if (given.flag('json') && given.flag('diff')) throw new UsageError('review: --json and --diff do not go together')
  const [maxBytes, maxFileBytes] = [byteCount(given, 'max-diff-bytes'), byteCount(given, 'max-diff-file-bytes')]
  const checkpoint = given.text('checkpoint')
  const at = checkpoint === undefined ? {} : { checkpoint }
  const { job, found } = await openJob(given)
  const review = await job.review(at)
  if (given.flag('json')) {
    write(`${JSON.stringify(review, null, 2)}\n`)
    return 0
  }
  write(reviewText(review, found.folder))
  if (!given.flag('diff')) return 0
  const diff = await job.diff({ ...at, ...(maxBytes !== undefined && { maxBytes }), ...(maxFileBytes !== undefined && { maxFileBytes }) })
  write(encode(`\n${diff}`))
  return 0
}

function byteCount(given: JobArguments, name: string): number | undefined {
  const text = given.text(name)
  if (text === undefined) return undefined
  if (!/^\d+$/.test(text)) throw new UsageError(`option '--${name}' holds '${text}'; it may hold a number of bytes`)
  return Number(text)
}
