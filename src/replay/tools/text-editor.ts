import { encode } from '../../bytes.ts'
import { FileSystemError } from '../../errors.ts'
import { dirname } from '../../fs/path.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { isArray } from '../json.ts'
import type { ReplaySite } from '../toolset.ts'
import { listedDirectory } from './listed-directory.ts'
import { expandTabs } from './screen-text.ts'

/** Whose answers are given: agents have the same editor in two forms, which differ in what is shown. */
export type EditorDialect = 'openhands' | 'anthropic'

export interface EditorAnswer {
  readonly text: string
  readonly isError: boolean
}

/** Lines that are shown before and after an edit. */
const AROUND = 4
/** Characters from which on the middle of a file isn't shown. */
const LONG = 16_000
const REVIEW = 'Review the changes and make sure they are as expected'

type EditorSite = Pick<ReplaySite, 'fs' | 'memory' | 'path'>

/** One call of the tool that views, creates and edits files by `command`: `view`, `create`, `str_replace`, `insert`, `undo_edit`. */
export async function editText(given: JsonObject, site: EditorSite, dialect: EditorDialect): Promise<EditorAnswer> {
  try {
    return { text: await new TextEditor(given, site, dialect).run(), isError: false }
  } catch (error) {
    if (error instanceof Refusal) return { text: error.message, isError: true }
    if (error instanceof FileSystemError) return { text: `Ran into ${error.message}`, isError: true }
    throw error
  }
}

/** What the tool itself refuses. */
class Refusal extends Error {}

class TextEditor {
  readonly #given: JsonObject
  readonly #site: EditorSite
  readonly #isOpenHands: boolean
  readonly #command: string
  /** As it was given. */
  readonly #path: string
  /** Where the workspace has it. */
  readonly #file: string

  constructor(given: JsonObject, site: EditorSite, dialect: EditorDialect) {
    this.#given = given
    this.#site = site
    this.#isOpenHands = dialect === 'openhands'
    this.#command = typeof given.command === 'string' ? given.command : ''
    this.#path = typeof given.path === 'string' ? given.path.replace(/(?<=.)\/+$/, '') : ''
    this.#file = site.path(this.#path)
  }

  async run(): Promise<string> {
    const isDirectory = await this.#checkPath()
    switch (this.#command) {
      case 'view':
        return isDirectory ? this.#viewDirectory() : this.#view()
      case 'create':
        return this.#create()
      case 'str_replace':
        return this.#replace()
      case 'insert':
        return this.#insert()
      case 'undo_edit':
        return this.#undo()
      default:
        throw new Refusal(
          `Unrecognized command ${this.#command}. The allowed commands for the str_replace_editor tool are: view, create, str_replace, insert, undo_edit`,
        )
    }
  }

  /** True for a directory. */
  async #checkPath(): Promise<boolean> {
    const path = this.#path
    if (!path.startsWith('/')) {
      if (this.#isOpenHands) throw this.#invalid('path', path, 'The path should be an absolute path, starting with `/`.')
      throw new Refusal(`The path ${path} is not an absolute path, it should start with \`/\`. Maybe you meant /${path}?`)
    }
    const type = await this.#typeOf(this.#file)
    if (type === null && this.#command !== 'create')
      throw this.#pathRefusal(`The path ${path} does not exist. Please provide a valid path.`)
    if (type !== null && this.#command === 'create')
      throw this.#pathRefusal(`File already exists at: ${path}. Cannot overwrite files using command \`create\`.`)
    if (type === 'directory' && this.#command !== 'view')
      throw this.#pathRefusal(
        `The path ${path} is a directory and only the \`view\` command can be used on directories${this.#isOpenHands ? '.' : ''}`,
      )
    return type === 'directory'
  }

  async #viewDirectory(): Promise<string> {
    if (isGiven(this.#given.view_range))
      throw this.#isOpenHands
        ? this.#invalid(
            'view_range',
            shownList(this.#given.view_range),
            'The `view_range` parameter is not allowed when `path` points to a directory.',
          )
        : new Refusal('The `view_range` parameter is not allowed when `path` points to a directory.')
    const { shown, hidden } = await listedDirectory(this.#site.fs, this.#file, this.#path, this.#isOpenHands)
    const head = `Here's the files and directories up to 2 levels deep in ${this.#path}, excluding hidden items:\n${shown.join('\n')}`
    if (!this.#isOpenHands) return `${head}\n`
    if (hidden === 0) return head
    return `${head}\n\n${hidden} hidden files/directories in this directory are excluded. You can use 'ls -la ${this.#path}' to see them.`
  }

  async #view(): Promise<string> {
    const text = await this.#read()
    const { view_range: range } = this.#given
    if (!isGiven(range)) return this.#numbered(text.split('\n'), this.#path, 1)
    const lines = text.split('\n')
    const count = this.#countOf(lines)
    const [first, last, ...more] = isArray(range) ? range : []
    if (!isWhole(first) || !isWhole(last) || more.length > 0) throw this.#badRange('It should be a list of two integers.')
    if (first < 1 || first > count)
      throw this.#badRange(`Its first element \`${first}\` should be within the range of lines of the file: [1, ${count}]${this.#stop}`)
    if (last !== -1 && last > count && !this.#isOpenHands)
      throw this.#badRange(`Its second element \`${last}\` should be smaller than the number of lines in the file: \`${count}\``)
    if (last !== -1 && last < first)
      throw this.#badRange(
        this.#isOpenHands
          ? `Its second element \`${last}\` should be greater than or equal to the first element \`${first}\`.`
          : `Its second element \`${last}\` should be larger or equal than its first \`${first}\``,
      )
    const end = last === -1 ? (this.#isOpenHands ? count : lines.length) : Math.min(last, count)
    return this.#numbered(this.#cut(lines, first - 1, end), this.#path, first)
  }

  async #create(): Promise<string> {
    const text = this.#text('file_text')
    const parent = dirname(this.#file)
    if ((await this.#typeOf(parent)) !== 'directory')
      throw new Refusal(
        this.#isOpenHands
          ? `Ran into [Errno 2] No such file or directory: '${this.#path}' while trying to write to ${this.#path}`
          : `The parent directory ${parent} does not exist. Please create it first.`,
      )
    await this.#write(text)
    this.#remember(text)
    return `File created successfully at: ${this.#path}`
  }

  async #replace(): Promise<string> {
    let old = this.#text('old_str')
    let fresh = typeof this.#given.new_str === 'string' ? this.#given.new_str : ''
    if (this.#isOpenHands && old === fresh)
      throw this.#invalid('new_str', fresh, 'No replacement was performed. `new_str` and `old_str` must be different.')
    const text = await this.#read()
    let found = placesOf(text, old)
    if (found.length === 0 && this.#isOpenHands) {
      // White space around what is looked for may be wrong.
      old = old.trim()
      fresh = fresh.trim()
      found = placesOf(text, old)
    }
    const [at] = found
    if (at === undefined)
      throw new Refusal(`No replacement was performed, old_str \`${this.#text('old_str')}\` did not appear verbatim in ${this.#path}.`)
    if (found.length > 1) {
      const lines = [...new Set(found.map((place) => lineAt(text, place)))].join(', ')
      throw new Refusal(
        `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines [${lines}]. Please ensure it is unique${this.#stop}`,
      )
    }
    const changed = text.slice(0, at) + fresh + text.slice(at + old.length)
    await this.#write(changed)
    this.#remember(text)
    const line = lineAt(text, at)
    const from = Math.max(0, line - AROUND - (this.#isOpenHands ? 0 : 1))
    const snippet = this.#cut(changed.split('\n'), from, line + AROUND + countOf(fresh, '\n'))
    return `The file ${this.#path} has been edited. ${this.#numbered(snippet, `a snippet of ${this.#path}`, from + 1)}${REVIEW}. Edit the file again if necessary.`
  }

  async #insert(): Promise<string> {
    const { insert_line: at } = this.#given
    if (!isWhole(at)) throw this.#missing('insert_line')
    const added = this.#text('new_str').split('\n')
    const text = await this.#read()
    const lines = text.split('\n')
    const count = this.#countOf(lines)
    if (at < 0 || at > count)
      throw this.#isOpenHands
        ? this.#invalid('insert_line', String(at), `It should be within the range of allowed values: [0, ${count}]`)
        : new Refusal(`Invalid \`insert_line\` parameter: ${at}. It should be within the range of lines of the file: [0, ${count}]`)
    const changed = [...lines.slice(0, at), ...added, ...lines.slice(at)]
    await this.#write(changed.join('\n'))
    this.#remember(text)
    const from = Math.max(0, at - AROUND)
    const snippet = this.#cut(changed, from, at + added.length + AROUND)
    return `The file ${this.#path} has been edited. ${this.#numbered(snippet, 'a snippet of the edited file', from + 1)}${REVIEW} (correct indentation, no duplicate lines, etc). Edit the file again if necessary.`
  }

  async #undo(): Promise<string> {
    const past = this.#past()
    const before = past.at(-1)
    if (typeof before !== 'string') throw new Refusal(`No edit history found for ${this.#path}.`)
    await this.#write(before)
    this.#site.memory.set(this.#key, past.slice(0, -1))
    return `Last edit to ${this.#path} undone successfully. ${this.#numbered(before.split('\n'), this.#path, 1)}`
  }

  /** Lines with their numbers, as `cat -n` has them. */
  #numbered(lines: readonly string[], of: string, first: number): string {
    const text = lines.join('\n')
    const shown = text.length > LONG ? this.#clipped(text).split('\n') : lines
    const numbered = shown.map((line, i) => `${String(i + first).padStart(6)}\t${this.#isOpenHands ? line : expandTabs(line)}`)
    return `Here's the result of running \`cat -n\` on ${of}:\n${numbered.join('\n')}\n`
  }

  #clipped(text: string): string {
    const notice = `<response clipped: ${text.length - LONG} characters are not shown>`
    if (!this.#isOpenHands) return `${text.slice(0, LONG)}${notice}`
    return `${text.slice(0, LONG / 2)}\n${notice}\n${text.slice(-LONG / 2)}`
  }

  /** Lines from one on and up to another, without it. OpenHands reads lines with their ends, so that an empty one stands after them, unless the file ended there without one. */
  #cut(lines: readonly string[], from: number, to: number): readonly string[] {
    const cut = lines.slice(from, to)
    return this.#isOpenHands && to < lines.length ? [...cut, ''] : cut
  }

  /** How many lines a file has: what is after the last line end is one more for all but OpenHands. */
  #countOf(lines: readonly string[]): number {
    return this.#isOpenHands && lines.at(-1) === '' ? lines.length - 1 : lines.length
  }

  get #stop(): string {
    return this.#isOpenHands ? '.' : ''
  }

  get #key(): string {
    return `editor:${this.#file}`
  }

  #past(): readonly JsonValue[] {
    const past = this.#site.memory.get(this.#key)
    return isArray(past) ? past : []
  }

  #remember(text: string): void {
    this.#site.memory.set(this.#key, [...this.#past(), text])
  }

  #text(name: string): string {
    const value = this.#given[name]
    if (typeof value !== 'string') throw this.#missing(name)
    return value
  }

  #missing(name: string): Refusal {
    return new Refusal(`Parameter \`${name}\` is required for command: ${this.#command}${this.#stop}`)
  }

  #invalid(name: string, value: string, why: string): Refusal {
    return new Refusal(`Invalid \`${name}\` parameter: ${value}. ${why}`)
  }

  #badRange(why: string): Refusal {
    return this.#invalid('view_range', shownList(this.#given.view_range), why)
  }

  #pathRefusal(why: string): Refusal {
    return this.#isOpenHands ? this.#invalid('path', this.#path, why) : new Refusal(why)
  }

  async #typeOf(path: string): Promise<string | null> {
    try {
      return (await this.#site.fs.stat(path)).type
    } catch (error) {
      if (error instanceof FileSystemError && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null
      throw error
    }
  }

  async #read(): Promise<string> {
    const bytes = await this.#site.fs.read(this.#file)
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      throw new Refusal(`Ran into a file that is no text in UTF-8 while trying to read ${this.#path}`)
    }
  }

  async #write(text: string): Promise<void> {
    await this.#site.fs.write(this.#file, encode(text))
  }
}

function isGiven(value: JsonValue | undefined): value is JsonValue {
  return value !== undefined && value !== null
}

function isWhole(value: JsonValue | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value)
}

function shownList(value: JsonValue | undefined): string {
  return isArray(value) ? `[${value.join(', ')}]` : JSON.stringify(value ?? null)
}

function placesOf(text: string, part: string): readonly number[] {
  const places: number[] = []
  if (part === '') return places
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) places.push(at)
  return places
}

/** From 1. */
function lineAt(text: string, at: number): number {
  return countOf(text.slice(0, at), '\n') + 1
}

function countOf(text: string, character: string): number {
  return text.split(character).length - 1
}
