import { expect } from 'vitest'
import { RedisWorkspaceStateStore } from '../../src/state/redis-state-store.ts'
import { S3WorkspaceStateStore } from '../../src/state/s3-state-store.ts'
import type { WorkspaceStateStore } from '../../src/state/state-store.ts'
import type { ShellResult } from '../../src/workspace.ts'
import { Workspace } from '../../src/workspace.ts'
import type { Addresses } from './addresses.ts'
import { startFaultProxy } from './fault-proxy.mjs'

/** Workspaces whose store is reached through a proxy that makes faults. */
export interface FaultRig {
  readonly proxy: Awaited<ReturnType<typeof startFaultProxy>>
  /** A workspace of its own; more instances of it with `instance`. */
  session(options?: StoreOptions): FaultedSession
  close(): Promise<void>
}

export interface StoreOptions {
  /** Seconds that a request may take. */
  readonly timeout?: number
  /** Goes over the credentials that are right. */
  readonly token?: string
  readonly secretAccessKey?: string
  readonly bucket?: string
}

type OpenStore = (url: string, options: StoreOptions & { readonly keyPrefix: string }) => WorkspaceStateStore

/** The kinds of stores, on the servers of a test run or of one test. History of what is in a bucket is on Redis, which has no faults there. */
export const RIGS: Readonly<Record<'redis' | 's3', (servers: Pick<Addresses, 'upstash' | 's3'>) => Promise<FaultRig>>> = {
  redis: ({ upstash: { url, token } }) =>
    startRig(url, [token], (url, options) => new RedisWorkspaceStateStore({ url, token, leaseMs: 2000, ...options })),
  s3: ({ upstash, s3: { endpoint, ...bucket } }) =>
    startRig(endpoint, [bucket.secretAccessKey, bucket.accessKeyId], (endpointUrl, { keyPrefix, ...options }) => {
      const { url, token } = upstash
      const observer = new RedisWorkspaceStateStore({ url, token, keyPrefix: `${keyPrefix}:` })
      return new S3WorkspaceStateStore({ ...bucket, endpointUrl, keyPrefix: `${keyPrefix}/`, observer, ...options })
    }),
}

async function startRig(target: string, secrets: readonly string[], open: OpenStore): Promise<FaultRig> {
  const proxy = await startFaultProxy(target)
  const sessions: FaultedSession[] = []
  return {
    proxy,
    session: (options = {}) => {
      const keyPrefix = `faults ${crypto.randomUUID()}`
      const session = new FaultedSession(
        () => open(proxy.url, { ...options, keyPrefix }),
        () => open(target, { keyPrefix }),
        [...secrets, ...Object.values(options).filter((value) => typeof value === 'string' && value !== options.bucket)],
      )
      sessions.push(session)
      return session
    },
    close: async () => {
      proxy.clear()
      await proxy.network('there')
      await Promise.all(sessions.map((session) => session.close()))
      proxy.close()
    },
  }
}

/** Lines of one session, each of which leaves its number in a variable. What came of them is looked at past the proxy. */
export class FaultedSession {
  readonly ws: Workspace
  readonly #direct: () => WorkspaceStateStore
  readonly #secrets: readonly string[]
  readonly #commands: string[] = []

  constructor(through: () => WorkspaceStateStore, direct: () => WorkspaceStateStore, secrets: readonly string[]) {
    this.ws = new Workspace({}, { workspaceId: 'w', sessionId: 's', store: through(), ownsStore: true })
    this.#direct = direct
    this.#secrets = secrets
  }

  /** One more line. If it says that it is committed, a fresh instance finds it and all before. */
  async line(): Promise<ShellResult> {
    const result = await this.unlookedLine()
    if (result.durability === 'committed') await this.expectKept()
    return result
  }

  /** One more line, whose result has to be right. */
  async unlookedLine(): Promise<ShellResult> {
    const number = this.#commands.length + 1
    const command = `seen="$seen ${number}"; echo line ${number}`
    this.#commands.push(command)
    const result = await this.ws.shell(command)
    expect([result.exitCode, result.stdoutText, result.stderrText]).toEqual([0, `line ${number}\n`, ''])
    if (result.durability === 'pending') this.expectNoSecret(result.cause)
    return result
  }

  /** A fresh instance finds what every line did, and each of them once in the history, in their order. */
  async expectKept(): Promise<void> {
    const fresh = new Workspace({}, { workspaceId: 'w', sessionId: 's', store: this.#direct(), ownsStore: true })
    const session = await fresh.session('s')
    const { fields } = session
    const commands = (await session.history()).map(({ command }) => command)
    await fresh.close()
    expect(fields.variables.get('seen')?.value ?? '').toBe(this.#commands.map((_, at) => ` ${at + 1}`).join(''))
    expect(commands).toEqual(this.#commands)
  }

  expectNoSecret(error: unknown): void {
    expect(error).toBeInstanceOf(Error)
    const { message, stack = '', cause } = error as Error
    for (const secret of this.#secrets) expect(`${message}\n${stack}\n${String(cause)}`).not.toContain(secret)
  }

  async close(): Promise<void> {
    // What is still unsaved of a test that failed is not looked at.
    await this.ws.close().catch(() => undefined)
  }
}
