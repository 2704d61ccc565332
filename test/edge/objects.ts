import type { DurableObjectStorage } from 'mirage-runtime'
import { DiskWorkspaceStateStore, DurableObjectWorkspaceStateStore, HostFileSystem, Workspace } from 'mirage-runtime'

interface Bindings {
  readonly AGENTS: { idFromName(name: string): unknown; get(id: unknown): { fetch(request: Request): Promise<Response> } }
}

/** Tells what happens when a workspace is used on what the path names. */
export class Probe {
  readonly #storage: DurableObjectStorage
  #lines: Workspace | null = null

  constructor({ storage }: { readonly storage: DurableObjectStorage }) {
    this.#storage = storage
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
    this.#lines ??= new Workspace({}, { workspaceId: 'w', store: new DurableObjectWorkspaceStateStore(this.#storage) })
    return this.#run(this.#lines)
  }

  async #run(workspace: Workspace): Promise<unknown> {
    const { stdoutText, durability } = await workspace.shell('n=$((n + 1)); echo $n')
    return { stdoutText, durability }
  }
}

export default {
  fetch: (request: Request, { AGENTS }: Bindings): Promise<Response> => AGENTS.get(AGENTS.idFromName('probe')).fetch(request),
}
