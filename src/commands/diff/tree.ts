import { encode } from '../../bytes.ts'
import { codeOf, errorText, hasCode } from '../../errors.ts'
import type { FileStat } from '../../fs/file-system.ts'
import type { CommandContext } from '../command.ts'
import { fileTypeText } from '../file-type-text.ts'
import { globMatcher } from '../glob-match.ts'
import { wholeInput } from '../input.ts'
import { operandPath } from '../operand-path.ts'
import type { Steps } from '../steps.ts'
import { wait } from '../steps.ts'
import { CommandFailure, complain, isExpected } from '../utility.ts'
import type { GivenFile, Surroundings } from './file-pair.ts'
import { comparePair } from './file-pair.ts'
import type { Page } from './page.ts'
import type { DiffSettings } from './settings.ts'

/** One of two things to compare. */
interface Side {
  readonly name: string
  /** Null where there is nothing, which counts as empty. */
  readonly stat: Pick<FileStat, 'type' | 'size' | 'mtimeMs' | 'dev' | 'ino' | 'mode'> | null
  readonly failure: unknown
}

type Pair = readonly [Side, Side]

/** Directories being compared, the inner ones first. */
interface Level {
  readonly pair: Pair
  readonly above: Level | null
}

/** Compares files and directories by name. */
export class Tree {
  readonly #settings: DiffSettings
  readonly #context: CommandContext
  readonly #page: Page
  readonly #switches: string
  readonly #isExcluded: (name: string) => boolean
  /** What standard input held, read once. */
  #stdin: Uint8Array | null = null

  constructor(settings: DiffSettings, context: CommandContext, page: Page, switches: string, excluded: readonly string[]) {
    this.#settings = settings
    this.#context = context
    this.#page = page
    this.#switches = switches
    const matchers = excluded.map((pattern) => globMatcher(pattern, { ignoreCase: settings.ignoreNameCase }))
    this.#isExcluded = (name) => matchers.some((matches) => matches(name))
  }

  /** Compares two operands: 0 for the same, 1 for different, 2 for trouble. */
  *compare(name0: string, name1: string): Steps<number> {
    const first = yield* this.#side(name0)
    const second = name1 === name0 ? first : yield* this.#side(name1)
    let pair = this.#withMissing([first, second])
    let failed = false
    for (const side of pair) {
      if (side.failure === null) continue
      yield* this.#complain(side.name, side.failure)
      failed = true
    }
    if (failed) return 2
    if (isDirectory(pair[0]) !== isDirectory(pair[1]) && pair.every(({ stat }) => stat !== null)) {
      const directory = isDirectory(pair[0]) ? 0 : 1
      const other = pair[1 - directory] as Side
      if (other.name === '-') throw new CommandFailure("cannot compare '-' to a directory", 2)
      const inside = yield* this.#side(below((pair[directory] as Side).name, lastComponent(other.name)))
      if (inside.failure !== null) {
        yield* this.#complain(inside.name, inside.failure)
        return 2
      }
      pair = directory === 0 ? [inside, other] : [other, inside]
    }
    return yield* this.#compared(pair, null, '')
  }

  *#compareBelow(level: Level, name0: string | null, name1: string | null): Steps<number> {
    const { newFile, newFirstFile } = this.#settings
    const name = (name0 ?? name1) as string
    const [above0, above1] = level.pair
    const bothKnown = (name0 !== null && name1 !== null) || newFile || (newFirstFile && name1 !== null)
    if (!bothKnown) {
      this.#page.text(`Only in ${name0 === null ? above1.name : above0.name}: ${name}\n`)
      return 1
    }
    const pathOf = (above: Side, own: string | null) => below(above.name, own ?? name)
    const first = name0 === null ? nothing(pathOf(above0, name0)) : yield* this.#side(pathOf(above0, name0))
    const second = name1 === null ? nothing(pathOf(above1, name1)) : yield* this.#side(pathOf(above1, name1))
    const pair = this.#withEmptied([first, second])
    let failed = false
    for (const side of pair) {
      if (side.failure === null) continue
      yield* this.#complain(side.name, side.failure)
      failed = true
    }
    return failed ? 2 : yield* this.#compared(pair, level, name)
  }

  *#compared(pair: Pair, level: Level | null, name: string): Steps<number> {
    const { settings, page } = { settings: this.#settings, page: this.#page }
    const status = yield* this.#differences(pair, level, name)
    if (status === 0 && settings.reportIdentical && !isDirectory(pair[0]) && !isDirectory(pair[1]))
      page.text(`Files ${this.#label(pair, 0)} and ${this.#label(pair, 1)} are identical\n`)
    return status
  }

  *#differences(pair: Pair, level: Level | null, name: string): Steps<number> {
    const settings = this.#settings
    const [a, b] = pair
    if (a.stat === null && b.stat === null) return 0
    if (settings.silentWhenSame && isSameFile(a, b)) return 0
    // What is missing counts as an empty one of the same kind.
    if (isDirectory(a.stat === null ? b : a) && isDirectory(b.stat === null ? a : b)) {
      if (settings.style === 'merged') throw new CommandFailure('-D option not supported with directories', 2)
      if (level === null || settings.recursive) return yield* this.#directories({ pair, above: level })
      this.#page.text(`Common subdirectories: ${a.name} and ${b.name}\n`)
      return 0
    }
    if (isDirectory(a) || isDirectory(b) || (level !== null && !(isComparable(a) && isComparable(b)))) {
      if (a.stat !== null && b.stat !== null) return this.#otherKind(pair)
      this.#page.text(`Only in ${level?.pair[a.stat === null ? 1 : 0].name}: ${name}\n`)
      return 1
    }
    if (a.stat?.type === 'symlink' || b.stat?.type === 'symlink') return yield* this.#links(pair)
    return yield* this.#files(pair, level !== null)
  }

  *#files(pair: Pair, inDirectory: boolean): Steps<number> {
    const given: GivenFile[] = []
    let failed = false
    for (const side of pair) {
      try {
        given.push({ name: side.name, content: yield* this.#content(side), mtimeMs: side.stat?.mtimeMs ?? 0 })
      } catch (error) {
        yield* this.#complain(side.name, error)
        failed = true
      }
    }
    const [first, second] = given
    if (failed || first === undefined || second === undefined) return 2
    const surroundings: Surroundings = {
      settings: this.#settings,
      context: this.#context,
      page: this.#page,
      head: inDirectory ? `diff${this.#switches}` : null,
    }
    const status = yield* comparePair([first, second], surroundings)
    yield* wait(this.#page.settle())
    return status
  }

  *#content(side: Side): Steps<Uint8Array> {
    if (side.stat === null) return new Uint8Array(0)
    if (side.name === '-') {
      this.#stdin ??= yield* wholeInput(this.#context.stdin)
      return this.#stdin
    }
    const input = yield* wait(this.#context.open(operandPath(this.#context, side.name)))
    try {
      return yield* wholeInput(input)
    } finally {
      yield* wait(input.close())
    }
  }

  *#links(pair: Pair): Steps<number> {
    const [a, b] = pair
    if (a.stat !== null && b.stat !== null && a.stat.type !== b.stat.type) return this.#otherKind(pair)
    const target = (side: Side) => this.#context.fs.readlink(this.#context.resolve(side.name))
    const first = a.stat === null ? null : yield* wait(target(a))
    const second = b.stat === null ? null : yield* wait(target(b))
    if (first === second) return 0
    this.#page.text(`Symbolic links ${a.name} and ${b.name} differ\n`)
    return 1
  }

  #otherKind(pair: Pair): number {
    const kind = ({ stat }: Side) => (stat === null ? '' : fileTypeText(stat))
    this.#page.text(`File ${this.#label(pair, 0)} is a ${kind(pair[0])} while file ${this.#label(pair, 1)} is a ${kind(pair[1])}\n`)
    return 1
  }

  *#directories(level: Level): Steps<number> {
    const [a, b] = level.pair
    const loops = (side: 0 | 1) => level.pair[side].stat === null || isLoop(level, side)
    if (loops(0) && loops(1)) {
      yield* this.#say(`${(a.stat === null ? b : a).name}: recursive directory loop`)
      return 2
    }
    const lists: string[][] = []
    for (const side of level.pair) {
      try {
        lists.push(yield* this.#names(side, level.above === null))
      } catch (error) {
        yield* this.#complain(side.name, error)
      }
    }
    const [names0, names1] = lists
    if (names0 === undefined || names1 === undefined) return 2
    let status = 0
    for (let i = 0, j = 0; i < names0.length || j < names1.length; ) {
      const name0 = names0[i]
      const name1 = names1[j]
      const order = name0 === undefined ? 1 : name1 === undefined ? -1 : this.#order(name0, name1)
      if (order <= 0) i += 1
      if (order >= 0) j += 1
      const found = yield* this.#compareBelow(level, order <= 0 ? (name0 ?? null) : null, order >= 0 ? (name1 ?? null) : null)
      status = Math.max(status, found)
      yield* wait(this.#context.pause())
      yield* wait(this.#page.settle())
    }
    return status
  }

  *#names(side: Side, isTop: boolean): Steps<string[]> {
    if (side.stat === null) return []
    const entries = yield* wait(this.#context.fs.readdir(operandPath(this.#context, side.name)))
    const { startingFile } = this.#settings
    const isWanted = (name: string): boolean =>
      !this.#isExcluded(name) && !(isTop && startingFile !== null && this.#order(name, startingFile) < 0)
    return entries
      .map(({ name }) => name)
      .filter(isWanted)
      .sort((left, right) => this.#order(left, right) || compareText(left, right))
  }

  #order(left: string, right: string): number {
    return this.#settings.ignoreNameCase ? compareText(left.toLowerCase(), right.toLowerCase()) : compareText(left, right)
  }

  *#side(name: string): Steps<Side> {
    const { fs, host } = this.#context
    if (name === '-' || STREAM.test(name)) {
      const stat = { type: 'fifo' as const, size: 0, mtimeMs: host.now(), dev: -1, ino: name === '-' ? 0 : -1, mode: 0o600 }
      return { name, stat, failure: null }
    }
    try {
      const path = operandPath(this.#context, name)
      const stat = yield* wait(this.#settings.dereference ? fs.stat(path) : fs.lstat(path))
      return { name, stat, failure: null }
    } catch (error) {
      if (!isExpected(error)) throw error
      return { name, stat: null, failure: error }
    }
  }

  /** Operands that are missing count as empty where that is asked for and the other is there. */
  #withMissing(pair: Pair): Pair {
    const [a, b] = this.#withEmptied(pair)
    const { newFile, newFirstFile } = this.#settings
    const isMissing = (side: Side, other: Side): boolean => hasCode(side.failure, 'ENOENT') && other.stat !== null
    return [(newFile || newFirstFile) && isMissing(a, b) ? nothing(a.name) : a, newFile && isMissing(b, a) ? nothing(b.name) : b]
  }

  /** An empty file that nobody may read stands for none. */
  #withEmptied([a, b]: Pair): Pair {
    const { newFile, newFirstFile } = this.#settings
    const isMark = ({ stat }: Side): boolean => stat?.type === 'file' && (stat.mode & 0o777) === 0 && stat.size === 0
    return [(newFile || newFirstFile) && isMark(a) ? nothing(a.name) : a, newFile && isMark(b) ? nothing(b.name) : b]
  }

  #label(pair: Pair, side: 0 | 1): string {
    return this.#settings.labels[side] ?? pair[side].name
  }

  *#complain(name: string, error: unknown): Steps<void> {
    if (!isExpected(error) || codeOf(error) === undefined) throw error
    yield* this.#say(`${name}: ${errorText(error)}`)
  }

  *#say(message: string): Steps<void> {
    yield* wait(this.#page.flush())
    yield* wait(complain(this.#context, message))
  }
}

/** Names of streams that are open already. */
const STREAM = /^\/dev\/(?:stdin|fd\/[0-9]+)$/

function nothing(name: string): Side {
  return { name, stat: null, failure: null }
}

function isDirectory({ stat }: Side): boolean {
  return stat?.type === 'directory'
}

function isComparable({ stat }: Side): boolean {
  return stat === null || stat.type === 'file' || stat.type === 'symlink'
}

function isSameFile(a: Side, b: Side): boolean {
  if (a.stat === null || b.stat === null) return false
  if (a.name === b.name) return true
  return a.stat.dev >= 0 && a.stat.dev === b.stat.dev && a.stat.ino === b.stat.ino && a.stat.size === b.stat.size
}

/** True where a directory is one of those it is in. */
function isLoop(level: Level, side: 0 | 1): boolean {
  const inner = level.pair[side].stat
  for (let outer = level.above; outer !== null; outer = outer.above) {
    const { stat } = outer.pair[side]
    if (stat !== null && stat.dev === inner?.dev && stat.ino === inner.ino) return true
  }
  return false
}

function below(directory: string, name: string): string {
  return directory.endsWith('/') ? `${directory}${name}` : `${directory}/${name}`
}

function lastComponent(name: string): string {
  return name.replace(/\/+$/, '').replace(/^.*\//s, '')
}

function compareText(left: string, right: string): number {
  if (left === right) return 0
  // UTF-16 puts the higher planes before the end of the first.
  if (!/[\ud800-\udfff]/.test(left + right)) return left < right ? -1 : 1
  const a = encode(left)
  const b = encode(right)
  for (let at = 0; at < a.length && at < b.length; at++) if (a[at] !== b[at]) return (a[at] as number) - (b[at] as number)
  return a.length - b.length
}
