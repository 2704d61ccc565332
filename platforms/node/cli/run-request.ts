import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { basename, join, relative, resolve, sep } from 'node:path'
import { hasCode, WorkspaceError } from '../../../src/errors.ts'
import type { Stdio } from './attend.ts'
import { duration } from './duration.ts'
import type { JobArguments } from './job-arguments.ts'
import { oneOf } from './job-arguments.ts'
import type { JobConfig } from './job-config.ts'
import { readJobConfig } from './job-config.ts'
import type { ExecutorName, JobMountFolder, JobWorkspace } from './job-workspace.ts'
import { UsageError } from './usage-error.ts'

/** What `mirage run` is to do: the command line, over the configuration it names. */
export interface RunRequest {
  readonly command: string | readonly string[]
  readonly executor: ExecutorName
  readonly workspace: JobWorkspace
  /** Absolute path of the folder for the stage; null where nothing is staged. */
  readonly stage: string | null
  readonly name?: string
  readonly timeoutMs?: number
  readonly suspendAfterMs?: number
  readonly access: readonly string[]
  readonly stdio: Stdio
}

const NO_CONFIG: JobConfig = { texts: new Map(), lists: new Map(), command: null }

/** Reads the configuration, if one is named, and checks everything that can be before a Job is made. */
export async function runRequest(given: JobArguments): Promise<RunRequest> {
  const path = given.text('config')
  const config = path === undefined ? NO_CONFIG : await readJobConfig(path)
  const text = (name: string): string | undefined => given.text(name) ?? config.texts.get(name)
  const list = (name: string): readonly string[] => [...(config.lists.get(name) ?? []), ...given.texts(name)]
  const executor = executorName(text('executor') ?? 'host')
  const stage = text('stage')
  const root = folderOf(text('workspace') ?? '.', 'the workspace')
  const mounts = list('mount').map((mount) => mountFolder(mount, stage !== undefined))
  const name = text('name')
  const timeout = time('timeout', text)
  const suspendAfter = time('suspend-after', text)
  if (suspendAfter !== undefined && executor === 'host')
    throw new WorkspaceError('CAPABILITY_UNSUPPORTED', 'suspend-after: a process of the host can not be suspended; use --executor machine')
  const access = [...(given.flag('clear-access') ? [] : (config.lists.get('access') ?? [])), ...given.texts('access')]
  return {
    command: commandOf(given, config),
    executor,
    workspace: {
      schema_version: 1,
      root,
      directory: directoryIn(root),
      mounts,
      pass_env: list('pass-env').map(variableName),
      private_tmp: executor === 'machine' && !hasTmp(root, mounts),
    },
    stage: stage === undefined ? null : stageFolder(stage, [root, ...mounts.map(({ folder }) => folder)]),
    ...(name !== undefined && { name }),
    ...(timeout !== undefined && { timeoutMs: timeout }),
    ...(suspendAfter !== undefined && { suspendAfterMs: suspendAfter }),
    access,
    stdio: oneOf(text('stdio') ?? 'inherit', 'stdio', ['inherit', 'capture']),
  }
}

function commandOf(given: JobArguments, config: JobConfig): string | readonly string[] {
  const line = given.text('command')
  if (line !== undefined && given.command !== null) throw new UsageError("run: give either a line with -c or a command after '--'")
  const command = line ?? given.command ?? config.command
  if (command === null) throw new UsageError(`run needs a command; usage: mirage run ${given.word.usage}`)
  return command
}

function executorName(name: string): ExecutorName {
  if (name === 'vm' || name === 'container') {
    throw new WorkspaceError(
      'CAPABILITY_UNSUPPORTED',
      `executor ${name}: there are no virtual machines or containers here; use machine, the shell of mirage, which can be suspended, or host`,
    )
  }
  return oneOf(name, 'executor', ['host', 'machine'])
}

/** Whether a command has a /tmp by its folders. */
function hasTmp(root: string, mounts: readonly JobMountFolder[]): boolean {
  return existsSync(join(root, 'tmp')) || mounts.some(({ prefix }) => prefix === '/tmp')
}

function time(name: string, text: (name: string) => string | undefined): number | undefined {
  const given = text(name)
  return given === undefined ? undefined : duration(given, name)
}

function variableName(name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new UsageError(`pass-env holds '${name}'; it may hold the name of a variable`)
  return name
}

/** Where this process is in the workspace; `/` where it is elsewhere. */
function directoryIn(root: string): string {
  const way = relative(root, realpathSync('.'))
  return way === '..' || way.startsWith(`..${sep}`) || way === '' ? '/' : `/${way.split(sep).join('/')}`
}

/** `DIR[:PATH]:MODE`. */
function mountFolder(text: string, isStaged: boolean): JobMountFolder {
  const usage = `mount holds '${text}'; it may hold DIR[:PATH]:MODE, such as ../lib:/lib:read`
  const last = text.lastIndexOf(':')
  if (last < 1) throw new UsageError(usage)
  const mode = oneOf(text.slice(last + 1), `mount '${text}': its mode`, ['read', 'stage', 'write'])
  if (mode === 'stage' && !isStaged) throw new UsageError(`mount '${text}': a folder can be staged only where the Job is: add --stage DIR`)
  const rest = text.slice(0, last)
  const colon = rest.lastIndexOf(':')
  const folder = folderOf(colon < 1 ? rest : rest.slice(0, colon), `mount '${text}'`)
  const path = colon < 1 ? basename(folder) : rest.slice(colon + 1)
  const prefix = path.startsWith('/') ? path : `/${path}`
  if (!/^(\/(?!\.{1,2}(\/|$))[^/]+)+$/.test(prefix)) throw new UsageError(usage)
  return { prefix, folder, mode }
}

/** The real path of an existing folder. */
export function folderOf(path: string, what: string): string {
  try {
    const real = realpathSync(path)
    if (lstatSync(real).isDirectory()) return real
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    throw new UsageError(`${what}: there is no folder ${path}`)
  }
  throw new UsageError(`${what}: ${path} is no folder`)
}

/** A folder for a stage: absolute, not there or empty, and apart from what is staged. */
export function stageFolder(path: string, staged: readonly string[]): string {
  const folder = realOf(resolve(path))
  for (const one of staged) {
    if (isAround(one, folder) || isAround(folder, one))
      throw new UsageError(`stage: ${path} and the folder ${one} lie in each other: choose a folder for the stage that is outside`)
  }
  try {
    if (readdirSync(folder).length > 0) throw new UsageError(`stage: ${path} is not empty: choose a folder that is new`)
  } catch (error) {
    if (hasCode(error, 'ENOTDIR')) throw new UsageError(`stage: ${path} is no folder`)
    if (!hasCode(error, 'ENOENT')) throw error
  }
  return folder
}

/** A path without links, as far as it is there. */
function realOf(path: string): string {
  const missing: string[] = []
  for (let at = path; ; at = resolve(at, '..')) {
    try {
      return join(realpathSync(at), ...missing.reverse())
    } catch (error) {
      if (!hasCode(error, 'ENOENT') || at === resolve(at, '..')) throw error
      missing.push(basename(at))
    }
  }
}

function isAround(outer: string, inner: string): boolean {
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep)
}
