import { decode } from '../../bytes.ts'
import { strftime } from '../../time/strftime.ts'
import { zone } from '../../time/zone.ts'
import type { CommandContext } from '../command.ts'
import { hasByteCharacters } from '../locale.ts'
import type { Steps } from '../steps.ts'
import { wait } from '../steps.ts'
import type { Change } from './comparison.ts'
import { compareLines } from './comparison.ts'
import { hunkOf } from './hunks.ts'
import type { Page } from './page.ts'
import type { Report } from './report.ts'
import type { DiffSettings } from './settings.ts'
import { showColumns } from './show-columns.ts'
import { showContext } from './show-context.ts'
import { showMerged } from './show-merged.ts'
import { showNormal } from './show-normal.ts'
import { showEdScript, showForwardScript, showRcsScript } from './show-script.ts'
import { textFile } from './text-file.ts'

/** A file to compare. */
export interface GivenFile {
  readonly name: string
  readonly content: Uint8Array
  /** When it was last changed. */
  readonly mtimeMs: number
}

/** What comparing files takes besides the files. */
export interface Surroundings {
  readonly settings: DiffSettings
  readonly context: CommandContext
  readonly page: Page
  /** Written before the output for files found in directories: the command with its options; null for files named by the user. */
  readonly head: string | null
}

/** Compares two files and shows how they differ: 0 for the same, 1 for different, 2 where a newline is missing that can't be. */
export function* comparePair(pair: readonly [GivenFile, GivenFile], surroundings: Surroundings): Steps<number> {
  const { settings, context, page } = surroundings
  const names = [settings.labels[0] ?? pair[0].name, settings.labels[1] ?? pair[1].name] as const
  if (!settings.text && (isBinary(pair[0].content) || isBinary(pair[1].content))) {
    if (sameContent(pair[0].content, pair[1].content)) return 0
    page.text(`${settings.brief ? 'Files' : 'Binary files'} ${names[0]} and ${names[1]} differ\n`)
    return 1
  }
  const files = [textFile(pair[0].content, settings.stripReturns), textFile(pair[1].content, settings.stripReturns)] as const
  const completes = completesLines(settings)
  const changes = yield* compareLines(files, { ...settings, completes }, context)
  const differ = changes.length > 0 && isDifference(changes, files, settings)
  if (settings.brief) {
    if (differ) page.text(`Files ${names[0]} and ${names[1]} differ\n`)
    return differ ? 1 : 0
  }
  if (differ || !settings.silentWhenSame) {
    const begin = beginning(pair, surroundings)
    yield* show({ files, changes, settings, page, begin }, context)
  }
  if (!completes || !(files[0].incomplete || files[1].incomplete)) return differ ? 1 : 0
  yield* wait(page.flush())
  for (const side of [0, 1] as const) {
    if (files[side].incomplete) yield* wait(context.stderr.write(missingNewline(context.name, names[side])))
  }
  return 2
}

/** True for styles that have no way to say that a newline is missing, so that one is put in. */
export function completesLines({ style }: DiffSettings): boolean {
  return style === 'ed' || style === 'forward-ed'
}

const NOTICED = 4096
const encoder = new TextEncoder()

function missingNewline(command: string, name: string): Uint8Array {
  return encoder.encode(`${command}: ${name}: No newline at end of file\n\n`)
}

function isBinary(content: Uint8Array): boolean {
  return content.subarray(0, NOTICED).includes(0)
}

function sameContent(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}

function isDifference(changes: readonly Change[], files: Report['files'], settings: DiffSettings): boolean {
  return changes.some((change) => hunkOf([change], files, settings).kind !== 'unchanged')
}

function show(report: Report, context: CommandContext): Steps<void> {
  const { style } = report.settings
  switch (style) {
    case 'normal':
      return showNormal(report)
    case 'unified':
    case 'context':
      return showContext(report, style === 'unified')
    case 'ed':
      return showEdScript(report)
    case 'forward-ed':
      return showForwardScript(report)
    case 'rcs':
      return showRcsScript(report)
    case 'columns':
      return showColumns(report, hasByteCharacters(context))
    case 'merged':
      return showMerged(report)
    default:
      return style satisfies never
  }
}

function beginning(pair: readonly [GivenFile, GivenFile], { settings, context, page, head }: Surroundings): () => void {
  const nameOf = (side: 0 | 1): string => escapedName(settings.labels[side] ?? pair[side].name)
  let begun = false
  return () => {
    if (begun) return
    begun = true
    if (head !== null) page.text(`${head} ${nameOf(0)} ${nameOf(1)}\n`)
    if (settings.style !== 'context' && settings.style !== 'unified') return
    const marks = settings.style === 'unified' ? ['---', '+++'] : ['***', '---']
    for (const side of [0, 1] as const) {
      const { name, mtimeMs } = pair[side]
      const label = settings.labels[side]
      page.part('header')
      page.text(`${marks[side]} ${label ?? `${escapedName(name)}\t${timeText(mtimeMs, settings, context)}`}`)
      page.part('reset')
      page.text('\n')
    }
  }
}

function timeText(mtimeMs: number, { style }: DiffSettings, { env }: CommandContext): string {
  const locale = env.get('LC_ALL') || env.get('LC_TIME') || env.get('LANG') || 'C'
  const old = style === 'context' && (locale === 'C' || locale === 'POSIX')
  return strftime(old ? '%a %b %e %T %Y' : '%Y-%m-%d %H:%M:%S.%N %z', mtimeMs, zone(env.get('TZ')))
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\v', '\\v'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['"', '\\"'],
  ['\\', '\\\\'],
])

/** A name in a header: one with spaces, quotes or the like as a C string. */
function escapedName(name: string): string {
  if (!/[\x00-\x20"\\]/.test(name)) return name
  const inside = name.replace(/[\x00-\x1f"\\]/g, (char) => ESCAPES.get(char) ?? `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`)
  return `"${inside}"`
}

/** The patterns of a list, one a line. */
export function patternsOf(list: Uint8Array): string[] {
  return decode(list)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
}
