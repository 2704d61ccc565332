import { encode } from '../../bytes.ts'
import { FileSystemError } from '../../errors.ts'
import { dirname, normalise } from '../../fs/path.ts'
import { isObject } from '../json.ts'
import type { ReplaySite } from '../toolset.ts'
import { shellDirectory } from './shell-paths.ts'
import type { SweAnswer, SweSettings } from './swe-settings.ts'
import { SESSION, said, usage } from './swe-settings.ts'

const NO_FILE = 'No file open. Use the open command first.'
/** The part of a window that is above the line that it is moved to. */
const ABOVE = 1 / 6

/** The file that is open, with the lines that are shown of it. */
export interface OpenWindow {
  /** Absolute, as the agent has it. */
  readonly path: string
  readonly text: string
  readonly lines: readonly string[]
  /** Index of the first line that is shown. */
  readonly first: number
}

/** What the agent is told to be the open file; null where none is. */
export function openFile({ memory }: ReplaySite): string | null {
  const kept = memory.get('window')
  return isObject(kept) && typeof kept.path === 'string' ? kept.path : null
}

/** The open file as it is now. A {@link SweAnswer} where there is none. */
export async function openWindow(site: ReplaySite): Promise<OpenWindow | SweAnswer> {
  const kept = site.memory.get('window')
  if (!isObject(kept) || typeof kept.path !== 'string' || typeof kept.first !== 'number') return usage(NO_FILE)
  const text = await textAt(site, kept.path)
  if (text === null) return usage(`Error: File ${kept.path} not found`)
  return { path: kept.path, text, lines: text.split('\n'), first: kept.first }
}

export function isAnswer(value: OpenWindow | SweAnswer): value is SweAnswer {
  return 'status' in value
}

/** Opens a file, or shows the open one again. */
export async function openPath([given, line]: readonly string[], site: ReplaySite, settings: SweSettings): Promise<SweAnswer> {
  if (given === undefined) {
    const open = await openWindow(site)
    return isAnswer(open) ? usage('Usage: open "<file>"') : said(shownWindow(open, settings))
  }
  const path = await absolute(given, site, settings)
  const type = await typeOf(site, path)
  if (type === 'directory') return usage(`Error: ${given} is a directory. You can only open files. Use cd or ls to navigate directories.`)
  const text = type === null ? null : await textAt(site, path)
  if (text === null) return usage(`Error: File ${given} not found`)
  const lines = text.split('\n')
  const at = line === undefined ? 1 : Number(line)
  if (!Number.isSafeInteger(at)) return usage('Usage: open "<file>" [<line_number>]\nError: <line_number> must be a number')
  const notes: string[] = []
  if (at > lines.length)
    notes.push(
      `Warning: <line_number> (${at}) is greater than the number of lines in the file (${lines.length})`,
      'Warning: Setting <line_number> to the number of lines in the file',
    )
  if (at < 1) notes.push(`Warning: <line_number> (${at}) is less than 1`, 'Warning: Setting <line_number> to 1')
  const open = moved({ path, text, lines, first: 0 }, aroundLine(Math.min(Math.max(at, 1), lines.length), settings), site, settings)
  return said([...notes, shownWindow(open, settings, given)].join('\n'))
}

export async function goTo(words: readonly string[], site: ReplaySite, settings: SweSettings): Promise<SweAnswer> {
  if (words.length > 1) return usage('goto allows only one line number at a time.')
  const [word] = words
  if (word === undefined) return usage('Usage: goto <line>')
  const line = Number(word)
  if (!Number.isSafeInteger(line)) return usage('Usage: goto <line>\nError: <line> must be a number')
  const open = await openWindow(site)
  if (isAnswer(open)) return open
  if (line > open.lines.length) return usage(`Error: <line> must be less than or equal to ${open.lines.length}`)
  return said(shownWindow(moved(open, aroundLine(line, settings), site, settings), settings))
}

/** Moves the window by its size, less what stays in sight: 1 down, -1 up. */
export async function scroll(direction: 1 | -1, site: ReplaySite, settings: SweSettings): Promise<SweAnswer> {
  const open = await openWindow(site)
  if (isAnswer(open)) return open
  const first = open.first + direction * (settings.window - settings.overlap)
  return said(shownWindow(moved(open, first, site, settings), settings))
}

/** Makes a file with one empty line, and opens it. */
export async function createFile([given]: readonly string[], site: ReplaySite, settings: SweSettings): Promise<SweAnswer> {
  if (given === undefined) return usage('Usage: create <filename>')
  const path = await absolute(given, site, settings)
  if ((await typeOf(site, path)) !== null) return usage(`Warning: File '${given}' already exists.`)
  const target = site.path(path)
  const missing: string[] = []
  for (let above = dirname(target); (await typeOf(site, above)) === null; above = dirname(above)) missing.unshift(above)
  for (const directory of missing) await site.fs.mkdir(directory)
  await site.fs.write(target, encode('\n'))
  return said(shownWindow(moved({ path, text: '\n', lines: ['', ''], first: 0 }, 0, site, settings), settings, given))
}

/** Gives the open file another text; the window stays where it is, as far as the file has lines there, or begins at `first`. */
export async function rewrite(open: OpenWindow, text: string, site: ReplaySite, settings: SweSettings, first?: number): Promise<string> {
  await site.fs.write(site.path(open.path), encode(text))
  return shownWindow(moved({ ...open, text, lines: text.split('\n') }, first ?? open.first, site, settings), settings)
}

/** Index of the first line of a window that is moved to a line. */
export function aroundLine(line: number, { window }: SweSettings): number {
  return Math.trunc(line - 1 - window * ABOVE)
}

function moved(open: OpenWindow, first: number, { memory }: ReplaySite, { window }: SweSettings): OpenWindow {
  const within = Math.max(0, Math.min(first, open.lines.length - 1 - window))
  memory.set('window', { path: open.path, first: within })
  return { ...open, first: within }
}

function shownWindow({ path, lines, first }: OpenWindow, { window }: SweSettings, name = path): string {
  const shown = lines.slice(first, first + window)
  const below = lines.length - first - shown.length
  return [
    `[File: ${name} (${lines.length} lines total)]`,
    ...(first > 0 ? [`(${first} more lines above)`] : []),
    ...shown.map((line, i) => `${first + i + 1}:${line}`),
    ...(below > 0 ? [`(${below} more lines below)`] : []),
  ].join('\n')
}

/** A path of the agent, from the directory that its shell is in. */
export async function absolute(given: string, site: ReplaySite, { directory: recorded }: SweSettings): Promise<string> {
  if (given.startsWith('/')) return normalise(given)
  return normalise(`${await shellDirectory(site, { session: SESSION, status: 0, recorded })}/${given}`)
}

async function typeOf({ fs, path }: ReplaySite, at: string): Promise<string | null> {
  try {
    return (await fs.stat(path(at))).type
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

async function textAt({ fs, path }: ReplaySite, at: string): Promise<string | null> {
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await fs.read(path(at)))
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof FileSystemError && (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'EISDIR')
}
