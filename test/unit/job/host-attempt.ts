import { HostFileSystem } from '../../../platforms/node/host-file-system.ts'
import { hostExecutor } from '../../../platforms/node/index.ts'
import { decode } from '../../../src/bytes.ts'
import type { FileSystem } from '../../../src/fs/file-system.ts'
import { accessRule } from '../../../src/job/access.ts'
import type { Attempt, CommandEnd, Running } from '../../../src/job/executor.ts'
import type { JobMount } from '../../../src/job/stage.ts'
import { stagedMount } from '../../../src/job/stage.ts'
import type { SessionFields } from '../../../src/state/session-fields.ts'

export interface AttemptOptions extends Partial<Omit<Attempt, 'access' | 'output' | 'fields'>> {
  /** Folder in which copies are made. */
  readonly folder: string
  readonly access?: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly shell?: string
}

export interface Ended extends CommandEnd {
  readonly stdout: string
  readonly stderr: string
}

/** Starts a command with the executor for the host, staged over `mounts` as they are. */
export async function startAttempt(
  command: Attempt['command'],
  mounts: ReadonlyMap<string, JobMount>,
  options: AttemptOptions,
): Promise<{ running: Running; ended: Promise<Ended> }> {
  const { folder, access = [], cwd = '/', env = {}, ...rest } = options
  const texts = { stdout: '', stderr: '' }
  const running = await hostExecutor({ folder }).start({
    jobId: 'run-1',
    command,
    mounts,
    isStaged: true,
    purpose: 'run',
    fields: fieldsOf(cwd, env),
    access: access.map(accessRule),
    stdin: new Uint8Array(0),
    output: (bytes, stream) => {
      texts[stream] += decode(bytes)
    },
    execution: null,
    startsPaused: false,
    ...rest,
  })
  return { running, ended: running.ended.then((end) => ({ ...end, ...texts })) }
}

export async function runAttempt(
  command: Attempt['command'],
  mounts: ReadonlyMap<string, JobMount>,
  options: AttemptOptions,
): Promise<Ended> {
  return (await startAttempt(command, mounts, options)).ended
}

/** A staged mount of a folder or of another file system. */
export function staged(lower: string | FileSystem, upper?: FileSystem): JobMount & { staged: NonNullable<JobMount['staged']> } {
  const stage = stagedMount(typeof lower === 'string' ? new HostFileSystem({ root: lower }) : lower, upper)
  return { mode: 'write', fs: stage.overlay, staged: stage }
}

function fieldsOf(cwd: string, env: Readonly<Record<string, string>>): SessionFields {
  return {
    cwd,
    variables: new Map(Object.entries(env).map(([name, value]) => [name, { attributes: 'x', value }])),
    functions: new Map(),
    aliases: new Map(),
    umask: 0o022,
    rules: { profile: null, mountModes: new Map(), paths: { hide: [], deny: [] }, commands: { allow: null, deny: [] } },
  }
}
