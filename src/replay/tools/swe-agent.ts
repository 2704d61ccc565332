import { FileSystemError } from '../../errors.ts'
import type { JsonObject } from '../json.ts'
import type { ReplaySite, ToolCall, ToolOutcome, Toolset } from '../toolset.ts'
import { pythonQuoted } from './python-quote.ts'
import { withoutEscapes } from './screen-text.ts'
import { shellDirectory } from './shell-paths.ts'
import { commandWords, sweDefinitions } from './swe-definitions.ts'
import { edit, insertText, replaceLines } from './swe-edit.ts'
import { lineParts } from './swe-line.ts'
import { findFile, searchDirectory, searchFile } from './swe-search.ts'
import type { SweAnswer, SweSettings } from './swe-settings.ts'
import { SESSION, said, usage } from './swe-settings.ts'
import { filledTemplate } from './swe-template.ts'
import { createFile, goTo, openFile, openPath, scroll } from './swe-window.ts'
import { editText } from './text-editor.ts'

type Command = (words: readonly string[], site: ReplaySite, settings: SweSettings) => Promise<SweAnswer> | SweAnswer

const EDITOR = 'str_replace_editor'
const COMMANDS: Readonly<Record<string, Command>> = {
  open: openPath,
  goto: goTo,
  scroll_down: (_, site, settings) => scroll(1, site, settings),
  scroll_up: (_, site, settings) => scroll(-1, site, settings),
  create: createFile,
  find_file: findFile,
  search_dir: searchDirectory,
  search_file: searchFile,
  edit,
  insert: insertText,
  [EDITOR]: (words, site) => editor(editorArguments(words), site),
}
/** `edit FIRST:LAST`, the lines to put there, and the line that ends them. */
const LINE_EDIT = /^edit\s+(\d+):(\d+)[^\n]*\n([\s\S]*?)\n?end_of_edit\s*$/
const ENDS: ReadonlySet<string> = new Set(['submit', 'exit_forfeit'])

/** The command line of SWE-agent: a shell that lives on, and commands for a window onto a file, for searching and for edits. */
export function sweAgentTools(settings: SweSettings): Toolset {
  return {
    definitions: sweDefinitions(settings.bundles),
    support: () => 'fresh',
    run: (call, site) => run(call, site, settings),
    ends: ({ name, arguments: given }) => ENDS.has(name) || endsWork(given.command),
  }
}

/** True for tools that are called by functions with arguments of their own. */
export function isSweTool(name: string): boolean {
  return name === 'bash' || Object.hasOwn(COMMANDS, name)
}

/** True for a line by which the agent ends its work. */
export function endsWork(line: unknown): boolean {
  return typeof line === 'string' && ENDS.has(/^\s*(\w+)(?=\s|$)/.exec(line)?.[1] ?? '')
}

async function run({ name, arguments: given }: ToolCall, site: ReplaySite, settings: SweSettings): Promise<ToolOutcome> {
  if (name === EDITOR) return observed(await guarded(() => editor(given, site)), site, settings)
  const words = commandWords(name, given)
  const command = COMMANDS[name]
  if (words !== null && command !== undefined) return observed(await guarded(() => command(words, site, settings)), site, settings)
  if (name !== 'bash' || typeof given.command !== 'string')
    return observed(usage(name === 'bash' ? 'the argument "command" has to be a text' : ''), site, settings)
  return observed(await runLine(given.command, site, settings), site, settings)
}

/** A line: for the shell, but for the commands in it that aren't there. */
async function runLine(line: string, site: ReplaySite, settings: SweSettings): Promise<SweAnswer> {
  const lineEdit = LINE_EDIT.exec(line)
  if (lineEdit !== null) {
    const [, first = '', last = '', text = ''] = lineEdit
    return guarded(() => replaceLines([first, last, text], site, settings))
  }
  const parts = lineParts(line, (name) => Object.hasOwn(COMMANDS, name))
  if (parts === null) return runShell(line, site, settings)
  const texts: string[] = []
  const missing: string[] = []
  let status = 0
  for (const { joint, tool, text } of parts) {
    if ((joint === '&&' && status !== 0) || (joint === '||' && status === 0)) continue
    const answer = tool === null ? await runShell(text, site, settings) : await runCommand(tool, text, site, settings)
    status = answer.status
    missing.push(...(answer.missing ?? []))
    if (answer.text !== '') texts.push(answer.text.replace(/\n$/, ''))
  }
  return { text: texts.join('\n'), status, missing: [...new Set(missing)] }
}

/** A command with words as the shell reads them. */
async function runCommand(name: string, text: string, site: ReplaySite, settings: SweSettings): Promise<SweAnswer> {
  const { stdout } = text === '' ? { stdout: '' } : await site.shell(`printf '%s\\0' ${text}`, { session: SESSION, env: settings.env })
  const words = stdout.split('\0').slice(0, -1)
  return guarded(() => COMMANDS[name]?.(words, site, settings) ?? usage(''))
}

async function runShell(line: string, site: ReplaySite, { env, templates, timeout }: SweSettings): Promise<SweAnswer> {
  const { output, status, timedOut, missing } = await site.shell(line, { session: SESSION, mergesErrors: true, env })
  if (!timedOut) return { text: output, status: status ?? -1, missing }
  const values = { command: line, timeout: String(timeout) }
  const told = filledTemplate(templates.command_cancelled_timeout_template, values)
  return {
    text: told ?? `The command ${pythonQuoted(line)} was cancelled because it took more than ${timeout} seconds.`,
    status: -1,
    missing,
  }
}

async function guarded(work: () => Promise<SweAnswer> | SweAnswer): Promise<SweAnswer> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof FileSystemError) return usage(error.message)
    throw error
  }
}

async function editor(given: JsonObject, site: ReplaySite): Promise<SweAnswer> {
  const { text, isError } = await editText(given, site, 'anthropic')
  return isError ? usage(text) : said(text)
}

/** The arguments of the editor as words: `COMMAND PATH --NAME VALUE …`. */
function editorArguments([command = '', path = '', ...rest]: readonly string[]): JsonObject {
  const given: Record<string, string | number | readonly number[]> = { command, path }
  for (let i = 0; i < rest.length; i += 2) {
    const name = (rest[i] ?? '').replace(/^--/, '')
    if (name === 'view_range') {
      given[name] = [Number(rest[i + 1]), Number(rest[i + 2])]
      i += 1
    } else given[name] = name === 'insert_line' ? Number(rest[i + 1]) : (rest[i + 1] ?? '')
  }
  return given
}

/** An observation in the form of the recorded ones, and as the agent's templates show it. No status is recorded: none is compared. */
async function observed({ text, status, missing = [] }: SweAnswer, site: ReplaySite, settings: SweSettings): Promise<ToolOutcome> {
  const plain = withoutEscapes(text).replaceAll('\r\n', '\n').trim()
  const state = {
    open_file: openFile(site) ?? 'n/a',
    working_dir: await shellDirectory(site, { session: SESSION, status: status < 0 ? 1 : status, recorded: settings.directory }),
  }
  const { next_step_template: usual, next_step_no_output_template: silent } = settings.templates
  return {
    value: plain.replaceAll('\n', settings.lineEnd),
    isError: false,
    text: filledTemplate(plain === '' ? (silent ?? usual) : usual, { observation: plain, ...state }) ?? plain,
    status,
    missing,
    native: state,
  }
}
