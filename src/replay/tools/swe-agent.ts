import { FileSystemError } from '../../errors.ts'
import { quoteWord } from '../../shell/expand/quote.ts'
import type { JsonObject } from '../json.ts'
import { isObject } from '../json.ts'
import type { ReplaySite, ShellOutcome, ToolOutcome, Toolset } from '../toolset.ts'
import { occurrences, readText, replaced, typeAt, writeText } from './files.ts'
import { editText } from './text-editor.ts'

/** Lines of a file that are shown at once, and how many of those stay when the window is moved on. */
const WINDOW = 100
const OVERLAP = 2
const MOST_MATCHES = 100
const SESSION = 'bash'
/** `edit 12:14`, the lines to put there, and a line that ends them. */
const LINE_EDIT = /^edit (\d+):(\d+)\s*\n([\s\S]*)\nend_of_edit\s*$/

type Tool = (words: readonly string[], site: ReplaySite) => Promise<string>

/** The command line of SWE-agent: bash, and commands for a window onto a file. Each action is one line for both. */
export const sweAgentTools: Toolset = {
  definitions: [
    {
      name: 'bash',
      description:
        'Run a line of bash, or one of the commands open PATH [LINE], goto LINE, scroll_up, scroll_down, create PATH, edit SEARCH REPLACEMENT [ALL], find_file NAME [DIR], search_dir TERM [DIR], search_file TERM [FILE], submit.',
      parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
    },
  ],
  support: () => 'fresh',
  run: async ({ arguments: given }, site) => {
    const action = typeof given.command === 'string' ? given.command : ''
    try {
      return await act(action, site)
    } catch (error) {
      if (error instanceof FileSystemError) return shown(error.message, site)
      throw error
    }
  },
  ends: ({ arguments: given }) => isSubmit(given.command),
}

/** True for the action that hands in the work. */
export function isSubmit(action: unknown): boolean {
  return typeof action === 'string' && /^submit\b/.test(action.trim())
}

async function act(action: string, site: ReplaySite): Promise<ToolOutcome> {
  const lines = LINE_EDIT.exec(action)
  if (lines !== null) return shown(await editLines(Number(lines[1]), Number(lines[2]), lines[3] ?? '', site), site)
  const name = /^\s*([a-z_]+)(?=\s|$)/.exec(action)?.[1] ?? ''
  if (name === 'str_replace_editor') return editor(await wordsOf(action, site), site)
  const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined
  if (tool !== undefined) {
    const [, ...words] = await wordsOf(action, site)
    return shown(await tool(words, site), site)
  }
  return ran(await site.shell(action, { session: SESSION, mergesErrors: true }), site)
}

/** The words of an action, as the shell that would run it reads them. */
async function wordsOf(action: string, site: ReplaySite): Promise<readonly string[]> {
  const { stdout } = await site.shell(`printf '%s\\0' ${action.trim()}`, { session: SESSION })
  return stdout.split('\0').slice(0, -1)
}

async function ran({ output, status, missing }: ShellOutcome, site: ReplaySite): Promise<ToolOutcome> {
  return shown(output, site, { status, missing })
}

/** An observation: for the model with the prompt that tells the open file and the directory. */
async function shown(text: string, site: ReplaySite, more: Partial<Pick<ToolOutcome, 'status' | 'missing'>> = {}): Promise<ToolOutcome> {
  const value = text.trimEnd()
  const { stdout } = await site.shell('pwd', { session: SESSION })
  const prompt = `(Open file: ${openFile(site) ?? 'n/a'})\n(Current directory: ${stdout.trim()})\nbash-$`
  // The file keeps no status of a command: an error is no part of what is compared.
  return {
    value,
    text: `${value}\n${prompt}`,
    isError: false,
    status: null,
    missing: [],
    ...more,
  }
}

async function editor([, command = '', path = '', ...rest]: readonly string[], site: ReplaySite): Promise<ToolOutcome> {
  const given: Record<string, string | number | readonly number[]> = { command, path }
  for (let i = 0; i < rest.length; i++) {
    const option = rest[i] as string
    if (!option.startsWith('--')) continue
    const name = option.slice(2)
    if (name === 'view_range') {
      given[name] = [Number(rest[i + 1]), Number(rest[i + 2])]
      i += 2
    } else given[name] = name === 'insert_line' ? Number(rest[++i]) : (rest[++i] ?? '')
  }
  const { text } = await editText(given as JsonObject, site, 'anthropic')
  return shown(text, site)
}

const TOOLS: Readonly<Record<string, Tool>> = {
  open: async ([path, line], site) => {
    if (path === undefined) return 'Usage: open "<file>" [<line_number>]'
    const type = await typeAt(site, path)
    if (type === null) return `File ${path} not found`
    if (type === 'directory') return `Error: ${path} is a directory. You can only open files. Use cd or ls to navigate directories.`
    setWindow(site, { path: site.path(path), first: line === undefined ? 0 : centred(Number(line)) })
    return windowText(site)
  },
  goto: async ([line], site) => {
    const open = windowOf(site)
    if (open === null) return NO_FILE
    setWindow(site, { ...open, first: centred(Number(line)) })
    return windowText(site)
  },
  scroll_up: async (_, site) => scroll(site, -(WINDOW - OVERLAP)),
  scroll_down: async (_, site) => scroll(site, WINDOW - OVERLAP),
  create: async ([path], site) => {
    if (path === undefined) return 'Usage: create <filename>'
    if ((await typeAt(site, path)) !== null) return `Warning: File '${path}' already exists.`
    await writeText(site, path, '\n')
    setWindow(site, { path: site.path(path), first: 0 })
    return windowText(site)
  },
  edit: async ([search, replacement, all], site) => {
    const open = windowOf(site)
    if (open === null) return NO_FILE
    if (search === undefined || replacement === undefined) return 'Usage: edit <search> <replace> [<replace-all>]'
    const text = (await readText(site, open.path)) ?? ''
    if (search === replacement) return 'Your <search> and <replace> arguments are the same. No changes were made.'
    const count = occurrences(text, search)
    if (count === 0) return `Text not found: ${search}`
    const isAll = /^true$/i.test(all ?? '')
    await writeText(site, open.path, replaced(text, search, replacement, isAll))
    const done = isAll ? count : 1
    const notice = `Replaced ${done} occurrences. Please review the changes and make sure they are correct\n(correct indentation, no duplicate lines, etc). Edit the file again if necessary.`
    return `${notice}\n${await windowText(site)}`
  },
  find_file: async ([name, directory], site) => {
    if (name === undefined) return 'Usage: find_file <file_name> [<dir>]'
    const where = directory ?? '.'
    const { stdout } = await site.shell(`cd ${quoteWord(where)} && pwd && find "$PWD" -type f -name ${quoteWord(name)} | sort`, {
      session: SESSION,
    })
    const [at = '', ...found] = stdout.trimEnd().split('\n')
    return found.length === 0
      ? `No matches found for "${name}" in ${at}`
      : `Found ${found.length} matches for "${name}" in ${at}:\n${found.join('\n')}`
  },
  search_dir: async ([term, directory], site) => {
    if (term === undefined) return 'Usage: search_dir <search_term> [<dir>]'
    const { stdout } = await site.shell(
      `(cd ${quoteWord(directory ?? '.')} && pwd && grep -rnIHF --exclude-dir='.*' -e ${quoteWord(term)} .)`,
      { session: SESSION },
    )
    const [at = '', ...matches] = stdout.trimEnd().split('\n')
    const counts = new Map<string, number>()
    for (const match of matches) {
      const file = match.slice(0, match.indexOf(':'))
      counts.set(file, (counts.get(file) ?? 0) + 1)
    }
    if (matches.length === 0) return `No matches found for "${term}" in ${at}`
    if (counts.size > MOST_MATCHES) return `More than ${MOST_MATCHES} files matched for "${term}" in ${at}. Please narrow your search.`
    const lines = [...counts].map(([file, count]) => `${file} (${count} matches)`)
    return `Found ${matches.length} matches for "${term}" in ${at}:\n${lines.join('\n')}\nEnd of matches for "${term}" in ${at}`
  },
  search_file: async ([term, path], site) => {
    if (term === undefined) return 'Usage: search_file <search_term> [<file>]'
    const file = path === undefined ? openFile(site) : site.path(path)
    if (file === null) return NO_FILE
    const text = await readText(site, file)
    if (text === null) return `File name ${path ?? ''} not found. Please provide a valid file name.`
    const found = text.split('\n').flatMap((line, i) => (line.includes(term) ? [`Line ${i + 1}:${line}`] : []))
    if (found.length === 0) return `No matches found for "${term}" in ${file}`
    if (found.length > MOST_MATCHES) return `More than ${MOST_MATCHES} lines matched for "${term}" in ${file}. Please narrow your search.`
    return `Found ${found.length} matches for "${term}" in ${file}:\n${found.join('\n')}\nEnd of matches for "${term}" in ${file}`
  },
}

const NO_FILE = 'No file open. Use the open command first.'

interface Window {
  readonly path: string
  /** Index of the first line that is shown. */
  readonly first: number
}

function windowOf({ memory }: ReplaySite): Window | null {
  const value = memory.get('window')
  return isObject(value) && typeof value.path === 'string' && typeof value.first === 'number'
    ? { path: value.path, first: value.first }
    : null
}

function setWindow({ memory }: ReplaySite, { path, first }: Window): void {
  memory.set('window', { path, first: Math.max(0, first) })
}

function openFile(site: ReplaySite): string | null {
  return windowOf(site)?.path ?? null
}

/** The first line of a window that has the line in its upper part. */
function centred(line: number): number {
  return Math.floor(line - 1 - WINDOW / 6)
}

async function scroll(site: ReplaySite, by: number): Promise<string> {
  const open = windowOf(site)
  if (open === null) return NO_FILE
  const count = ((await readText(site, open.path)) ?? '').split('\n').length
  setWindow(site, { ...open, first: Math.min(open.first + by, Math.max(0, count - WINDOW)) })
  return windowText(site)
}

async function windowText(site: ReplaySite): Promise<string> {
  const { path, first } = windowOf(site) as Window
  const lines = ((await readText(site, path)) ?? '').split('\n')
  const shownLines = lines.slice(first, first + WINDOW)
  const below = lines.length - first - shownLines.length
  return [
    `[File: ${path} (${lines.length} lines total)]`,
    ...(first > 0 ? [`(${first} more lines above)`] : []),
    ...shownLines.map((line, i) => `${first + i + 1}:${line}`),
    ...(below > 0 ? [`(${below} more lines below)`] : []),
  ].join('\n')
}

async function editLines(from: number, to: number, text: string, site: ReplaySite): Promise<string> {
  const open = windowOf(site)
  if (open === null) return NO_FILE
  const lines = ((await readText(site, open.path)) ?? '').split('\n')
  await writeText(site, open.path, [...lines.slice(0, from - 1), ...text.split('\n'), ...lines.slice(to)].join('\n'))
  setWindow(site, { ...open, first: centred(from) })
  return `${await windowText(site)}\nFile updated. Please review the changes and make sure they are correct (correct indentation, no duplicate lines, etc). Edit the file again if necessary.`
}
