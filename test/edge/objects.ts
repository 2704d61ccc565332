import type { DurableObjectStorage } from 'mirage-runtime'
import { DiskWorkspaceStateStore, DurableObjectWorkspaceStateStore, HostFileSystem, Workspace } from 'mirage-runtime'
import { FIRST_PART, golden } from './golden.ts'

interface Bindings {
  readonly AGENTS: { idFromName(name: string): unknown; get(id: unknown): { fetch(request: Request): Promise<Response> } }
}

/** Tells what happens when a workspace is used on what the path names. */
export class Probe {
  readonly #storage: DurableObjectStorage
  readonly #abort: () => void
  #lines: Workspace | null = null

  constructor(state: { readonly storage: DurableObjectStorage; abort(reason: string): void }) {
    this.#storage = state.storage
    this.#abort = () => state.abort('evicted')
  }

  async fetch(request: Request): Promise<Response> {
    try {
      return Response.json(await this.#answer(new URL(request.url).pathname))
    } catch (error) {
      const { name, code, message } = error as Error & { code?: string }
      return Response.json({ name, code, message })
    }
  }

  async #answer(path: string): Promise<unknown> {
    if (path === '/object')
      return this.#run(new Workspace({}, { workspaceId: 'w', store: new DurableObjectWorkspaceStateStore(this.#storage) }))
    if (path === '/disk') return this.#run(new Workspace({}, { workspaceId: 'w', store: new DiskWorkspaceStateStore({ root: '/x' }) }))
    if (path === '/host') return this.#run(new Workspace({ '/x': new HostFileSystem({ root: '/x' }) as never }))
    if (path === '/history-elsewhere') {
      const observer = new DurableObjectWorkspaceStateStore(this.#storage)
      return this.#run(new Workspace({}, { workspaceId: 'w', store: new DurableObjectWorkspaceStateStore(this.#storage, { observer }) }))
    }
    if (path === '/evict') this.#abort()
    if (path === '/golden') this.#writeGolden()
    this.#lines ??= new Workspace({}, { workspaceId: 'w', store: new DurableObjectWorkspaceStateStore(this.#storage) })
    if (path === '/endless') return this.#lines.shell('n=10; sleep 1000')
    return this.#run(this.#lines)
  }

  /** Writes the rows that version 1 writes. */
  #writeGolden(): void {
    const { sql } = this.#storage
    sql.exec('CREATE TABLE mirage_values (key TEXT PRIMARY KEY, token TEXT NOT NULL, bytes BLOB NOT NULL) WITHOUT ROWID')
    sql.exec('CREATE TABLE mirage_parts (key TEXT, start INTEGER, bytes BLOB NOT NULL, PRIMARY KEY (key, start)) WITHOUT ROWID')
    for (const [key, text] of Object.entries(golden)) {
      const bytes = new TextEncoder().encode(text)
      const first = key.includes('/history/') ? FIRST_PART : bytes.length
      sql.exec('INSERT INTO mirage_values VALUES (?, ?, ?)', key, '0123456789abcdef', bytes.subarray(0, first))
      if (first < bytes.length) sql.exec('INSERT INTO mirage_parts VALUES (?, ?, ?)', key, first, bytes.subarray(first))
    }
  }

  async #run(workspace: Workspace): Promise<unknown> {
    const { stdoutText, durability } = await workspace.shell('n=$((n + 1)); echo $n')
    const commands = (await workspace.history()).map(({ command }) => command)
    return { stdoutText, durability, lines: commands.length, first: commands[0] }
  }
}

export default {
  fetch: (request: Request, { AGENTS }: Bindings): Promise<Response> => AGENTS.get(AGENTS.idFromName('probe')).fetch(request),
}
