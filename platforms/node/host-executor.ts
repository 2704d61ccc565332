import { statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { errorText, WorkspaceError } from '../../src/errors.ts'
import { normalise } from '../../src/fs/path.ts'
import type { Attempt, CommandEnd, CommandSite, Enforcement, Executor, Running, SiteAttempt } from '../../src/job/executor.ts'
import { checkNames, checkText, variableEntries } from '../../src/option-checks.ts'
import { HostFileSystem } from './host-file-system.ts'
import type { HostProcess, ProcessEnd } from './host-process.ts'
import { startProcess } from './host-process.ts'
import { HostSite } from './host-site.ts'
import type { JobCopy } from './job-copy.ts'
import { copyJob } from './job-copy.ts'
import { endLeftProcesses, JOB_VARIABLE } from './left-processes.ts'
import { hostPath } from './node-directories.ts'
import { recordChanges } from './record-changes.ts'

/** How Jobs run as processes of the host. */
export interface HostExecutorOptions {
  /** An existing folder in which files are copied for the time that a command runs; that for temporary files when left out. Copies cost least on the disk of the files. */
  readonly folder?: string
  /** Variables that every process gets, besides those of its Job; those of this process when left out. */
  readonly env?: Readonly<Record<string, string>>
  /** What runs a line of shell: called with `-c LINE`; `/bin/sh` when left out. */
  readonly shell?: string
  /** Commands have the streams of this process, which are a terminal, instead of being given bytes: `stdin`, `onOutput` and what is kept of output are not for them. */
  readonly ownStreams?: boolean
}

/**
 * Runs the commands of Jobs as processes of the host: `executors: { host: hostExecutor() }`. A staged one works in a copy of the files, and what it changed
 * there goes to the stage when it has ended; an unstaged one works in the mounted folder itself, or in a copy where files are not in a folder.
 * The process may do whatever the user may: nothing keeps it from what it names by its place outside the copy, or from the network.
 */
export function hostExecutor(options: HostExecutorOptions = {}): Executor {
  checkNames(options, ['folder', 'env', 'shell', 'ownStreams'], 'hostExecutor')
  checkText(options.folder, 'folder')
  checkText(options.shell, 'shell')
  const env = options.env === undefined ? undefined : Object.fromEntries(variableEntries(options.env, 'env'))
  return {
    name: 'host',
    isolation: 'process group',
    executionBlocker: 'a process of the host can not be saved while it runs (CAPABILITY_UNSUPPORTED); use the executor "machine"',
    start: (attempt) => start({ ...options, env }, attempt),
    open: (attempt) => open({ ...options, env }, attempt),
    endLeft: endLeftProcesses,
    enforcement,
  }
}

function enforcement({ isStaged, access }: Pick<Attempt, 'isStaged' | 'access'>): Readonly<Record<string, Enforcement>> {
  const nothing: Enforcement = { level: 'unenforced', mechanisms: [] }
  return {
    filesystem_read: access.length > 0 ? { level: 'cooperative', mechanisms: ['denied paths are not in its copy'] } : nothing,
    filesystem_write: isStaged ? { level: 'cooperative', mechanisms: ['it works in a copy'] } : nothing,
    network: nothing,
    subprocess: { level: 'cooperative', mechanisms: ['process group'] },
    resources: nothing,
  }
}

interface Given extends HostExecutorOptions {
  readonly env: Readonly<Record<string, string>> | undefined
}

async function start(given: Given, attempt: Attempt): Promise<Running> {
  demandPossible(attempt)
  const folder = folderAtOnce(attempt)
  if (folder !== null) return await run(given, attempt, folder, null)
  const copy = await copyJob(attempt, given.folder ?? tmpdir())
  try {
    return await run(given, attempt, copy.placeOf(normalise(attempt.fields.cwd)), copy)
  } catch (error) {
    copy.remove()
    throw error
  }
}

/** Commands that run one after another work in a copy, whether they are staged or not: what they changed is brought over at the end. */
async function open(given: Given, attempt: SiteAttempt): Promise<CommandSite> {
  demandPossible({ ...attempt, execution: null })
  const copy = await copyJob({ ...attempt, purpose: 'run' }, given.folder ?? tmpdir())
  return new HostSite({
    copy,
    shell: given.shell ?? 'bash',
    cwd: attempt.fields.cwd,
    env: { ...inherited(given), ...exported(attempt), [JOB_VARIABLE]: attempt.jobId },
    keep: () => keepChanges({ ...attempt, purpose: 'run' }, copy),
  })
}

/** CAPABILITY_UNSUPPORTED for what a process can't be kept from, or can't do. */
function demandPossible({ jobId, execution, fields, isStaged, access, mounts }: SiteAttempt & Pick<Attempt, 'execution'>): void {
  const refuse = (why: string): never => {
    throw new WorkspaceError('CAPABILITY_UNSUPPORTED', `CAPABILITY_UNSUPPORTED: Job ${jobId}: ${why}`)
  }
  if (execution !== null) refuse('a process of the host can not go on from a saved state; use the executor "machine"')
  const { commands, mountModes } = fields.rules
  if (commands.allow !== null || commands.deny.length > 0)
    refuse('rules for commands can not be enforced on processes of the host; use the executor "machine"')
  if (mountModes.size > 0) refuse('a profile that narrows mounts can not be enforced on processes of the host; use the executor "machine"')
  if (isStaged) return
  const isDenied = access.length + fields.rules.paths.deny.length + fields.rules.paths.hide.length > 0
  if (isDenied)
    refuse('paths can only be denied to a process of the host that works in a copy: run the command staged, or use the executor "machine"')
  // What is in /tmp for a process is what the machine has there.
  const others = [...mounts.keys()].filter((prefix) => prefix !== '/' && prefix !== '/tmp')
  if (mounts.get('/')?.fs instanceof HostFileSystem && others.length > 0)
    refuse(
      'a process that works in the folder itself can not see other mounts there: run the command staged, or use the executor "machine"',
    )
}

/** The directory of the host that an unstaged command works in; null where it needs a copy. */
function folderAtOnce({ isStaged, purpose, mounts, fields }: Attempt): string | null {
  const root = mounts.get('/')
  if (isStaged || purpose !== 'run' || root === undefined || root.mode === 'read' || !(root.fs instanceof HostFileSystem)) return null
  const cwd = normalise(fields.cwd)
  return cwd === '/' ? root.fs.root : root.fs.placeOf(cwd)
}

async function run(given: Given, attempt: Attempt, cwd: string, copy: JobCopy | null): Promise<Running> {
  const command = typeof attempt.command === 'string' ? [given.shell ?? '/bin/sh', '-c', attempt.command] : attempt.command
  let child: HostProcess
  try {
    demandDirectory(cwd)
    const env = { ...inherited(given), ...exported(attempt), PWD: cwd, [JOB_VARIABLE]: attempt.jobId }
    child = await startProcess({ command, cwd, env, stdin: attempt.stdin, output: attempt.output, ownStreams: given.ownStreams === true })
  } catch (error) {
    copy?.remove()
    const message = `${command[0]}: ${errorText(error)}`
    const end: CommandEnd = { exitCode: null, signal: null, failure: { kind: 'spawn', message }, warnings: [] }
    return { ended: Promise.resolve(end), kill: () => undefined, pid: null }
  }
  const ended = child.ended.then((end) => finish(attempt, copy, end))
  ended.catch(() => undefined)
  return { ended, kill: child.kill, pid: child.pid }
}

function demandDirectory(cwd: string): void {
  if (statSync(hostPath(cwd), { throwIfNoEntry: false })?.isDirectory() === true) return
  throw new WorkspaceError('ENOENT', `no directory '${cwd}' to start in`)
}

async function finish(attempt: Attempt, copy: JobCopy | null, { exitCode, signal, leftProcesses }: ProcessEnd): Promise<CommandEnd> {
  const warnings: string[] = []
  if (leftProcesses) warnings.push('what the command had left running was ended')
  if (copy === null) return { exitCode, signal, failure: null, warnings }
  try {
    warnings.push(...(await keepChanges(attempt, copy)))
  } catch (error) {
    return { exitCode, signal, failure: { kind: 'infrastructure', message: errorText(error) }, warnings }
  }
  return { exitCode, signal, failure: null, warnings }
}

/** Brings what was changed in a copy to the mounts, and removes the copy. Where that fails, the copy stays, and the error says where: what was made must not be lost. */
async function keepChanges({ purpose }: Pick<Attempt, 'purpose'>, copy: JobCopy): Promise<readonly string[]> {
  const warnings: string[] = []
  try {
    for (const mount of copy.mounts) {
      if (purpose === 'inspect' || (mount.mount.staged === null && mount.mount.mode === 'read')) continue
      warnings.push(...(await recordChanges(copy, mount)))
    }
  } catch (cause) {
    throw new WorkspaceError('EIO', `what the command changed could not be kept: ${errorText(cause)}; it is in ${copy.root}`, { cause })
  }
  copy.remove()
  return warnings
}

function inherited({ env }: Given): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const [name, value] of Object.entries(env ?? process.env)) if (value !== undefined) variables[name] = value
  return variables
}

/** What the Job exports. What every session of a workspace starts with is about the workspace, not the host. */
function exported({ fields }: Pick<Attempt, 'fields'>): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const [name, { attributes, value }] of fields.variables) {
    if (attributes.includes('x') && typeof value === 'string' && !OF_WORKSPACE.get(name)?.includes(value)) variables[name] = value
  }
  return variables
}

const OF_WORKSPACE: ReadonlyMap<string, readonly string[]> = new Map([
  ['HOME', ['/', '/home/user']],
  ['PATH', ['/usr/bin:/bin']],
  ['USER', ['user']],
])
