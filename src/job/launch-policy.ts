import type { JobCore } from './job-core.ts'
import { readDocument } from './job-core.ts'
import type { JobOptions } from './job-options.ts'

export const LAUNCH_POLICY = 'workspace-launch-policy.json'

/** `workspace-launch-policy.json`: what a fork inherits. Values of variables are not in it: they may be secrets. */
export interface LaunchPolicy {
  readonly schema_version: 1
  readonly executor: 'machine' | 'host'
  readonly access: readonly string[]
  readonly cwd: string | null
  readonly profile: string | null
  readonly timeout_ms: number | null
}

export function launchPolicyOf({ executor = 'machine', access = [], cwd, profile, timeoutMs }: JobOptions): LaunchPolicy {
  return { schema_version: 1, executor, access, cwd: cwd ?? null, profile: profile ?? null, timeout_ms: timeoutMs ?? null }
}

/** Null where nobody wrote it down. */
export async function launchPolicy(core: JobCore): Promise<LaunchPolicy | null> {
  const policy = await readDocument<LaunchPolicy>(core, LAUNCH_POLICY)
  return policy?.schema_version === 1 ? policy : null
}
