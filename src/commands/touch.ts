import { errorText, hasCode } from '../errors.ts'
import type { FileAttributes, FileStat } from '../fs/file-system.ts'
import { civilSeconds, civilTime } from '../time/calendar.ts'
import { parseDate } from '../time/parse-date.ts'
import { nanosecondsOf } from '../time/strftime.ts'
import type { Zone } from '../time/zone.ts'
import { zone, zonedSeconds } from '../time/zone.ts'
import { choice } from './choice.ts'
import type { Command, CommandContext } from './command.ts'
import { operandPath } from './operand-path.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { quotedFile } from './quoted-file.ts'
import { quoted } from './quoting.ts'
import { CommandFailure, complainOf, isExpected, utility } from './utility.ts'

/** Sets the times of files, and makes those that don't exist. */
export const touch: Command = utility({
  help: `Usage: touch [OPTION]... FILE...
Sets the access and modification time of each FILE to now. A file that doesn't exist is made, empty.

  -a                     only the access time
  -c, --no-create        make no files
  -d, --date=STRING      this time instead of now, as date -d reads it
  -f                     ignored
  -h, --no-dereference   symbolic links themselves, not what they lead to
  -m                     only the modification time
  -r, --reference=FILE   the times of FILE instead of now
  -t STAMP               [[CC]YY]MMDDhhmm[.ss] instead of now
      --time=WORD        access, atime, use: as -a; modify, mtime: as -m
      --help             show this text
      --version          show the version
`,
  options: {
    a: 'none',
    'c|no-create': 'none',
    'd|date': 'required',
    f: 'none',
    'h|no-dereference': 'none',
    m: 'none',
    'r|reference': 'required',
    t: 'required',
    time: 'required',
  },
  run: touchFiles,
})

interface Times {
  readonly atimeMs: number
  readonly mtimeMs: number
}

async function touchFiles(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  let access = parsed.has('a')
  let modification = parsed.has('m')
  for (const { name, value } of parsed.options) {
    if (name !== 'time') continue
    const word = choice(context, '--time', value ?? '', [
      ['atime', 'access', 'use'],
      ['mtime', 'modify'],
    ])
    if (word === 'atime') access = true
    else modification = true
  }
  if (!access && !modification) {
    access = true
    modification = true
  }
  const times = await chosenTimes(parsed, context)
  if (parsed.operands.length === 0) throw new UsageError('missing file operand')
  let status = 0
  for (const name of parsed.operands) {
    // Standard output has no times that could be set.
    if (name === '-') continue
    const { atimeMs, mtimeMs } = times ?? now(context)
    const attributes: FileAttributes = { ...(access ? { atimeMs } : {}), ...(modification ? { mtimeMs } : {}) }
    if (!(await touchFile(name, attributes, parsed, context))) status = 1
  }
  return status
}

async function touchFile(name: string, attributes: FileAttributes, parsed: ParsedOptions, context: CommandContext): Promise<boolean> {
  const { fs, umask } = context
  const path = operandPath(context, name)
  try {
    if (parsed.has('h') && (await lstatOrNull(path, context))?.type === 'symlink') return true
    await fs.setattr(path, attributes)
    return true
  } catch (error) {
    if (!isExpected(error)) throw error
    if (hasCode(error, 'ENOTSUP')) return true
    if (!hasCode(error, 'ENOENT')) {
      await complainOf(context, `cannot touch ${quotedFile(name)}`, error)
      return false
    }
    if (parsed.has('c')) return true
    if (parsed.has('h') || name.endsWith('/')) {
      await complainOf(context, `setting times of ${quotedFile(name)}`, error)
      return false
    }
  }
  try {
    await fs.write(path, new Uint8Array(0), { mode: 0o666 & ~umask })
    if (parsed.has('d') || parsed.has('t') || parsed.has('r')) await fs.setattr(path, attributes)
    return true
  } catch (error) {
    if (hasCode(error, 'ENOTSUP')) return true
    await complainOf(context, `cannot touch ${quotedFile(name)}`, error)
    return false
  }
}

async function lstatOrNull(path: string, context: CommandContext): Promise<FileStat | null> {
  try {
    return await context.fs.lstat(path)
  } catch (error) {
    if (isExpected(error)) return null
    throw error
  }
}

function now(context: CommandContext): Times {
  const ms = context.host.now()
  return { atimeMs: ms, mtimeMs: ms }
}

/** The times that `-d`, `-r` and `-t` ask for; null for now. */
async function chosenTimes(parsed: ParsedOptions, context: CommandContext): Promise<Times | null> {
  const date = parsed.value('d')
  const reference = parsed.value('r')
  const stamp = parsed.value('t')
  const where = zone(context.env.get('TZ'))
  if (stamp !== null) {
    if (date !== null || reference !== null) throw new UsageError('cannot specify times from more than one source')
    const ms = stampMs(stamp, where, context)
    if (ms === null) throw new CommandFailure(`invalid date format ${quoted(context, stamp)}`)
    return { atimeMs: ms, mtimeMs: ms }
  }
  let base = now(context)
  if (reference !== null) {
    try {
      const path = operandPath(context, reference)
      base = parsed.has('h') ? await context.fs.lstat(path) : await context.fs.stat(path)
    } catch (error) {
      if (!isExpected(error)) throw error
      throw new CommandFailure(`failed to get attributes of ${quotedFile(reference)}: ${errorText(error)}`)
    }
  }
  if (date === null) return reference === null ? null : base
  const at = (ms: number): number => {
    const moment = parseDate(date, { now: { seconds: Math.floor(ms / 1000), nanoseconds: nanosecondsOf(ms) }, zone: where })
    if (moment === null) throw new CommandFailure(`invalid date format ${quoted(context, date)}`)
    return moment.seconds * 1000 + moment.nanoseconds / 1e6
  }
  return { atimeMs: at(base.atimeMs), mtimeMs: at(base.mtimeMs) }
}

/** Reads `[[CC]YY]MMDDhhmm[.ss]`. */
function stampMs(stamp: string, where: Zone, context: CommandContext): number | null {
  const match = /^((?:\d\d){4,6})(?:\.(\d\d))?$/.exec(stamp)
  if (match === null) return null
  const [, digits = '', seconds = '0'] = match
  const [minute = 0, hour = 0, day = 0, month = 0] = (digits.slice(-8).match(/\d\d/g) ?? []).map(Number).reverse()
  const nowSeconds = context.host.now() / 1000
  let { year } = civilTime(nowSeconds + where.at(nowSeconds).seconds)
  if (digits.length === 12) year = Number(digits.slice(0, 4))
  else if (digits.length === 10) year = Number(digits.slice(0, 2)) + (Number(digits.slice(0, 2)) < 69 ? 2000 : 1900)
  const second = Number(seconds)
  if (second > 60) return null
  const shown = civilSeconds(year, month, day, hour, minute, Math.min(second, 59))
  const civil = civilTime(shown)
  if (civil.month !== month || civil.day !== day || civil.hour !== hour || civil.minute !== minute) return null
  // A leap second is the next one here.
  return (zonedSeconds(where, shown) + (second === 60 ? 1 : 0)) * 1000
}
