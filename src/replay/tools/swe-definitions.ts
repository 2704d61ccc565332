import type { JsonObject } from '../json.ts'
import type { ToolDefinition } from '../toolset.ts'
import type { SweSettings } from './swe-settings.ts'
import { textEditorDefinition } from './text-editor-definition.ts'

/** A command of the agent: what a model is told of it, and how its words go by names. */
interface SweCommand {
  readonly bundle: string
  readonly description: string
  /** In the order of the words; those with `?` may be left out. */
  readonly words: readonly string[]
}

/** Edits by numbers of lines, and of all that is shown: agents that have one of these have not the one that replaces texts. */
const OTHER_EDITS: Readonly<Record<string, SweCommand>> = {
  windowed_edit_linting: {
    bundle: 'windowed_edit_linting',
    description: 'Replace lines of the open file.',
    words: ['start_line', 'end_line', 'replacement_text'],
  },
  windowed_edit_rewrite: {
    bundle: 'windowed_edit_rewrite',
    description: 'Replace all that is shown of the open file.',
    words: ['text'],
  },
}
const COMMANDS: Readonly<Record<string, SweCommand>> = {
  open: { bundle: 'windowed', description: 'Open a file, at a line.', words: ['path', 'line_number?'] },
  goto: { bundle: 'windowed', description: 'Move the window onto the open file to a line.', words: ['line_number'] },
  scroll_down: { bundle: 'windowed', description: 'Move the window down.', words: [] },
  scroll_up: { bundle: 'windowed', description: 'Move the window up.', words: [] },
  create: { bundle: 'windowed', description: 'Make a file and open it.', words: ['filename'] },
  find_file: { bundle: 'search', description: 'Find files by their name.', words: ['file_name', 'dir?'] },
  search_dir: { bundle: 'search', description: 'Search the files of a directory.', words: ['search_term', 'dir?'] },
  search_file: { bundle: 'search', description: 'Search a file, or the open one.', words: ['search_term', 'file?'] },
  edit: {
    bundle: 'windowed_edit_replace',
    description: 'Replace the first place of a text within the window, or every one of the open file.',
    words: ['search', 'replace', 'replace-all?'],
  },
  insert: {
    bundle: 'windowed_edit_replace',
    description: 'Insert a text after a line of the open file, or at its end.',
    words: ['text', 'line?'],
  },
}
const NUMBERS: ReadonlySet<string> = new Set(['line_number', 'line', 'start_line', 'end_line'])

/** How the agent edits: `lines` by their numbers, the whole `window`, or `texts`. */
export function editKind(bundles: SweSettings['bundles']): 'lines' | 'window' | 'texts' {
  if (bundles?.has('windowed_edit_linting')) return 'lines'
  return bundles?.has('windowed_edit_rewrite') ? 'window' : 'texts'
}

/** The words that a call of a command by a function stands for; null for a tool that is no such command. */
export function commandWords(name: string, given: JsonObject): readonly string[] | null {
  const command = name === 'edit' ? editCommand(given) : Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined) return null
  const values = command.words.map((word) => given[word.replace('?', '')])
  const count = values.findLastIndex((value) => value !== undefined && value !== null) + 1
  return values.slice(0, count).map((value) => (value === undefined || value === null ? '' : String(value)))
}

function editCommand({ start_line: start, text }: JsonObject): SweCommand | undefined {
  if (start !== undefined) return OTHER_EDITS.windowed_edit_linting
  return text !== undefined ? OTHER_EDITS.windowed_edit_rewrite : COMMANDS.edit
}

/** What a model that goes on is offered: what the agent had, or all. */
export function sweDefinitions(bundles: SweSettings['bundles']): readonly ToolDefinition[] {
  const has = (bundle: string): boolean => bundles === null || bundles.has(bundle)
  const commands = Object.entries(COMMANDS).filter(([, { bundle }]) => has(bundle))
  return [
    definition('bash', 'Run a command in the shell, which lives on from call to call.', ['command']),
    ...Object.entries(OTHER_EDITS).flatMap(([bundle, { description, words }]) =>
      bundles?.has(bundle) === true ? [definition('edit', description, words)] : [],
    ),
    ...commands.map(([name, { description, words }]) => definition(name, description, words)),
    ...(has('edit_anthropic') ? [textEditorDefinition('str_replace_editor')] : []),
    definition('submit', 'Hand in the work.', []),
  ]
}

function definition(name: string, description: string, words: readonly string[]): ToolDefinition {
  const properties = words.map((word): [string, JsonObject] => {
    const plain = word.replace('?', '')
    return [plain, { type: NUMBERS.has(plain) ? 'integer' : plain === 'replace-all' ? 'boolean' : 'string' }]
  })
  return {
    name,
    description,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: words.filter((word) => !word.endsWith('?')),
    },
  }
}
