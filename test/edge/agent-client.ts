/** How a line ended, as the worker tells it. */
export interface LineResult {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
  readonly durability: string
}

interface LineEvent {
  readonly stream?: 'stdout' | 'stderr'
  readonly text?: string
  readonly base64?: string
  readonly exitCode?: number
  readonly durability?: string
  readonly error?: { readonly code: string; readonly message: string }
}

export const TOKEN = 'a secret token'

/** Calls the worker for one agent, as a program would. */
export class AgentClient {
  readonly #url: string
  readonly #agent: string

  constructor(url: string, agent = 'ada') {
    this.#url = url
    this.#agent = agent
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${TOKEN}`, ...(init.headers as Record<string, string>) }
    return fetch(`${this.#url}/agents/${encodeURIComponent(this.#agent)}${path}`, { ...init, headers })
  }

  post(fields: object, init: RequestInit = {}): Promise<Response> {
    return this.fetch('/shell', { method: 'POST', body: JSON.stringify(fields), ...init })
  }

  /** Runs a line to its end. */
  async run(line: string, fields: object = {}): Promise<LineResult> {
    const output = { stdout: '', stderr: '' }
    for await (const event of eventsOf(await this.post({ line, ...fields }))) {
      if (event.error !== undefined) throw Object.assign(new Error(event.error.message), { code: event.error.code })
      if (event.stream !== undefined) output[event.stream] += event.text ?? `<${event.base64}>`
      if (event.exitCode !== undefined) return { ...output, exitCode: event.exitCode, durability: event.durability ?? '' }
    }
    throw new Error('the answer ended before the line did')
  }
}

/** The events of an answer as they come. */
export async function* eventsOf(response: Response): AsyncGenerator<LineEvent> {
  if (response.status !== 200 || response.body === null) throw new Error(`${response.status} ${await response.text()}`)
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true })
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) if (line !== '') yield JSON.parse(line) as LineEvent
  }
}
