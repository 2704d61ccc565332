import { HostFileSystem } from '../host-file-system.ts'
import type { JobArguments } from './job-arguments.ts'
import { openJob } from './opened-job.ts'
import { folderOf } from './run-request.ts'
import { UsageError } from './usage-error.ts'

/** `mirage apply`. */
export async function applyWord(given: JobArguments, write: (text: string) => void): Promise<number> {
  const [paths, include, exclude, all] = [given.texts('path'), given.texts('include'), given.texts('exclude'), given.flag('all')]
  if (all && [...paths, ...include, ...exclude].length > 0)
    throw new UsageError('apply: --all is everything: it does not go with --path, --include and --exclude')
  const target = given.text('target')
  const root = target === undefined ? null : folderOf(target, 'target')
  if (root === '/') throw new UsageError('apply: the target can not be /')
  const { job } = await openJob(given)
  const applied = await job.apply({
    paths,
    include,
    exclude,
    all,
    ...(root !== null && { target: { name: root, mounts: new Map([['/', new HostFileSystem({ root })]]) } }),
  })
  if (applied.alreadyApplied) write(`Job ${job.id} is already applied: there is nothing left\n`)
  else
    write(`${count(applied.paths.length)} made in ${applied.target} (apply ${applied.applyId}); ${applied.remaining} left on the stage\n`)
  return 0
}

/** `mirage drop`. */
export async function dropWord(given: JobArguments, write: (text: string) => void): Promise<number> {
  const { job } = await openJob(given)
  const { alreadyDropped } = await job.drop()
  write(alreadyDropped ? `the stage of Job ${job.id} was dropped before\n` : `the stage of Job ${job.id} is dropped; its record is kept\n`)
  return 0
}

function count(changes: number): string {
  return changes === 1 ? '1 change was' : `${changes} changes were`
}
