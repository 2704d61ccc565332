import { FileSystemError } from '../../errors.ts'
import { quoteWord } from '../../shell/expand/quote.ts'
import type { JsonObject } from '../json.ts'
import { isArray } from '../json.ts'
import type { ReplaySite, ShellOutcome, ToolDefinition, ToolOutcome, Toolset } from '../toolset.ts'
import { applyPatch } from './apply-patch.ts'
import { numberOf, occurrences, readText, refused, replaced, textOf, told, writeText } from './files.ts'
import { editText } from './text-editor.ts'
import { textEditorDefinition } from './text-editor-definition.ts'

const SHELLS: ReadonlySet<string> = new Set([
  'bash',
  'shell',
  'sh',
  'exec',
  'exec_command',
  'execute',
  'execute_bash',
  'execute_command',
  'run',
  'run_command',
  'run_terminal_cmd',
  'terminal',
  'local_shell',
  'container.exec',
])
const READS: ReadonlySet<string> = new Set(['read', 'read_file'])
const WRITES: ReadonlySet<string> = new Set(['write', 'write_file', 'create_file'])
const EDITS: ReadonlySet<string> = new Set(['edit', 'edit_file', 'replace_in_file'])
const EDITORS: ReadonlySet<string> = new Set(['str_replace_editor', 'text_editor', 'str_replace_based_edit_tool'])
const PYTHONS: ReadonlySet<string> = new Set(['python', 'ipython', 'execute_ipython_cell'])

export interface GenericOptions {
  /** How the outcome of a line of shell is shown; the output, when left out. */
  readonly shown?: (ran: { readonly output: string; readonly status: number | null }) => string
  /** What was observed of a line, where standard output and error are not just one stream. */
  readonly composed?: (ran: ShellOutcome) => string
  /** How long a line may take, by its arguments. */
  readonly timeoutKey?: string
  /** False where files don't say of an observation whether it is an error: no fresh one is, so that they can be compared. True when left out. */
  readonly tellsErrors?: boolean
}

/** Tools by the names that agents commonly have for them. */
export function genericTools(options: GenericOptions = {}): Toolset {
  return {
    definitions: DEFINITIONS,
    support: (name, given) => (kindOf(name, given) === null ? 'unsupported' : 'fresh'),
    run: async ({ name, arguments: given }, site) => {
      const outcome = await run(name, given, site, options).catch((error: unknown) => {
        if (error instanceof FileSystemError) return refused(error.message)
        throw error
      })
      return options.tellsErrors === false ? { ...outcome, isError: false } : outcome
    },
  }
}

type Kind = 'shell' | 'read' | 'write' | 'edit' | 'editor' | 'patch' | 'python' | 'note'

function kindOf(name: string, given: JsonObject): Kind | null {
  const plain = name.toLowerCase()
  if (EDITORS.has(plain)) return 'editor'
  if (plain === 'apply_patch') return 'patch'
  if (PYTHONS.has(plain)) return 'python'
  if (plain === 'think' || plain === 'update_plan') return 'note'
  if (READS.has(plain)) return 'read'
  if (WRITES.has(plain)) return 'write'
  if (EDITS.has(plain)) return 'edit'
  return SHELLS.has(plain) || commandOf(given) !== null ? 'shell' : null
}

async function run(name: string, given: JsonObject, site: ReplaySite, options: GenericOptions): Promise<ToolOutcome> {
  switch (kindOf(name, given)) {
    case 'shell':
      return shell(given, site, options)
    case 'editor':
      return editor(given, site)
    case 'patch':
      return applyPatch(textOf(given, 'input') ?? textOf(given, 'patch') ?? '', site)
    case 'read':
      return read(given, site)
    case 'write':
      return write(given, site)
    case 'edit':
      return edit(given, site)
    case 'python':
      return told('there is no Python here', { isError: true, status: 127, missing: ['python'] })
    case 'note':
      return told(name === 'update_plan' ? 'Plan updated' : 'Your thought has been logged.')
    default:
      return refused(`there is no tool ${name}`)
  }
}

/** The line that a call runs: a text, or a program and its words, of which `bash -lc LINE` is the line itself. */
function commandOf({ command, cmd, commands }: JsonObject): string | null {
  const given = command ?? cmd ?? commands
  if (typeof given === 'string') return given
  if (!isArray(given) || !given.every((word) => typeof word === 'string')) return null
  const [program, flag, line] = given as readonly string[]
  const isShell = given.length === 3 && /(?:^|\/)(?:ba|z)?sh$/.test(program ?? '') && /^-l?c$/.test(flag ?? '')
  return isShell ? (line ?? '') : (given as readonly string[]).map(quoteWord).join(' ')
}

/** The patch of a call whose words are the tool and a patch. */
function patchOf({ command, cmd }: JsonObject): string | undefined {
  const given = command ?? cmd
  if (!isArray(given) || given.length !== 2 || given[0] !== 'apply_patch') return undefined
  return typeof given[1] === 'string' ? given[1] : undefined
}

async function shell(given: JsonObject, site: ReplaySite, { shown, composed, timeoutKey }: GenericOptions): Promise<ToolOutcome> {
  const command = commandOf(given)
  if (command === null) return refused('the call has no command')
  // A heredoc of a patch is how some models call the tool.
  const directory = textOf(given, 'workdir') ?? textOf(given, 'cwd')
  const patch = patchOf(given) ?? /^\s*apply_patch\s*<<\s*['"]?(\w+)['"]?\n([\s\S]*?)\n\1\s*$/.exec(command)?.[2]
  if (patch !== undefined) return applyPatch(patch, site, directory)
  const timeoutMs = timeoutKey === undefined ? undefined : numberOf(given, timeoutKey)
  const ran = await site.shell(command, {
    mergesErrors: composed === undefined,
    ...(directory === undefined ? {} : { cwd: site.path(directory) }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
  const value = composed?.(ran) ?? ran.output
  return { value, text: shown?.(ran) ?? value, isError: ran.status !== 0, status: ran.status, missing: ran.missing }
}

async function editor(given: JsonObject, site: ReplaySite): Promise<ToolOutcome> {
  const { text, isError } = await editText(given, site, 'anthropic')
  return told(text, { isError })
}

function pathIn(given: JsonObject): string {
  return textOf(given, 'path') ?? textOf(given, 'file_path') ?? textOf(given, 'filePath') ?? textOf(given, 'filename') ?? ''
}

async function read(given: JsonObject, site: ReplaySite): Promise<ToolOutcome> {
  const path = pathIn(given)
  const text = await readText(site, path)
  return text === null ? refused(`File not found: ${path}`) : told(text)
}

async function write(given: JsonObject, site: ReplaySite): Promise<ToolOutcome> {
  const path = pathIn(given)
  const text = textOf(given, 'content') ?? textOf(given, 'contents') ?? textOf(given, 'text') ?? ''
  await writeText(site, path, text)
  return told(`Wrote ${path}`)
}

async function edit(given: JsonObject, site: ReplaySite): Promise<ToolOutcome> {
  const path = pathIn(given)
  const from = textOf(given, 'old_string') ?? textOf(given, 'oldString') ?? textOf(given, 'old_str') ?? ''
  const to = textOf(given, 'new_string') ?? textOf(given, 'newString') ?? textOf(given, 'new_str') ?? ''
  const text = await readText(site, path)
  if (text === null) return refused(`File not found: ${path}`)
  const found = occurrences(text, from)
  if (found === 0) return refused(`The text to replace is not in ${path}`)
  await writeText(site, path, replaced(text, from, to, given.replace_all === true || given.replaceAll === true))
  return told(`Edited ${path}`)
}

const DEFINITIONS: readonly ToolDefinition[] = [
  {
    name: 'bash',
    description: 'Run a command in a new bash.',
    parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  },
  textEditorDefinition('str_replace_editor'),
]
