import { hasCode } from '../../errors.ts'
import type { FileStat } from '../../fs/file-system.ts'
import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import { compilePattern } from '../../shell/expand/pattern.ts'
import { parseDate } from '../../time/parse-date.ts'
import { nanosecondsOf } from '../../time/strftime.ts'
import type { Zone } from '../../time/zone.ts'
import { zone } from '../../time/zone.ts'
import { bytewise } from '../byte-text.ts'
import { idOfName, nameOfId } from '../identity.ts'
import { hasByteCharacters } from '../locale.ts'
import type { Output } from '../output.ts'
import { quoted } from '../quoting.ts'
import type { Steps } from '../steps.ts'
import { proceed, wait } from '../steps.ts'
import { CommandFailure, isExpected } from '../utility.ts'
import { commandAction, readCommand } from './commands.ts'
import { numberTest } from './comparison.ts'
import type { Primary } from './expression.ts'
import type { Format } from './format.ts'
import { compileFormat, FILE_SYSTEM_TYPE } from './format.ts'
import type { FoundFile, Test } from './found-file.ts'
import { statTest } from './found-file.ts'
import { Listing } from './listing.ts'
import { DEFAULT_REGEX_TYPE, pathRegex, regexTypes } from './path-regex.ts'
import { permissionTest } from './permission-test.ts'
import type { FindRun } from './run.ts'
import { sizeTest } from './size-test.ts'
import { daysTest, minutesTest, usedTest } from './time-window.ts'
import { typeLetter, typeLetters } from './type-test.ts'

/** What a word of the expression means. */
export interface PrimaryKind {
  /** `global` options hold for the whole run, `positional` ones for what follows. */
  readonly kind: 'global' | 'positional' | 'test' | 'action'
  /** Reads the arguments and makes the test. May have to look at a file. */
  read(reader: PrimaryReader): Primary | Steps<Primary>
}

/** The arguments of the expression and what earlier ones said of those to come. */
export class PrimaryReader {
  readonly run: FindRun
  readonly zone: Zone
  readonly bytes: boolean
  /** The word being read, as it was given. */
  name = ''
  regexType: string = DEFAULT_REGEX_TYPE
  fromDayStart = false
  /** What is said before the run, when all of the expression is understood. */
  readonly warnings: string[] = []
  /** Words that were met. */
  readonly met: Set<string> = new Set<string>()
  readonly #args: readonly string[]
  at: number

  constructor(run: FindRun, args: readonly string[], at: number) {
    this.run = run
    this.#args = args
    this.at = at
    this.zone = zone(run.context.env.get('TZ'))
    this.bytes = hasByteCharacters(run.context)
  }

  argument(): string {
    const argument = this.#args[this.at]
    if (argument === undefined) throw new CommandFailure(`missing argument to \`${this.name}'`)
    this.at += 1
    return argument
  }

  get rest(): readonly string[] {
    return this.#args.slice(this.at)
  }

  invalid(argument: string): CommandFailure {
    return new CommandFailure(`invalid argument \`${argument}' to \`${this.name}'`)
  }

  /** Says something doubtful of the expression, where that is wanted. */
  doubt(message: string): void {
    if (this.run.warns) this.warnings.push(`warning: ${message}`)
  }
}

/** The word without its dash, or one of the `-newerXY` family; undefined where there is none. */
export function primaryKind(name: string): PrimaryKind | undefined {
  return KINDS.get(name) ?? (/^newer[aBcm][aBcmt]$/.test(name) ? test(newerXY) : undefined)
}

const NAME_COST = 1
const TYPE_COST = 2
const REGEX_COST = 3
const STAT_COST = 4
const LOOK_COST = 5

const HOLDS: Primary = { cost: 0, test: () => true }

type Read = (reader: PrimaryReader) => Primary | Steps<Primary>

function test(read: Read): PrimaryKind {
  return { kind: 'test', read }
}

function action(read: Read): PrimaryKind {
  return { kind: 'action', read }
}

function option(kind: 'global' | 'positional', set: (reader: PrimaryReader) => void): PrimaryKind {
  return {
    kind,
    read(reader) {
      set(reader)
      return HOLDS
    },
  }
}

function ofStat(judge: (stat: FileStat, file: FoundFile) => boolean): Primary {
  return { cost: STAT_COST, test: statTest(judge) }
}

const KINDS: ReadonlyMap<string, PrimaryKind> = new Map<string, PrimaryKind>([
  ['depth', option('global', ({ run }) => void (run.depthFirst = true))],
  ['d', option('global', deprecatedDepth)],
  ['maxdepth', option('global', (reader) => void (reader.run.maxDepth = levels(reader)))],
  ['mindepth', option('global', (reader) => void (reader.run.minDepth = levels(reader)))],
  ['xdev', option('global', ({ run }) => void (run.oneDevice = true))],
  ['mount', option('global', ({ run }) => void (run.oneDevice = true))],
  ['x', option('global', ({ run }) => void (run.oneDevice = true))],
  ['files0-from', option('global', (reader) => void (reader.run.operandsFrom = reader.argument()))],
  ['ignore_readdir_race', option('global', ({ run }) => void (run.ignoresRaces = true))],
  ['noignore_readdir_race', option('global', ({ run }) => void (run.ignoresRaces = false))],
  ['noleaf', option('global', () => undefined)],

  ['daystart', option('positional', (reader) => void (reader.fromDayStart = true))],
  ['follow', option('positional', ({ run }) => void (run.following = 'always'))],
  ['regextype', option('positional', chooseRegexType)],
  ['warn', option('positional', ({ run }) => void (run.warns = true))],
  ['nowarn', option('positional', ({ run }) => void (run.warns = false))],

  ['true', test(() => HOLDS)],
  ['false', test(() => ({ cost: 0, test: () => false }))],
  ['name', test((reader) => namePattern(reader, false))],
  ['iname', test((reader) => namePattern(reader, true))],
  ['path', test((reader) => pathPattern(reader, false))],
  ['wholename', test((reader) => pathPattern(reader, false))],
  ['ipath', test((reader) => pathPattern(reader, true))],
  ['iwholename', test((reader) => pathPattern(reader, true))],
  ['lname', test((reader) => linkPattern(reader, false))],
  ['ilname', test((reader) => linkPattern(reader, true))],
  ['regex', test((reader) => regex(reader, false))],
  ['iregex', test((reader) => regex(reader, true))],
  ['type', test(type)],
  ['xtype', test(otherType)],
  ['size', test(size)],
  ['empty', test(({ run }) => ({ cost: LOOK_COST, test: (file) => isEmpty(run, file) }))],
  ['perm', test(permissions)],
  ['links', test((reader) => count(reader, ({ nlink }) => nlink))],
  ['inum', test((reader) => count(reader, ({ ino }) => ino))],
  ['uid', test((reader) => count(reader, ({ uid }) => uid))],
  ['gid', test((reader) => count(reader, ({ gid }) => gid))],
  ['user', test(user)],
  ['group', test(group)],
  ['nouser', test(({ run }) => ofStat(({ uid }) => nameOfId(uid, run.context.env) === null))],
  ['nogroup', test(({ run }) => ofStat(({ gid }) => nameOfId(gid, run.context.env) === null))],
  ['samefile', test(sameFile)],
  ['readable', test(({ run }) => access(run, () => true))],
  ['writable', test(({ run }) => access(run, () => true))],
  ['executable', test(({ run }) => access(run, ({ type: kind, mode }) => kind === 'directory' || (mode & 0o111) !== 0))],
  ['fstype', test(fileSystemType)],
  ['context', test(securityContext)],
  ['mtime', test((reader) => age(reader, 'mtimeMs', daysTest))],
  ['atime', test((reader) => age(reader, 'atimeMs', daysTest))],
  ['ctime', test((reader) => age(reader, 'ctimeMs', daysTest))],
  ['mmin', test((reader) => age(reader, 'mtimeMs', minutesTest))],
  ['amin', test((reader) => age(reader, 'atimeMs', minutesTest))],
  ['cmin', test((reader) => age(reader, 'ctimeMs', minutesTest))],
  ['used', test(used)],
  ['newer', test((reader) => newer(reader, 'mtimeMs', 'mtimeMs'))],
  ['anewer', test((reader) => newer(reader, 'atimeMs', 'mtimeMs'))],
  ['cnewer', test((reader) => newer(reader, 'ctimeMs', 'mtimeMs'))],

  ['prune', test(prune)],
  ['quit', test(({ run }) => ({ cost: null, test: () => quit(run) }))],
  ['print', action(({ run }) => printing(run.output, shower(run)))],
  ['print0', action(({ run }) => printing(run.output, (file) => `${file.shown}\0`))],
  ['printf', action((reader) => formatted(reader.run.output, format(reader)))],
  ['ls', action((reader) => listing(reader, reader.run.output))],
  ['fprint', action(fprint)],
  ['fprint0', action(fprint0)],
  ['fprintf', action(fprintf)],
  ['fls', action(fls)],
  ['delete', action(remove)],
  ['exec', action((reader) => command(reader, false, false))],
  ['execdir', action((reader) => command(reader, false, true))],
  ['ok', action((reader) => command(reader, true, false))],
  ['okdir', action((reader) => command(reader, true, true))],
])

function deprecatedDepth(reader: PrimaryReader): void {
  reader.run.depthFirst = true
  reader.doubt('the -d option is deprecated; please use -depth instead, because the latter is a POSIX-compliant feature.')
}

function levels(reader: PrimaryReader): number {
  const text = reader.argument()
  if (!/^[0-9]+$/.test(text)) {
    throw new CommandFailure(`Expected a positive decimal integer argument to ${reader.name}, but got ${quoted(reader.run.context, text)}`)
  }
  const value = Number(text)
  if (value > 0x7fff_ffff) throw new CommandFailure(`${text}: Numerical result out of range`)
  return value
}

function chooseRegexType(reader: PrimaryReader): void {
  const { context } = reader.run
  const name = reader.argument()
  const known = regexTypes()
  if (!known.includes(name)) {
    const list = known.map((other) => quoted(context, other)).join(', ')
    throw new CommandFailure(`Unknown regular expression type ${quoted(context, name)}; valid types are ${list}.`)
  }
  reader.regexType = name
}

function matcher(pattern: string, nocase: boolean, bytes: boolean): (text: string) => boolean {
  if (!bytes) {
    const compiled = compilePattern(pattern, { extglob: false, nocase })
    return (text) => compiled.matches(text)
  }
  const compiled = compilePattern(bytewise(pattern), { extglob: false, nocase })
  return (text) => compiled.matches(bytewise(text))
}

function namePattern(reader: PrimaryReader, nocase: boolean): Primary {
  const pattern = reader.argument()
  if (pattern.includes('/')) {
    const { context } = reader.run
    const instead = nocase ? '-iwholename' : '-wholename'
    reader.doubt(
      `${quoted(context, reader.name)} matches against basenames only, but the given pattern contains a directory separator (${quoted(context, '/')}), thus the expression will evaluate to false all the time.  Did you mean ${quoted(context, instead)}?`,
    )
  }
  const matches = matcher(pattern, nocase, reader.bytes)
  return { cost: NAME_COST, test: (file) => matches(file.name) }
}

function pathPattern(reader: PrimaryReader, nocase: boolean): Primary {
  const pattern = reader.argument()
  if (pattern.length > 1 && pattern.endsWith('/')) {
    reader.doubt(`${reader.name} ${pattern} will not match anything because it ends with /.`)
  }
  const matches = matcher(pattern, nocase, reader.bytes)
  return { cost: NAME_COST, test: (file) => matches(file.shown) }
}

function linkPattern(reader: PrimaryReader, nocase: boolean): Primary {
  const matches = matcher(reader.argument(), nocase, reader.bytes)
  const { run } = reader
  const look = function* (file: FoundFile): Steps<boolean> {
    const target = yield* linkTarget(run, file)
    return target !== null && matches(target)
  }
  return { cost: LOOK_COST, test: (file) => file.type === 'symlink' && proceed(look(file)) }
}

function* linkTarget(run: FindRun, file: FoundFile): Steps<string | null> {
  try {
    return yield* wait(run.context.fs.readlink(file.path))
  } catch (error) {
    yield* wait(run.failed(file.shown, error))
    return null
  }
}

function regex(reader: PrimaryReader, ignoreCase: boolean): Primary {
  const matches = pathRegex(reader.argument(), { type: reader.regexType, ignoreCase, bytes: reader.bytes })
  return { cost: REGEX_COST, test: (file) => matches(file.shown) }
}

function type(reader: PrimaryReader): Primary {
  const letters = typeLetters(reader.argument(), reader.name)
  if (letters.size === 1) {
    const [only] = letters
    return { cost: TYPE_COST, test: (file) => typeLetter(file.type) === only }
  }
  return { cost: TYPE_COST, test: (file) => letters.has(typeLetter(file.type)) }
}

function otherType(reader: PrimaryReader): Primary {
  const letters = typeLetters(reader.argument(), reader.name)
  const { run } = reader
  const look = function* (file: FoundFile): Steps<boolean> {
    try {
      return letters.has(typeLetter((yield* wait(run.context.fs.stat(file.path))).type))
    } catch (error) {
      if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return letters.has('l')
      yield* wait(run.failed(file.shown, error))
      return false
    }
  }
  return {
    cost: LOOK_COST,
    test(file) {
      if (file.ownType !== 'symlink') return letters.has(typeLetter(file.type))
      const follows = run.following === 'always' || (run.following === 'operands' && file.depth === 0)
      return follows ? letters.has('l') : proceed(look(file))
    },
  }
}

function size(reader: PrimaryReader): Primary {
  const fits = sizeTest(reader.argument())
  return ofStat((stat) => fits(stat.size))
}

function isEmpty(run: FindRun, file: FoundFile): MaybePromise<boolean> {
  if (file.type === 'directory') return proceed(isEmptyDirectory(run, file))
  if (file.type !== 'file') return false
  const stat = file.stat()
  return isPromise(stat) ? stat.then((known) => known?.size === 0) : stat?.size === 0
}

function* isEmptyDirectory(run: FindRun, file: FoundFile): Steps<boolean> {
  try {
    return (yield* wait(run.context.fs.readdir(file.path))).length === 0
  } catch (error) {
    yield* wait(run.failed(file.shown, error))
    return false
  }
}

function permissions(reader: PrimaryReader): Primary {
  const text = reader.argument()
  const made = permissionTest(text)
  if (made === null) throw new CommandFailure(`invalid mode ${quoted(reader.run.context, text)}`)
  if (made.isOdd) {
    reader.warnings.push(
      `warning: you have specified a mode pattern ${text} (which is equivalent to /000). The meaning of -perm /000 has now been changed to be consistent with -perm -000; that is, while it used to match no files, it now matches all files.`,
    )
  }
  return ofStat((stat) => made.holds(stat.mode, stat.type === 'directory'))
}

function count(reader: PrimaryReader, of: (stat: FileStat) => number): Primary {
  const text = reader.argument()
  const fits = numberTest(text)
  if (fits === null) throw reader.invalid(text)
  return ofStat((stat) => fits(of(stat)))
}

function user(reader: PrimaryReader): Primary {
  const { context } = reader.run
  const name = reader.argument()
  if (name === '') throw new CommandFailure('The argument to -user should not be empty')
  const id = idOfName(name, context.env) ?? numericId(name)
  if (id === null) throw new CommandFailure(`${quoted(context, name)} is not the name of a known user`)
  return ofStat(({ uid }) => uid === id)
}

function group(reader: PrimaryReader): Primary {
  const { context } = reader.run
  const name = reader.argument()
  if (name === '') throw new CommandFailure('argument to -group is empty, but should be a group name')
  const id = idOfName(name, context.env) ?? numericId(name)
  if (id === null) throw new CommandFailure(`${quoted(context, name)} is not the name of an existing group`)
  return ofStat(({ gid }) => gid === id)
}

function numericId(text: string): number | null {
  return /^[0-9]+$/.test(text) ? Number(text) : null
}

function* sameFile(reader: PrimaryReader): Steps<Primary> {
  const { dev, ino } = yield* reader.run.reference(reader.argument())
  return ofStat((stat) => stat.ino === ino && stat.dev === dev)
}

/** Asks of the file itself, never of a link to it; who may do what is not the file system's business. */
function access(run: FindRun, allows: (stat: FileStat) => boolean): Primary {
  const look = function* (file: FoundFile): Steps<boolean> {
    try {
      return allows(yield* wait(run.context.fs.stat(file.path)))
    } catch (error) {
      if (!isExpected(error)) throw error
      return false
    }
  }
  return { cost: LOOK_COST, test: (file) => proceed(look(file)) }
}

function fileSystemType(reader: PrimaryReader): Primary {
  const isOurs = reader.argument() === FILE_SYSTEM_TYPE
  return { cost: 0, test: () => isOurs }
}

function securityContext(reader: PrimaryReader): Primary {
  reader.argument()
  throw new CommandFailure('invalid predicate -context: SELinux is not enabled.')
}

type Time = 'atimeMs' | 'birthtimeMs' | 'ctimeMs' | 'mtimeMs'

function age(reader: PrimaryReader, which: Time, window: typeof daysTest): Primary {
  const text = reader.argument()
  const fits = window(text, { now: reader.run.started, fromDayStart: reader.fromDayStart, zone: reader.zone })
  if (fits === null) throw reader.invalid(text)
  return ofStat((stat) => fits(stat[which]))
}

function used(reader: PrimaryReader): Primary {
  const text = reader.argument()
  const fits = usedTest(text)
  if (fits === null) throw new CommandFailure(`Invalid argument ${text} to -used`)
  return ofStat(({ atimeMs, ctimeMs }) => fits(atimeMs - ctimeMs))
}

function* newer(reader: PrimaryReader, which: Time, than: Time): Steps<Primary> {
  const stat = yield* reader.run.reference(reader.argument())
  const from = stat[than]
  return ofStat((found) => found[which] > from)
}

const TIMES: Readonly<Record<string, Time>> = { a: 'atimeMs', B: 'birthtimeMs', c: 'ctimeMs', m: 'mtimeMs' }

function* newerXY(reader: PrimaryReader): Steps<Primary> {
  const [x = '', y = ''] = reader.name.slice(-2)
  const which = TIMES[x] as Time
  const than = TIMES[y]
  if (than !== undefined) return yield* newer(reader, which, than)
  const text = reader.argument()
  const ms = reader.run.started
  const moment = parseDate(text, {
    now: { seconds: Math.floor(ms / 1000), nanoseconds: nanosecondsOf(ms) },
    zone: reader.zone,
  })
  if (moment === null) {
    throw new CommandFailure(`I cannot figure out how to interpret ${quoted(reader.run.context, text)} as a date or time`)
  }
  const from = moment.seconds * 1000 + moment.nanoseconds / 1e6
  return ofStat((stat) => stat[which] > from)
}

function prune({ run }: PrimaryReader): Primary {
  return {
    cost: null,
    test(file) {
      if (!run.depthFirst) file.isPruned = true
      return true
    },
  }
}

function quit(run: FindRun): true {
  run.isOver = true
  return true
}

/** On a terminal, what can't be shown is shown as `?`. */
function shower(run: FindRun): (file: FoundFile) => string {
  if (!run.context.isTerminal(1)) return (file) => `${file.shown}\n`
  return (file) => `${file.shown.replace(/[\x00-\x1f\x7f-\x9f\udc80-\udcff]/gu, '?')}\n`
}

function printing(output: Output, text: (file: FoundFile) => string): Primary {
  const write: Test = (file) => {
    output.text(text(file))
    return settled(output)
  }
  return { cost: null, test: write }
}

function settled(output: Output): MaybePromise<true> {
  const written = output.settle()
  return isPromise(written) ? written.then(() => true as const) : true
}

function format(reader: PrimaryReader): Format {
  return compileFormat(reader.argument(), {
    run: reader.run,
    zone: reader.zone,
    warn: (message) => reader.warnings.push(message),
  })
}

function formatted(output: Output, { needsStat, text }: Format): Primary {
  const put = (known: string): MaybePromise<true> => {
    output.text(known)
    return settled(output)
  }
  const write = (file: FoundFile, stat: FileStat | null): MaybePromise<boolean> => {
    if (stat === null && needsStat) return false
    const made = text(file, stat)
    return isPromise(made) ? made.then(put) : put(made)
  }
  return {
    cost: null,
    test(file) {
      if (!needsStat) return write(file, null)
      const stat = file.stat()
      return isPromise(stat) ? stat.then((known) => write(file, known)) : write(file, stat)
    },
  }
}

function listing(reader: PrimaryReader, output: Output): Primary {
  const { run } = reader
  const lines = new Listing(run.context.env, reader.zone, run.started)
  const write = function* (file: FoundFile): Steps<boolean> {
    const stat = yield* wait(file.stat())
    if (stat === null) return false
    const target = file.type === 'symlink' ? yield* linkTarget(run, file) : null
    output.text(lines.line(file, stat, target))
    yield* wait(output.settle())
    return true
  }
  return { cost: null, test: (file) => proceed(write(file)) }
}

function* fprint(reader: PrimaryReader): Steps<Primary> {
  return printing(yield* reader.run.sink(reader.argument()), (file) => `${file.shown}\n`)
}

function* fprint0(reader: PrimaryReader): Steps<Primary> {
  return printing(yield* reader.run.sink(reader.argument()), (file) => `${file.shown}\0`)
}

function* fprintf(reader: PrimaryReader): Steps<Primary> {
  const name = reader.argument()
  if (reader.rest.length === 0) throw reader.invalid(name)
  const output = yield* reader.run.sink(name)
  return formatted(output, format(reader))
}

function* fls(reader: PrimaryReader): Steps<Primary> {
  return listing(reader, yield* reader.run.sink(reader.argument()))
}

function remove(reader: PrimaryReader): Primary {
  const { run } = reader
  run.depthFirst = true
  const { fs } = run.context
  const unlink = function* (file: FoundFile): Steps<boolean> {
    if (file.name === '.') return true
    try {
      yield* wait(file.ownType === 'directory' ? fs.rmdir(file.path) : fs.unlink(file.path))
      return true
    } catch (error) {
      if (run.ignoresRaces && hasCode(error, 'ENOENT')) return true
      yield* wait(run.failed(file.shown, error, 'cannot delete '))
      return false
    }
  }
  return { cost: null, test: (file) => proceed(unlink(file)) }
}

function command(reader: PrimaryReader, asks: boolean, inDirectory: boolean): Primary {
  const kind = { name: reader.name, asks, inDirectory }
  if (reader.rest.length === 0) throw new CommandFailure(`missing argument to \`${reader.name}'`)
  const words = readCommand(reader.rest, kind, reader.run.context)
  reader.at += words.length
  return commandAction(reader.run, words, kind)
}
