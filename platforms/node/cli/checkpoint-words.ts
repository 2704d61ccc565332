import type { CheckpointManifest } from '../../../src/job/checkpoint-documents.ts'
import type { Job } from '../../../src/job/job.ts'
import { duration } from './duration.ts'
import type { JobArguments } from './job-arguments.ts'
import { localTime } from './local-time.ts'
import { openJob } from './opened-job.ts'
import { table } from './table.ts'

type Write = (text: string) => void

const KINDS = ['workspace', 'execution'] as const

/** `mirage checkpoint create`. */
export function createWord(given: JobArguments, write: Write): Promise<number> {
  const [kind, requestId, timeout] = [given.choice('kind', KINDS), given.text('request-id'), given.text('timeout')]
  const timeoutMs = timeout === undefined ? undefined : duration(timeout, 'timeout')
  return answer(given, write, async (job) => {
    const created = await job.checkpoints.create({
      ...(kind !== undefined && { kind }),
      ...(requestId !== undefined && { requestId }),
      ...(timeoutMs !== undefined && { timeoutMs }),
    })
    return [created, `${created.checkpoint_id}${created.reused ? ' (it was made before)' : ''}\n`]
  })
}

/** `mirage checkpoint list`. */
export function listWord(given: JobArguments, write: Write): Promise<number> {
  const kind = given.choice('kind', KINDS)
  return answer(given, write, async (job) => {
    const listed = await job.checkpoints.list(kind === undefined ? {} : { kind })
    if (listed.checkpoints.length === 0) return [listed, 'no checkpoints yet\n']
    return [listed, table([['CHECKPOINT', 'KIND', 'MADE'], ...listed.checkpoints.map(row)])]
  })
}

/** `mirage checkpoint show`. */
export function showWord(given: JobArguments, write: Write): Promise<number> {
  return answer(given, write, async (job) => {
    const shown = await job.checkpoints.show(given.operands[1] as string)
    const { checkpoint, branch_references: forks } = shown
    const rows = [
      ['checkpoint:', checkpoint.checkpoint_id],
      ['kind:', checkpoint.kind],
      ['made:', localTime(checkpoint.created_at_unix_ms)],
      ['of:', checkpoint.target],
      ['forks:', String(forks)],
    ]
    return [shown, table(rows)]
  })
}

/** `mirage checkpoint delete`. */
export function deleteWord(given: JobArguments, write: Write): Promise<number> {
  return answer(given, write, async (job) => {
    const deleted = await job.checkpoints.delete(given.operands[1] as string)
    return [deleted, `${deleted.checkpoint_id} is deleted\n`]
  })
}

/** `mirage checkpoint gc`. */
export function gcWord(given: JobArguments, write: Write): Promise<number> {
  const kind = given.choice('kind', KINDS)
  return answer(given, write, async (job) => {
    const swept = await job.checkpoints.gc(kind === undefined ? {} : { kind })
    return [swept, `${swept.removed_transactions} unfinished checkpoints were removed\n`]
  })
}

async function answer(
  given: JobArguments,
  write: Write,
  ask: (job: Job) => Promise<readonly [document: unknown, text: string]>,
): Promise<number> {
  const [document, text] = await ask((await openJob(given)).job)
  write(given.flag('json') ? `${JSON.stringify(document, null, 2)}\n` : text)
  return 0
}

function row({ checkpoint_id, kind, created_at_unix_ms }: CheckpointManifest): readonly string[] {
  return [checkpoint_id, kind, localTime(created_at_unix_ms)]
}
