import { DurableObjectWorkspaceStateStore, Workspace } from 'mirage-runtime'
import type { Agent } from './agent.ts'
import { agentFiles } from './agent-files.ts'
import type { Bindings, ObjectState } from './bindings.ts'
import { errorResponse, HttpError } from './http-error.ts'
import { limitsOf } from './limits.ts'
import { route } from './routes.ts'
import { Scripts } from './scripts.ts'

const AGENT_TABLE = 'CREATE TABLE IF NOT EXISTS agent (name TEXT)'

/** One agent: a Durable Object that has its workspace, with sessions, history and files in the object's own storage. */
export class AgentShell {
  readonly #state: ObjectState
  readonly #env: Bindings
  #opened: Promise<Opened> | null = null
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

  /** Goes on with scripts that were suspended, or lost their isolate; the object stays in memory while they run. */
  async alarm(): Promise<void> {
    const { scripts } = await this.#open()
    await scripts.goOn()
    await scripts.quiet()
  }

  async #agent(name: string): Promise<Agent> {
    this.#nameIt(name)
    const limits = limitsOf(this.#env)
    const { workspace, scripts } = await this.#open()
    await scripts.goOn()
    return {
      limits,
      workspace,
      scripts,
      beginLine: () => this.#beginLine(limits.lines),
      forget: () => this.#forget(),
    }
  }

  /** The alarm doesn't know whose object it wakes. */
  #nameIt(name: string): void {
    const { sql } = this.#state.storage
    sql.exec(AGENT_TABLE)
    if ([...sql.exec('SELECT name FROM agent')].length === 0) sql.exec('INSERT INTO agent (name) VALUES (?)', name)
  }

  #open(): Promise<Opened> {
    this.#opened ??= this.#make()
    return this.#opened
  }

  async #make(): Promise<Opened> {
    const { storage } = this.#state
    const limits = limitsOf(this.#env)
    storage.sql.exec(AGENT_TABLE)
    const [row] = storage.sql.exec('SELECT name FROM agent')
    const workspace = new Workspace(
      { '/': await agentFiles(storage) },
      {
        workspaceId: 'agent',
        sessionId: 'main',
        agentId: String(row?.name ?? 'main'),
        limits: { outputBytes: limits.outputBytes },
        store: new DurableObjectWorkspaceStateStore(storage),
        ownsStore: true,
      },
    )
    return { workspace, scripts: new Scripts(workspace, storage, limits) }
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
    const opened = await this.#opened
    this.#opened = null
    await opened?.workspace.delete()
    await this.#state.storage.deleteAlarm()
    await this.#state.storage.deleteAll()
  }
}

interface Opened {
  readonly workspace: Workspace
  readonly scripts: Scripts
}
