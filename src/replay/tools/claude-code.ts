import { FileSystemError } from '../../errors.ts'
import { quoteWord } from '../../shell/expand/quote.ts'
import type { JsonObject } from '../json.ts'
import { isArray, isObject } from '../json.ts'
import type { ReplaySite, ToolDefinition, ToolOutcome, Toolset } from '../toolset.ts'
import { claudeGrep } from './claude-grep.ts'
import { numberOf, occurrences, readText, refused, replaced, textOf, told, typeAt, writeText } from './files.ts'

/** Only the recorded observations of these can be given again: what they did was not done to files. */
const STALE: ReadonlySet<string> = new Set(['Agent', 'Task', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskOutput', 'TaskUpdate', 'TodoWrite'])
/** Lines that Read gives at most, and characters of a line. */
const MOST_LINES = 2000
const MOST_COLUMNS = 2000
/** Names that Glob gives at most. */
const MOST_FILES = 100
/** Milliseconds that Bash takes where the call doesn't say. */
const BASH_TIMEOUT = 120_000

type Tool = (given: JsonObject, site: ReplaySite) => Promise<ToolOutcome>

/** The tools of Claude Code that work on files and the shell. */
export function claudeTools(): Toolset {
  return {
    definitions: DEFINITIONS,
    support: (name, given) => {
      if (STALE.has(name) || given.run_in_background === true) return 'stale'
      return Object.hasOwn(TOOLS, name) ? 'fresh' : 'unsupported'
    },
    run: async ({ name, arguments: given }, site) => {
      const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined
      if (tool === undefined) return refused(`No such tool available: ${name}`)
      try {
        return await tool(given, site)
      } catch (error) {
        if (error instanceof FileSystemError) return toolError(error.message)
        throw error
      }
    },
  }
}

const TOOLS: Readonly<Record<string, Tool>> = {
  Bash: bash,
  Read: read,
  Write: write,
  Edit: (given, site) => edit(given, site, [given]),
  MultiEdit: (given, site) => edit(given, site, isArray(given.edits) ? given.edits.filter(isObject) : []),
  Glob: glob,
  Grep: claudeGrep,
}

function toolError(text: string): ToolOutcome {
  return refused(`<tool_use_error>${text}</tool_use_error>`)
}

async function bash(given: JsonObject, site: ReplaySite): Promise<ToolOutcome> {
  const command = textOf(given, 'command')
  if (command === undefined) return toolError('InputValidationError: Bash needs the parameter `command`, a string')
  const timeoutMs = numberOf(given, 'timeout') ?? BASH_TIMEOUT
  const { stdout, stderr, status, timedOut, missing } = await site.shell(command, { session: 'bash', timeoutMs })
  const out = stdout.replace(/^(?:[ \t]*\n)+/, '').trimEnd()
  const text = [out, stderr.trim()].filter((part) => part !== '').join('\n')
  if (timedOut) return told(`Command timed out after ${timeoutMs / 1000}s\n${text}`.trimEnd(), { isError: true, missing })
  if (status !== 0) return told(`Exit code ${status ?? 1}${text === '' ? '' : `\n${text}`}`, { isError: true, status, missing })
  return told(text, { status, missing })
}

async function read(given: JsonObject, site: ReplaySite): Promise<ToolOutcome> {
  const path = textOf(given, 'file_path') ?? ''
  const type = await typeAt(site, path)
  if (type === 'directory') return refused(`EISDIR: illegal operation on a directory, read '${path}'`)
  const text = type === null ? null : await readText(site, path)
  if (text === null) return toolError('File does not exist.')
  if (text === '') return told('<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>')
  const lines = text.split('\n')
  const from = Math.max(1, numberOf(given, 'offset') ?? 1)
  const shown = lines.slice(from - 1, from - 1 + (numberOf(given, 'limit') ?? MOST_LINES))
  return told(shown.map((line, i) => `${String(from + i).padStart(6)}\t${line.slice(0, MOST_COLUMNS)}`).join('\n'))
}

async function write(given: JsonObject, site: ReplaySite): Promise<ToolOutcome> {
  const path = textOf(given, 'file_path')
  const content = textOf(given, 'content')
  if (path === undefined || content === undefined)
    return toolError('InputValidationError: Write needs the parameters `file_path` and `content`')
  const isNew = (await typeAt(site, path)) === null
  await writeText(site, path, content)
  return told(isNew ? `File created successfully at: ${path}` : `The file ${path} has been updated successfully.`)
}

async function edit(given: JsonObject, site: ReplaySite, edits: readonly JsonObject[]): Promise<ToolOutcome> {
  const path = textOf(given, 'file_path') ?? ''
  const before = await readText(site, path)
  let text = before ?? ''
  for (const one of edits) {
    const from = textOf(one, 'old_string') ?? ''
    const to = textOf(one, 'new_string') ?? ''
    const all = one.replace_all === true
    if (from === to) return toolError('No changes to make: old_string and new_string are exactly the same.')
    if (from === '') {
      if (text !== '') return toolError('Cannot create new file - file already exists.')
      text = to
      continue
    }
    if (before === null) return toolError('File does not exist.')
    const found = occurrences(text, from)
    if (found === 0) return toolError(`String to replace not found in file.\nString: ${from}`)
    if (found > 1 && !all)
      return toolError(
        `Found ${found} matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: ${from}`,
      )
    text = replaced(text, from, to, all)
  }
  await writeText(site, path, text)
  if (before === null) return told(`File created successfully at: ${path}`)
  if (edits.length === 1 && edits[0]?.replace_all === true)
    return told(`The file ${path} has been updated. All occurrences were successfully replaced.`)
  return told(`The file ${path} has been updated successfully.`)
}

async function glob(given: JsonObject, site: ReplaySite): Promise<ToolOutcome> {
  const pattern = textOf(given, 'pattern') ?? ''
  const base = textOf(given, 'path') ?? site.directory
  const line = `cd ${quoteWord(site.path(base))} && shopt -s globstar dotglob nullglob && files=(${globWords(pattern)}) && for f in "\${files[@]}"; do [ -f "$f" ] && printf '%s\\n' "$PWD/$f"; done`
  const { stdout } = await site.shell(line)
  const files = stdout.split('\n').filter((name) => name !== '')
  if (files.length === 0) return told('No files found')
  const more = files.length > MOST_FILES ? ['(Results are truncated. Consider using a more specific path or pattern.)'] : []
  return told([...files.slice(0, MOST_FILES), ...more].join('\n'))
}

/** A pattern as words of the shell in which only wildcards and braces mean anything. */
function globWords(pattern: string): string {
  return pattern.replace(/[^A-Za-z0-9_./*?[\]{},-]/g, (character) => `\\${character}`)
}

const text = { type: 'string' } as const
const number = { type: 'number' } as const
const flag = { type: 'boolean' } as const

function definition(name: string, description: string, properties: JsonObject, required: readonly string[]): ToolDefinition {
  return { name, description, parameters: { type: 'object', properties, required } }
}

const DEFINITIONS: readonly ToolDefinition[] = [
  definition('Bash', 'Run a command in bash.', { command: text, timeout: number, description: text }, ['command']),
  definition('Read', 'Read a file, with numbered lines.', { file_path: text, offset: number, limit: number }, ['file_path']),
  definition('Write', 'Write a file.', { file_path: text, content: text }, ['file_path', 'content']),
  definition('Edit', 'Replace a text in a file.', { file_path: text, old_string: text, new_string: text, replace_all: flag }, [
    'file_path',
    'old_string',
    'new_string',
  ]),
  definition(
    'MultiEdit',
    'Replace several texts in a file, one after another.',
    {
      file_path: text,
      edits: {
        type: 'array',
        items: {
          type: 'object',
          properties: { old_string: text, new_string: text, replace_all: flag },
          required: ['old_string', 'new_string'],
        },
      },
    },
    ['file_path', 'edits'],
  ),
  definition('Glob', 'Find files by a pattern of their names.', { pattern: text, path: text }, ['pattern']),
  definition(
    'Grep',
    'Search in files by a regular expression.',
    {
      pattern: text,
      path: text,
      glob: text,
      type: text,
      output_mode: { type: 'string', enum: ['content', 'files_with_matches', 'count'] },
      '-i': flag,
      '-n': flag,
      '-A': number,
      '-B': number,
      '-C': number,
      head_limit: number,
    },
    ['pattern'],
  ),
]
