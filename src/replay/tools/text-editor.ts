import { hasCode } from '../../errors.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { isArray } from '../json.ts'
import type { ReplaySite, ToolDefinition, ToolOutcome } from '../toolset.ts'
import { numberOf, occurrences, readText, refused, replaced, textOf, told, typeAt, writeText } from './files.ts'

/** Lines shown before and after what was edited. */
const AROUND = 4
const REVIEW = 'Review the changes and make sure they are as expected. Edit the file again if necessary.'

/** `str_replace_editor`: views, makes and edits files by their absolute paths. */
export async function textEditor(given: JsonObject, site: ReplaySite): Promise<ToolOutcome> {
  const path = textOf(given, 'path')
  if (path === undefined) return refused('ERROR:\nParameter `path` is missing.')
  switch (textOf(given, 'command')) {
    case 'view':
      return view(path, given.view_range, site)
    case 'create':
      return create(path, textOf(given, 'file_text'), site)
    case 'str_replace':
      return replace(path, textOf(given, 'old_str'), textOf(given, 'new_str') ?? '', site)
    case 'insert':
      return insert(path, numberOf(given, 'insert_line'), textOf(given, 'new_str'), site)
    case 'undo_edit':
      return undo(path, site)
    default:
      return refused(
        `ERROR:\nUnrecognized command ${JSON.stringify(given.command ?? null)}: the commands are view, create, str_replace, insert, undo_edit.`,
      )
  }
}

export const TEXT_EDITOR: ToolDefinition = {
  name: 'str_replace_editor',
  description: 'View, make and edit files. Paths are absolute; old_str has to be in the file exactly once.',
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert', 'undo_edit'] },
      path: { type: 'string' },
      file_text: { type: 'string' },
      old_str: { type: 'string' },
      new_str: { type: 'string' },
      insert_line: { type: 'integer' },
      view_range: { type: 'array', items: { type: 'integer' } },
    },
    required: ['command', 'path'],
  },
}

async function view(path: string, range: JsonValue | undefined, site: ReplaySite): Promise<ToolOutcome> {
  const type = await typeAt(site, path)
  if (type === null) return missing(path)
  if (type === 'directory') {
    if (range !== undefined && range !== null)
      return refused('ERROR:\nThe `view_range` parameter is not allowed when `path` points to a directory.')
    const names = await namesBelow(path, site, 2)
    return told(
      `Here's the files and directories up to 2 levels deep in ${path}, excluding hidden items:\n${[slashed(path), ...names].join('\n')}`,
    )
  }
  const lines = ((await readText(site, path)) ?? '').split('\n')
  let [from, to] = [1, lines.length]
  if (isArray(range)) {
    const [first, last] = range
    if (
      range.length !== 2 ||
      typeof first !== 'number' ||
      typeof last !== 'number' ||
      first < 1 ||
      first > lines.length ||
      (last !== -1 && last < first)
    )
      return refused(
        `ERROR:\nInvalid \`view_range\` parameter: ${JSON.stringify(range)}. It has to be two line numbers within 1 to ${lines.length}; -1 is the end.`,
      )
    from = first
    to = last === -1 ? lines.length : Math.min(last, lines.length)
  }
  return told(numbered(lines.slice(from - 1, to), from, path))
}

async function create(path: string, text: string | undefined, site: ReplaySite): Promise<ToolOutcome> {
  if (text === undefined) return refused('ERROR:\nParameter `file_text` is required for command: create.')
  if ((await typeAt(site, path)) !== null)
    return refused(
      `ERROR:\nInvalid \`path\` parameter: ${path}. File already exists at: ${path}. Cannot overwrite files using command \`create\`.`,
    )
  await writeText(site, path, text)
  remember(path, null, site)
  return told(`File created successfully at: ${path}`)
}

async function replace(path: string, from: string | undefined, to: string, site: ReplaySite): Promise<ToolOutcome> {
  if (from === undefined) return refused('ERROR:\nParameter `old_str` is required for command: str_replace.')
  const text = await readText(site, path)
  if (text === null) return missing(path)
  if (from === to) return refused('ERROR:\nNo replacement was performed. `new_str` and `old_str` must be different.')
  const found = occurrences(text, from)
  if (found === 0) return refused(`ERROR:\nNo replacement was performed, old_str \`${from}\` did not appear verbatim in ${path}.`)
  if (found > 1) {
    const at = linesOf(text, from)
    return refused(
      `ERROR:\nNo replacement was performed. Multiple occurrences of old_str \`${from}\` in lines [${at.join(', ')}]. Please ensure it is unique.`,
    )
  }
  const after = replaced(text, from, to, false)
  await writeText(site, path, after)
  remember(path, text, site)
  const line = text.slice(0, text.indexOf(from)).split('\n').length
  return edited(path, after, line, to.split('\n').length)
}

async function insert(path: string, line: number | undefined, added: string | undefined, site: ReplaySite): Promise<ToolOutcome> {
  if (line === undefined || added === undefined)
    return refused('ERROR:\nParameters `insert_line` and `new_str` are required for command: insert.')
  const text = await readText(site, path)
  if (text === null) return missing(path)
  const lines = text.split('\n')
  if (line > lines.length)
    return refused(
      `ERROR:\nInvalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
    )
  const more = added.split('\n')
  const after = [...lines.slice(0, line), ...more, ...lines.slice(line)].join('\n')
  await writeText(site, path, after)
  remember(path, text, site)
  return edited(path, after, line + 1, more.length)
}

async function undo(path: string, site: ReplaySite): Promise<ToolOutcome> {
  const earlier = site.memory.get(`edits of ${path}`)
  const last = isArray(earlier) ? earlier.at(-1) : undefined
  if (!isArray(earlier) || last === undefined) return refused(`ERROR:\nNo edit history found for ${path}.`)
  site.memory.set(`edits of ${path}`, earlier.slice(0, -1))
  if (typeof last !== 'string') {
    try {
      await site.fs.unlink(site.path(path))
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error
    }
    return told(`Last edit to ${path} undone successfully.`)
  }
  await writeText(site, path, last)
  return told(`Last edit to ${path} undone successfully. ${numbered(last.split('\n'), 1, path)}`)
}

function remember(path: string, before: string | null, { memory }: ReplaySite): void {
  const key = `edits of ${path}`
  const earlier = memory.get(key)
  memory.set(key, [...(isArray(earlier) ? earlier : []), before])
}

function edited(path: string, text: string, line: number, count: number): ToolOutcome {
  const lines = text.split('\n')
  const from = Math.max(1, line - AROUND)
  const shown = numbered(lines.slice(from - 1, line - 1 + count + AROUND), from, `a snippet of ${path}`)
  return told(`The file ${path} has been edited. ${shown}${REVIEW}`)
}

function numbered(lines: readonly string[], from: number, what: string): string {
  return `Here's the result of running \`cat -n\` on ${what}:\n${lines.map((line, i) => `${String(from + i).padStart(6)}\t${line}\n`).join('')}`
}

function missing(path: string): ToolOutcome {
  return refused(`ERROR:\nInvalid \`path\` parameter: ${path}. The path ${path} does not exist. Please provide a valid path.`)
}

function linesOf(text: string, part: string): readonly number[] {
  const found: number[] = []
  let line = 1
  let from = 0
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    for (let next = text.indexOf('\n', from); next >= 0 && next < at; next = text.indexOf('\n', from)) {
      line += 1
      from = next + 1
    }
    found.push(line)
  }
  return found
}

async function namesBelow(path: string, site: ReplaySite, levels: number): Promise<readonly string[]> {
  const names: string[] = []
  const entries = [...(await site.fs.readdir(site.path(path)))].sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const { name, type } of entries) {
    if (name.startsWith('.')) continue
    const inner = `${slashed(path)}${name}`
    names.push(type === 'directory' ? `${inner}/` : inner)
    if (type === 'directory' && levels > 1) names.push(...(await namesBelow(inner, site, levels - 1)))
  }
  return names
}

function slashed(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}
