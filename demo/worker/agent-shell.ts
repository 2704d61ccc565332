import { DurableObjectWorkspaceStateStore, Workspace } from 'mirage-runtime'
import type { Agent } from './agent.ts'
import { agentFiles } from './agent-files.ts'
import type { Bindings, ObjectState } from './bindings.ts'
import { errorResponse, HttpError } from './http-error.ts'
import { limitsOf } from './limits.ts'
import { route } from './routes.ts'

/** One agent: a Durable Object that has its workspace, with sessions, history and files in the object's own storage. */
export class AgentShell {
  readonly #state: ObjectState
  readonly #env: Bindings
  #workspace: Promise<Workspace> | null = null
  #lines = 0

  constructor(state: ObjectState, env: Bindings) {
    this.#state = state
    this.#env = env
  }

  async fetch(request: Request): Promise<Response> {
    try {
      return await route(request, await this.#agent(new URL(request.url).searchParams.get('agent') ?? 'main'))
    } catch (error) {
      return errorResponse(error)
    }
  }

  async #agent(name: string): Promise<Agent> {
    const limits = limitsOf(this.#env)
    this.#workspace ??= this.#open(name, limits.outputBytes)
    return {
      limits,
      workspace: await this.#workspace,
      beginLine: () => this.#beginLine(limits.lines),
      forget: () => this.#forget(),
    }
  }

  async #open(name: string, outputBytes: number): Promise<Workspace> {
    const { storage } = this.#state
    const options = { workspaceId: 'agent', sessionId: 'main', agentId: name, limits: { outputBytes } }
    return new Workspace(
      { '/': await agentFiles(storage) },
      { ...options, store: new DurableObjectWorkspaceStateStore(storage), ownsStore: true },
    )
  }

  #beginLine(most: number): () => void {
    if (this.#lines >= most) {
      throw new HttpError(429, 'TOO_MANY_LINES', `${most} lines of this agent run or wait already`, { 'retry-after': '1' })
    }
    this.#lines += 1
    return () => {
      this.#lines -= 1
    }
  }

  async #forget(): Promise<void> {
    const workspace = await this.#workspace
    this.#workspace = null
    await workspace?.delete()
    await this.#state.storage.deleteAll()
  }
}
