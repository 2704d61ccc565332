import { concat, decode } from '../bytes.ts'
import { isWithin, normalise } from '../fs/path.ts'
import type { CommandSite } from '../job/executor.ts'
import type { JsonValue } from './json.ts'
import type { ReplaySite, ShellCallOptions, ShellOutcome } from './toolset.ts'

/** Bytes of a call's output that are kept. */
const MOST_OUTPUT = 4 * 1024 * 1024
/** Milliseconds that a call may take where nobody says. */
export const CALL_TIMEOUT: number = 30 * 60_000
/** How shells say that a command isn't there: bash, dash, our own. */
const NOT_FOUND = /^(?:[^\n:]*: (?:line \d+: |\d+: )?)?([^\s:]+): (?:command )?not found$/gm

export interface SiteOptions {
  readonly directory: string
  /** The directory that the agent worked in when it was recorded; null where nobody knows. */
  readonly recordedDirectory: string | null
  readonly callTimeoutMs: number
  readonly signal: AbortSignal | undefined
}

/** Where tools are run: the files and shells of a Job. */
export function replaySite(site: CommandSite, options: SiteOptions): ReplaySite {
  const { directory } = options
  return {
    fs: site.fs,
    directory,
    memory: new Map<string, JsonValue>(),
    path: (given) => pathOf(given, options),
    shell: (line, how) => runShell(site, line, how ?? {}, options),
  }
}

function pathOf(given: string, { directory, recordedDirectory }: SiteOptions): string {
  if (!given.startsWith('/')) return normalise(`${directory}/${given}`)
  const path = normalise(given)
  if (recordedDirectory === null || recordedDirectory === '/' || !isWithin(path, normalise(recordedDirectory))) return path
  return normalise(`${directory}/${path.slice(normalise(recordedDirectory).length)}`)
}

async function runShell(site: CommandSite, line: string, options: ShellCallOptions, given: SiteOptions): Promise<ShellOutcome> {
  const chunks: { readonly bytes: Uint8Array; readonly stream: 'stdout' | 'stderr' }[] = []
  const missing = new Set<string>()
  let size = 0
  const { status, timedOut } = await site.run({
    line,
    session: options.session ?? null,
    cwd: options.cwd ?? given.directory,
    env: options.env ?? {},
    mergesErrors: options.mergesErrors === true,
    timeoutMs: options.timeoutMs ?? given.callTimeoutMs,
    signal: given.signal,
    missing: (name) => missing.add(name),
    output: (bytes, stream) => {
      const room = MOST_OUTPUT - Math.min(MOST_OUTPUT, size)
      size += bytes.length
      if (room > 0) chunks.push({ bytes: bytes.slice(0, room), stream })
    },
  })
  const text = (stream: 'stdout' | 'stderr' | null): string =>
    decode(concat(chunks.flatMap((chunk) => (stream === null || chunk.stream === stream ? [chunk.bytes] : []))))
  const output = text(null)
  for (const [, name] of output.matchAll(NOT_FOUND)) if (name !== undefined) missing.add(name)
  return {
    output,
    stdout: text('stdout'),
    stderr: text('stderr'),
    status,
    timedOut,
    droppedBytes: Math.max(0, size - MOST_OUTPUT),
    missing: [...missing],
  }
}
