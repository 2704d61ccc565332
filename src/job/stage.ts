import type { FileSystem } from '../fs/file-system.ts'
import { RAMFileSystem } from '../fs/memory.ts'
import type { MountMode } from '../fs/mount-table.ts'
import { OverlayFileSystem } from '../fs/overlay.ts'
import { Baseline } from './baseline.ts'
import type { Fingerprint } from './job-documents.ts'

/** A mount as a Job has it. */
export interface JobMount {
  readonly mode: MountMode
  /** What its command sees and changes: the overlay where the mount is staged. */
  readonly fs: FileSystem
  readonly staged: StagedMount | null
}

/** The two layers of a staged mount, and what was there before. */
export interface StagedMount {
  /** What the workspace has mounted: only `apply` writes there. */
  readonly lower: FileSystem
  /** What the Job changed, in the form of an {@link OverlayFileSystem}'s upper layer. */
  readonly upper: FileSystem
  readonly overlay: OverlayFileSystem
  readonly baseline: Baseline
  /** It is kept with the Job, and is no part of what is proposed. */
  readonly isPrivate: boolean
}

/** Stages a mount: over an upper layer that may hold changes already, with what is known of the time before them. */
export function stagedMount(
  lower: FileSystem,
  upper: FileSystem = new RAMFileSystem(),
  known: Iterable<readonly [path: string, fingerprint: Fingerprint]> = [],
  isPrivate = false,
): StagedMount {
  const baseline = new Baseline(lower, known)
  const overlay = new OverlayFileSystem({ lower, upper, onTouch: (path) => baseline.touch(path) })
  return { lower, upper, overlay, baseline, isPrivate }
}
