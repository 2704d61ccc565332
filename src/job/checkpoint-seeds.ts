import { WorkspaceError } from '../errors.ts'
import type { FileSystem } from '../fs/file-system.ts'
import type { CheckpointManifest } from './checkpoint-documents.ts'
import { contentIn } from './content-store.ts'
import type { JobCore } from './job-core.ts'
import type { RunRecord } from './job-documents.ts'
import type { JobOptions } from './job-options.ts'
import type { newMounts } from './job-stage.ts'
import { checkpointPreimages } from './stored-checkpoints.ts'

/** What a checkpoint has, as the beginning of a stage; `replaces` where the stage's place has what came after it. EEXIST where the place has anything else. */
export async function seedsOf(
  source: JobCore,
  manifest: CheckpointManifest,
  replaces = false,
): Promise<NonNullable<Parameters<typeof newMounts>[2]>> {
  const content = contentIn(source.place.objects)
  const preimages = await checkpointPreimages(source, manifest)
  return async (prefix, upper) => {
    const tree = manifest.upper_snapshot.find((one) => one.prefix === prefix)?.tree
    const known = preimages.mounts.find((one) => one.prefix === prefix)?.paths ?? []
    if (upper === undefined) return { upper: tree === undefined ? undefined : await content.open(tree), known }
    if (!replaces) await demandEmpty(upper)
    if (tree !== undefined) await content.restore(tree, upper)
    return { upper, known }
  }
}

async function demandEmpty(upper: FileSystem): Promise<void> {
  if ((await upper.readdir('/')).length > 0)
    throw new WorkspaceError('EEXIST', 'the stage of a fork has to be empty, and there are files in it')
}

/** What a record says was run. */
export function commandOf({ command, command_line }: RunRecord): JobOptions['command'] {
  return command_line ? (command[0] ?? '') : command
}
