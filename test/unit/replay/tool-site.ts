import { concat, decode, encode } from '../../../src/bytes.ts'
import { standardCommands } from '../../../src/commands/standard.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { dirname } from '../../../src/fs/path.ts'
import { webHost } from '../../../src/host.ts'
import type { Executor } from '../../../src/job/executor.ts'
import { stagedMount } from '../../../src/job/stage.ts'
import { machineExecutor } from '../../../src/machine-executor.ts'
import { OPEN_RULES } from '../../../src/profile.ts'
import type { JsonObject } from '../../../src/replay/json.ts'
import { replaySite } from '../../../src/replay/site.ts'
import type { ReplaySite, ToolOutcome, Toolset } from '../../../src/replay/toolset.ts'
import type { Batch, LiveCall, Trajectory } from '../../../src/replay/trajectory.ts'
import { DEFAULT_LIMITS } from '../../../src/shell/machine/machine.ts'
import { mountWorkspace } from '../../../src/workspace-mounts.ts'

/** A site of our machine, or of another executor, over files in memory, staged as those of a Job are. */
export interface ToolSite {
  readonly site: ReplaySite
  /** Runs a call, and gives its outcome. */
  call(tools: Toolset, name: string, given: JsonObject): Promise<ToolOutcome>
  text(path: string): Promise<string>
  close(): Promise<unknown>
}

export async function toolSite(
  files: Readonly<Record<string, string>>,
  directory = '/',
  { executor: other, recorded = null }: { readonly executor?: Executor; readonly recorded?: string | null } = {},
): Promise<ToolSite> {
  const base = new RAMFileSystem()
  const makeDirectory = (path: string): void => {
    if (path === '/') return
    makeDirectory(dirname(path))
    try {
      base.mkdir(path)
    } catch {
      // It is there.
    }
  }
  for (const [path, text] of Object.entries(files)) {
    makeDirectory(dirname(path))
    base.write(path, encode(text))
  }
  const staged = stagedMount(base, new RAMFileSystem())
  const builtIn = mountWorkspace(new Map(), webHost, standardCommands.keys()).mounts()
  const executor = machineExecutor({
    host: webHost,
    commands: standardCommands,
    limits: DEFAULT_LIMITS,
    builtIn: () => new Map(builtIn.flatMap(({ prefix, fs, mode }) => (prefix === '/' ? [] : [[prefix, { fs, mode }]]))),
  })
  const command = await (other ?? executor).open?.({
    jobId: 'tools',
    mounts: new Map([['/', { mode: 'exec', fs: staged.overlay, staged }]]),
    isStaged: true,
    fields: { cwd: '/', variables: new Map(), functions: new Map(), aliases: new Map(), umask: 0o022, rules: OPEN_RULES },
    access: [],
  })
  if (command === undefined) throw new Error('no site')
  const site = replaySite(command, { directory, recordedDirectory: recorded, callTimeoutMs: 60_000, signal: undefined })
  let calls = 0
  return {
    site,
    call: (tools, name, given) => tools.run({ id: `call-${++calls}`, name, arguments: given }, site),
    text: async (path) => decode(await site.fs.read(path)),
    close: () => command.close(),
  }
}

/** Runs all calls of the first batches at a site. */
export async function runBatches({ batches, toolset }: Trajectory, count: number, place: Pick<ToolSite, 'site'>): Promise<ToolOutcome[][]> {
  const fresh: ToolOutcome[][] = []
  for (const { calls } of batches.slice(0, count)) fresh.push(await runCalls(toolset, calls, place))
  return fresh
}

/** What a native file holds, as text. */
export function textOf(file: readonly Uint8Array[]): string {
  return decode(concat(file))
}

/** Runs calls at a site. */
export async function runCalls(tools: Toolset, calls: readonly LiveCall[], { site }: Pick<ToolSite, 'site'>): Promise<ToolOutcome[]> {
  const outcomes: ToolOutcome[] = []
  for (const call of calls) outcomes.push(await tools.run(call, site))
  return outcomes
}

/** The first batches with what was observed now. */
export function withFresh({ batches }: Trajectory, fresh: readonly (readonly ToolOutcome[])[]): readonly Batch[] {
  return batches.slice(0, fresh.length).map((batch, i) => ({
    ...batch,
    calls: batch.calls.map((call, at) => {
      const { value = '', isError = false } = fresh[i]?.[at] ?? {}
      return { ...call, recorded: { value, isError } }
    }),
  }))
}
