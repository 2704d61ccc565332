import type { MaybePromise } from './host.ts'
import type { SessionShell } from './session-shell.ts'
import { expandPromptEscapes } from './shell/expand/prompt.ts'
import type { Process } from './shell/machine/process.ts'
import { promptInfo } from './shell/machine/prompt.ts'
import { scalarText } from './shell/machine/variables.ts'
import type { SessionHistory } from './state/history.ts'
import type { SessionFields } from './state/session-fields.ts'

/** What the prompts of a session show; null for one that isn't set. What stands between U+0001 and U+0002 takes no columns (`\[…\]`). */
export interface SessionPrompts {
  /** PS1 */
  readonly primary: string | null
  /** PS2 */
  readonly continuation: string | null
}

/** How prompts are made. */
export interface PromptOptions {
  /** What `\#` stands for: how many lines were run here, and one; 1 when left out. */
  readonly commandNumber?: number
  /** Ends what a prompt runs: what could not be expanded then stays as it is written. */
  readonly signal?: AbortSignal
  /** Gets what the commands of a prompt write elsewhere than into the prompt. */
  readonly onOutput?: (bytes: Uint8Array, stream: 'stdout' | 'stderr') => MaybePromise<void>
}

/** A session as its prompts are made from it. */
export interface PromptSource {
  readonly shell: SessionShell
  readonly fields: SessionFields
  readonly history: SessionHistory
  /** Runs what needs the session's shell to itself, with the fields it stands at. */
  withTurn<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>
}

/** Resolves and expands the prompts of a session. */
export async function sessionPrompts(source: PromptSource, options: PromptOptions): Promise<SessionPrompts> {
  return { primary: await promptOf(source, 'PS1', options), continuation: await promptOf(source, 'PS2', options) }
}

async function promptOf(source: PromptSource, name: string, options: PromptOptions): Promise<string | null> {
  const text = textOf(source.fields, name)
  if (text === null) return null
  const { process } = source.shell.shell
  const expands = process.environment.options.has('promptvars') && /[$`\\]/.test(text.replace(/\\[^\\]/g, ''))
  const info = {
    ...promptInfo(process),
    // A name must not be able to steer the terminal.
    cwd: source.fields.cwd.replace(/[\x00-\x1f\x7f-\x9f]/g, '?'),
    home: textOf(source.fields, 'HOME') ?? '',
    historyNumber: text.includes('\\!') ? (await source.history.tail(0)).total + 1 : 1,
    commandNumber: options.commandNumber ?? 1,
    ...(expands ? { protect: (outside: string) => outside.replace(/[$`\\]/g, '\\$&') } : {}),
  }
  const resolved = expandPromptEscapes(text, info, true)
  return expands ? source.withTurn(options.signal, () => expandText(source.shell, resolved, options)) : resolved
}

const MARK = 'END_OF_THE_PROMPT'

/** Expands a text as inside double quotes, on a copy of the shell's state. */
async function expandText(session: SessionShell, text: string, { signal, onOutput }: PromptOptions): Promise<string> {
  const bringBack = session.setAside({ cwd: undefined, env: [] })
  const { shell } = session
  const stop = (): void => session.interrupt(130)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    isolate(shell.process)
    await shell.run(`IFS= builtin read -r -d '' REPLY <<${MARK} || :\n${text}\n${MARK}\n`, {
      stdin: new Uint8Array(0),
      stdout: (bytes) => onOutput?.(bytes, 'stdout'),
      stderr: (bytes) => onOutput?.(bytes, 'stderr'),
    })
    const expanded = scalarText(shell.process.environment.variables.get('REPLY')?.value)
    return signal?.aborted === true || expanded === undefined ? text : expanded.slice(0, -1)
  } finally {
    signal?.removeEventListener('abort', stop)
    bringBack()
  }
}

/** Keeps what the shell does for its own lines from what is run for a prompt. */
function isolate({ environment }: Process): void {
  environment.traps = new Map()
  environment.functions = new Map([...environment.functions].filter(([name]) => name !== 'builtin'))
  environment.options.set('xtrace', false)
  environment.options.set('verbose', false)
  environment.variables.put('REPLY', undefined)
}

function textOf({ variables }: SessionFields, name: string): string | null {
  const value = variables.get(name)?.value
  return typeof value === 'string' ? value : null
}
