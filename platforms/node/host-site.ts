import type { FileSystem } from '../../src/fs/file-system.ts'
import { followLinks } from '../../src/fs/follow-links.ts'
import { MountTable } from '../../src/fs/mount-table.ts'
import { normalise } from '../../src/fs/path.ts'
import type { CommandSite, SiteCommand, SiteEnd } from '../../src/job/executor.ts'
import { HostFileSystem } from './host-file-system.ts'
import type { HostProcess } from './host-process.ts'
import { startProcess } from './host-process.ts'
import { HostShell } from './host-shell.ts'
import type { JobCopy } from './job-copy.ts'

export interface HostSiteOptions {
  readonly copy: JobCopy
  /** Called with `-c LINE`, or reading lines. */
  readonly shell: string
  /** Where shells start: a path of the workspace. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Brings what was changed to the mounts, and removes the copy; gives warnings. */
  keep(): Promise<readonly string[]>
}

/** Processes of the host over a copy of a Job's files, one after another. */
export class HostSite implements CommandSite {
  readonly fs: FileSystem
  readonly isLive: boolean = false
  readonly #options: HostSiteOptions
  readonly #sessions = new Map<string, HostShell>()

  constructor(options: HostSiteOptions) {
    this.#options = options
    const mounts = options.copy.mounts.map(
      ({ prefix, place, mount }) => [prefix, { fs: new HostFileSystem({ root: place }), mode: mount.mode }] as const,
    )
    this.fs = followLinks(new MountTable(mounts))
  }

  async run(command: SiteCommand): Promise<SiteEnd> {
    command.signal?.throwIfAborted()
    const { line, session: name, mergesErrors } = command
    if (name === null) {
      const text = mergesErrors ? `exec 2>&1\n${line}` : line
      return this.#bounded(command, await this.#start(command, ['-c', text], new Uint8Array(0), command.output))
    }
    const session = this.#sessions.get(name) ?? (await HostShell.start((stdin, output) => this.#start(command, [], stdin, output)))
    this.#sessions.set(name, session)
    const end = await this.#bounded(command, { kill: session.kill, ended: session.run(line, mergesErrors, command.output) })
    if (session.isOver) this.#sessions.delete(name)
    return end
  }

  async close(): Promise<readonly string[]> {
    for (const session of this.#sessions.values()) await session.close()
    return this.#options.keep()
  }

  /** Starts a shell in the copy. */
  #start(command: SiteCommand, words: readonly string[], stdin: ShellInput, output: SiteCommand['output']): Promise<HostProcess> {
    const { copy, shell, env, cwd } = this.#options
    const place = copy.placeOf(normalise(command.cwd ?? cwd))
    return startProcess({
      command: [shell, ...words],
      cwd: place,
      env: { ...env, ...command.env, PWD: place },
      stdin,
      output,
      ownStreams: false,
    })
  }

  /** Waits for an end that the time limit or the signal may hasten. */
  async #bounded(
    { timeoutMs, signal }: SiteCommand,
    running: { kill(): void; readonly ended: Promise<{ readonly exitCode: number | null }> },
  ): Promise<SiteEnd> {
    let ended: 'limit' | 'signal' | null = null
    const end = (why: 'limit' | 'signal') => (): void => {
      ended = why
      running.kill()
    }
    const timer = setTimeout(end('limit'), Math.min(timeoutMs, 0x7fff_ffff))
    const abort = end('signal')
    signal?.addEventListener('abort', abort, { once: true })
    // It may have fired while the process was started.
    if (signal?.aborted === true) abort()
    try {
      const { exitCode } = await running.ended
      return { status: ended === null ? exitCode : null, timedOut: ended === 'limit' }
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }
}

type ShellInput = Parameters<typeof startProcess>[0]['stdin']
