import { fingerprintOf, sameFingerprint } from './baseline.ts'
import type { Fingerprint, StagedChange } from './job-documents.ts'
import type { StagedMount } from './stage.ts'

/** A net change, and where it is. */
export interface NetChange extends StagedChange {
  /** Prefix of its mount, and the path in that. */
  readonly mount: string
  readonly inner: string
  readonly before: Fingerprint
  readonly after: Fingerprint
}

/** What a stage changes, in the order of paths. */
export async function netChanges(stage: ReadonlyMap<string, StagedMount>): Promise<readonly NetChange[]> {
  const changes: NetChange[] = []
  for (const [mount, staged] of stage) {
    if (staged.isPrivate) continue
    const seen = new Set<string>()
    for (const { path } of await staged.overlay.changes()) {
      if (seen.has(path)) continue
      seen.add(path)
      // What was applied has no baseline any more, nor has what came with a directory that was moved.
      const before: Fingerprint = staged.baseline.get(path) ?? (await fingerprintOf(staged.lower, path))
      const after = await fingerprintOf(staged.overlay, path)
      const change = changeOf(before, after)
      if (change !== null) changes.push({ path: relative(mount, path), mount, inner: path, before, after, ...change })
    }
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** The change as documents have it. */
export function changeDocument({ path, kind, old_type, new_type, size_bytes, mode }: NetChange): StagedChange {
  return {
    path,
    kind,
    ...(old_type && { old_type }),
    ...(new_type && { new_type }),
    ...(size_bytes !== undefined && { size_bytes }),
    ...(mode !== undefined && { mode }),
  }
}

function changeOf(before: Fingerprint, after: Fingerprint): Omit<StagedChange, 'path'> | null {
  if (sameFingerprint(before, after)) return null
  if (after.type === 'absent') return { kind: 'deleted', ...(before.type !== 'absent' && { old_type: before.type }) }
  const now = { new_type: after.type, ...('mode' in after && { mode: after.mode }), ...('size' in after && { size_bytes: after.size }) }
  if (before.type === 'absent') return { kind: 'added', ...now }
  return { kind: before.type === after.type ? 'modified' : 'type_changed', old_type: before.type, ...now }
}

function relative(mount: string, path: string): string {
  return (mount === '/' ? path : mount + path).slice(1)
}
