import type { Adapter, ReadOptions } from './adapter.ts'
import { versionFault } from './fault.ts'

/** Refuses a version that the adapter isn't for, unless it is accepted. `where` says where the file has it. */
export function demandVersion(adapter: Pick<Adapter, 'agent' | 'pinned'>, version: string, where: string, options: ReadOptions): void {
  const { acceptVersion } = options
  if (version === adapter.pinned || acceptVersion === 'any' || acceptVersion === version) return
  throw versionFault(
    `${where} is ${JSON.stringify(version)}: the adapter ${adapter.agent} is for ${adapter.pinned}; --accept-version ${version} takes it, where its structure is the same`,
  )
}
