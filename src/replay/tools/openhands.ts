import { decode } from '../../bytes.ts'
import { createParser, ShellSyntaxError } from '../../shell/syntax/parser.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import type { ReplaySite, ToolCall, ToolOutcome, Toolset } from '../toolset.ts'
import type { Call } from '../trajectory.ts'
import { OPENHANDS_DEFINITIONS } from './openhands-definitions.ts'
import { screenText } from './screen-text.ts'
import { shellDirectory } from './shell-paths.ts'
import { editText } from './text-editor.ts'

/** What OpenHands puts before what its editor refuses. */
export const EDITOR_ERROR = 'ERROR:\n'

const SESSION = 'main'
const SEVERAL = 'ERROR: Cannot execute multiple commands at once.'
/** Characters of an output from which on its middle is left out. */
const LONG = 30_000
const KINDS: Readonly<Record<string, 'fresh' | 'stale'>> = {
  execute_bash: 'fresh',
  str_replace_editor: 'fresh',
  execute_ipython_cell: 'fresh',
  think: 'fresh',
  finish: 'fresh',
  // It lets a model write the edit, and nobody knows what that one wrote.
  edit_file: 'stale',
}

export interface OpenHandsOptions {
  /** Several commands on lines of their own are refused, as newer versions do. */
  readonly refusesSeveral: boolean
  /** Where the agent worked when it was recorded. */
  readonly directory: string
}

/** The tools of OpenHands: a shell that lives on, the editor, thoughts. Cells of IPython need Python. */
export function openHandsTools(options: OpenHandsOptions): Toolset {
  return {
    definitions: OPENHANDS_DEFINITIONS,
    support: (name) => (Object.hasOwn(KINDS, name) ? KINDS[name] : undefined) ?? 'unsupported',
    run: (call, site) => run(call, site, options),
    ends: ({ name }) => name === 'finish',
  }
}

/** True for a recorded line of several commands that was run nevertheless. */
export function ranSeveral({ name, arguments: given, recorded }: Call): boolean {
  if (name !== 'execute_bash' || typeof given.command !== 'string' || !given.command.trim().includes('\n')) return false
  return !String(recorded.value).startsWith(SEVERAL) && commandsIn(given.command).length > 1
}

async function run({ name, arguments: given }: ToolCall, site: ReplaySite, options: OpenHandsOptions): Promise<ToolOutcome> {
  switch (name) {
    case 'execute_bash':
      return runBash(given, site, options)
    case 'str_replace_editor': {
      if (given.command === 'read') return readLines(given, site, options)
      const { text, isError } = await editText(given, site, 'openhands')
      return plain(isError ? EDITOR_ERROR + text : text, isError)
    }
    case 'execute_ipython_cell':
      return { ...failed('the cell was not run: there is no Python'), missing: ['python'] }
    case 'think':
      return plain('Your thought has been logged.')
    default:
      return plain('')
  }
}

/** A line in the shell that lives on. What it is refused by the agent's own runtime, it is refused here. */
async function runBash(
  { command, is_input: isInput }: JsonObject,
  site: ReplaySite,
  { refusesSeveral, directory: recorded }: OpenHandsOptions,
): Promise<ToolOutcome> {
  if (typeof command !== 'string') return failed('the argument "command" of the tool execute_bash has to be a text')
  // Nothing goes on running after its call: what isn't done at the time limit is ended.
  if (isInput === true || isInput === 'true') return finished('ERROR: No previous running command to interact with.', -1, '', [])
  if (command.trim() === '') return finished('ERROR: No previous running command to retrieve logs from.', -1, '', [])
  const parts = refusesSeveral ? commandsIn(command) : []
  if (parts.length > 1) {
    const list = parts.map((part, i) => `(${i + 1}) ${part}`).join('\n')
    return failed(
      `${SEVERAL}\nPlease run each command separately OR chain them into a single command via && or ;\nProvided commands:\n${list}`,
    )
  }
  const ran = await site.shell(command, { session: SESSION, mergesErrors: true })
  const directory = await shellDirectory(site, { session: SESSION, status: ran.status, recorded })
  return finished(shortened(screenText(ran.output)), ran.status ?? -1, directory, ran.missing, ran.timedOut)
}

function finished(content: string, status: number, directory: string, missing: readonly string[], timedOut = false): ToolOutcome {
  const suffix =
    status === -1 ? (timedOut ? '\n[The command timed out, and was ended.]' : '') : `\n[The command completed with exit code ${status}.]`
  const place = directory === '' ? '' : `\n[Current working directory: ${directory}]`
  const end = status === -1 ? '' : `\n[Command finished with exit code ${status}]`
  return {
    value: content,
    isError: status !== 0,
    text: content + suffix + place + end,
    status,
    missing,
    native: { exit_code: status, working_dir: directory === '' ? null : directory, prefix: '', suffix },
  }
}

/** The commands of a line that stand on lines of their own; the whole where it can't be read. */
function commandsIn(text: string): readonly string[] {
  const parser = createParser(text)
  const parts: string[] = []
  try {
    for (let next = parser.next(); next !== null; next = parser.next()) parts.push(text.slice(next.start, next.end).trim())
  } catch (error) {
    if (error instanceof ShellSyntaxError) return [text]
    throw error
  }
  return parts
}

function shortened(content: string): string {
  if (content.length <= LONG) return content
  return `${content.slice(0, LONG / 2)}\n[... Observation truncated due to length ...]\n${content.slice(-LONG / 2)}`
}

/** A file as it is, or some of its lines: what the agent read before it had an editor for that. */
async function readLines(
  { path, start, end }: JsonObject,
  site: ReplaySite,
  { directory: recorded }: OpenHandsOptions,
): Promise<ToolOutcome> {
  if (typeof path !== 'string') return failed('the argument "path" has to be a text')
  const directory = await shellDirectory(site, { session: SESSION, status: 0, recorded })
  const at = site.path(path.startsWith('/') ? path : `${directory}/${path}`)
  let text: string
  try {
    text = decode(await site.fs.read(at))
  } catch {
    return failed(`File not found: ${path}. Your current working directory is ${directory}.`)
  }
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  return plain(lines.slice(lineIndex(start, 0), lineIndex(end, -1) === -1 ? undefined : lineIndex(end, -1)).join(''))
}

function lineIndex(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : otherwise
}

function plain(text: string, isError = false): ToolOutcome {
  return { value: text, isError, text, status: null, missing: [] }
}

/** What the agent's runtime itself refuses: an observation of the kind `error`. */
function failed(text: string): ToolOutcome {
  return { ...plain(text, true), native: { observation: 'error' } }
}
