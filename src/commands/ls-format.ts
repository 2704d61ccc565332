import { civilSeconds, civilTime } from '../time/calendar.ts'
import { strftime } from '../time/strftime.ts'
import { allocatedBytes, sizeText } from './block-size.ts'
import type { CommandContext } from './command.ts'
import { deviceNumber } from './device-number.ts'
import { displayWidth } from './display-width.ts'
import { modeText } from './file-mode.ts'
import { nameOfId } from './identity.ts'
import type { LsEntry, NameWriter } from './ls-entry.ts'
import { indicatorOf } from './ls-entry.ts'
import type { ShownName } from './ls-names.ts'
import { quotesVary } from './ls-names.ts'
import type { LsOptions } from './ls-options.ts'
import type { Output } from './output.ts'

/**
 * Writes the entries of one directory, or the operands, in the format asked for. Fields are as wide as those of `measured`
 * want them.
 */
export function writeEntries(
  entries: readonly LsEntry[],
  options: LsOptions,
  names: NameWriter,
  output: Output,
  context: CommandContext,
  measured: readonly LsEntry[] = entries,
): void {
  if (entries.length === 0) return
  if (options.format === 'single' && isBare(options)) {
    let text = ''
    for (const { name, type, stat } of entries) text += names.shown(name).text + indicatorOf(type, stat, options) + options.lineEnd
    return output.text(text)
  }
  const shown = entries.map((entry) => names.shown(entry.name))
  switch (options.format) {
    case 'long':
      return writeLong(entries, shown, options, names, output, context, measured)
    case 'single': {
      const widths = frillWidths(measured, options)
      for (const [at, entry] of entries.entries()) {
        output.text(frills(entry, widths, options) + nameCell(entry, shown[at] as ShownName, options, names) + options.lineEnd)
      }
      return
    }
    case 'commas':
      return writeCommas(entries, shown, options, names, output)
    case 'columns':
    case 'across':
      return writeColumns(entries, shown, options, names, output, measured)
    default:
      return options.format satisfies never
  }
}

/** Nothing but names and their marks is shown. */
function isBare({ inode, blocks, securityContext, colors, hyperlinks }: LsOptions): boolean {
  return !inode && !blocks && !securityContext && colors === null && !hyperlinks
}

/** The sum of blocks of a directory's entries, as the `total` line has it. */
export function totalText(entries: readonly LsEntry[], options: LsOptions): string {
  let bytes = 0
  for (const { stat } of entries) if (stat !== null) bytes += allocatedBytes(stat)
  return sizeText(bytes, options.blockSize)
}

function nameCell(entry: LsEntry, shown: ShownName, options: LsOptions, names: NameWriter): string {
  return names.decorate(shown.text, entry) + indicatorOf(entry.type, entry.stat, options)
}

interface FrillWidths {
  readonly inode: number
  readonly blocks: number
}

function frillWidths(entries: readonly LsEntry[], options: LsOptions): FrillWidths {
  let inode = 0
  let blocks = 0
  if (options.inode) for (const entry of entries) inode = Math.max(inode, inodeText(entry).length)
  if (options.blocks) for (const entry of entries) blocks = Math.max(blocks, blocksText(entry, options).length)
  return { inode, blocks }
}

function inodeText({ stat }: LsEntry): string {
  return stat === null ? '?' : String(stat.ino)
}

function blocksText({ stat }: LsEntry, options: LsOptions): string {
  return stat === null ? '?' : sizeText(allocatedBytes(stat), options.blockSize)
}

function frills(entry: LsEntry, widths: FrillWidths, options: LsOptions): string {
  let text = ''
  if (options.inode) text += `${inodeText(entry).padStart(widths.inode)} `
  if (options.blocks) text += `${blocksText(entry, options).padStart(widths.blocks)} `
  if (options.securityContext && options.format !== 'long') text += '? '
  return text
}

function writeLong(
  entries: readonly LsEntry[],
  shown: readonly ShownName[],
  options: LsOptions,
  names: NameWriter,
  output: Output,
  context: CommandContext,
  measured: readonly LsEntry[],
): void {
  const widths = frillWidths(measured, options)
  const times = new TimeWriter(options, context.host.now())
  const owners = new Map<number, string | null>()
  const ownerOf = (id: number): string | null => {
    if (options.numericIds) return null
    let name = owners.get(id)
    if (name === undefined) {
      name = nameOfId(id, context.env)
      owners.set(id, name)
    }
    return name
  }
  const who = (id: number | undefined): { text: string; isName: boolean } => {
    if (id === undefined) return { text: '?', isName: true }
    const name = ownerOf(id)
    return name === null ? { text: String(id), isName: false } : { text: name, isName: true }
  }
  const rowOf = ({ stat, path }: LsEntry) => {
    const isDevice = stat?.type === 'character-device'
    const [major, minor] = isDevice ? deviceNumber(path) : [0, 0]
    return {
      links: stat === null ? '?' : String(stat.nlink),
      user: who(stat?.uid),
      group: who(stat?.gid),
      size: stat === null ? '?' : isDevice ? '' : sizeText(stat.size, options.fileSize),
      major: isDevice ? String(major) : '',
      minor: isDevice ? String(minor) : '',
    }
  }
  const rows = entries.map(rowOf)
  let linkWidth = 0
  let userWidth = 0
  let groupWidth = 0
  let sizeWidth = 0
  let majorWidth = 0
  let minorWidth = 0
  for (const row of measured === entries ? rows : measured.map(rowOf)) {
    linkWidth = Math.max(linkWidth, row.links.length)
    userWidth = Math.max(userWidth, displayWidth(row.user.text))
    groupWidth = Math.max(groupWidth, displayWidth(row.group.text))
    sizeWidth = Math.max(sizeWidth, row.size.length)
    majorWidth = Math.max(majorWidth, row.major.length)
    minorWidth = Math.max(minorWidth, row.minor.length)
  }
  if (majorWidth > 0) sizeWidth = Math.max(sizeWidth, majorWidth + 2 + minorWidth)
  const varies = quotesVary(options.quoting) && shown.some((name) => name.isQuoted)
  const cell = ({ text, isName }: { text: string; isName: boolean }, width: number): string =>
    isName ? text + ' '.repeat(Math.max(width - displayWidth(text), 0)) : text.padStart(width)
  for (const [at, entry] of entries.entries()) {
    const row = rows[at] as (typeof rows)[number]
    const { stat } = entry
    let text = frills(entry, widths, options)
    text += stat === null ? `${modeText({ type: entry.type, mode: 0 })[0]}?????????` : modeText(stat)
    text += ` ${row.links.padStart(linkWidth)} `
    if (options.owner) text += `${cell(row.user, userWidth)} `
    if (options.group) text += `${cell(row.group, groupWidth)} `
    if (options.author) text += `${cell(row.user, userWidth)} `
    if (options.securityContext) text += '? '
    if (row.major === '') text += row.size.padStart(sizeWidth)
    else text += `${row.major.padStart(sizeWidth - 2 - minorWidth)}, ${row.minor.padStart(minorWidth)}`
    text += ` ${stat === null ? '?'.padStart(times.width()) : times.text(stat[options.time])} `
    const name = shown[at] as ShownName
    if (varies && !name.isQuoted) text += ' '
    text += names.decorate(name.text, entry)
    if (entry.link !== null) {
      const target = names.shown(entry.link)
      const colored =
        entry.target === undefined || options.colors?.needsTargets !== true ? target.text : decorateTarget(entry, target, names)
      text += ` -> ${colored}`
      if (entry.target != null) text += indicatorOf(entry.target.type, entry.target, options)
    } else text += indicatorOf(entry.type, stat, options)
    output.text(text + options.lineEnd)
  }
}

function decorateTarget(entry: LsEntry, shown: ShownName, names: NameWriter): string {
  const name = entry.link ?? ''
  if (entry.target == null) return names.decorate(shown.text, { name, path: entry.path, type: 'symlink', stat: null, target: null }, true)
  return names.decorate(shown.text, { name, path: entry.path, type: entry.target.type, stat: entry.target, target: undefined })
}

/** Half of the mean Gregorian year: what is older shows its year. */
const SIX_MONTHS_MS = 31_556_952_000 / 2

class TimeWriter {
  readonly #options: LsOptions
  readonly #now: number
  /** Texts by minute, where nothing smaller shows. */
  readonly #known = new Map<number, string>()
  readonly #minutesOnly: boolean

  constructor(options: LsOptions, now: number) {
    this.#options = options
    this.#now = now
    const { recent, old } = options.timeFormats
    this.#minutesOnly = !/%[^%a-zA-Z]*[EO]?[NScrsTX+]/.test(recent + old)
  }

  text(ms: number): string {
    const { recent, old } = this.#options.timeFormats
    const isRecent = ms > this.#now - SIX_MONTHS_MS && ms <= this.#now
    const format = isRecent ? recent : old
    if (!this.#minutesOnly) return strftime(format, ms, this.#options.zone)
    const key = Math.floor(ms / 60_000) * 2 + (isRecent ? 1 : 0)
    let text = this.#known.get(key)
    if (text === undefined) {
      text = strftime(format, ms, this.#options.zone)
      this.#known.set(key, text)
    }
    return text
  }

  /** Columns that a time takes. */
  width(): number {
    const { year } = civilTime(this.#now / 1000)
    return this.text(civilSeconds(year - 1, 1, 1) * 1000).length
  }
}

function cellWidth(entry: LsEntry, shown: ShownName, widths: FrillWidths, options: LsOptions, varies: boolean): number {
  let width = shown.width + indicatorOf(entry.type, entry.stat, options).length
  if (options.inode) width += (options.format === 'commas' ? inodeText(entry).length : widths.inode) + 1
  if (options.blocks) width += (options.format === 'commas' ? blocksText(entry, options).length : widths.blocks) + 1
  if (options.securityContext) width += 2
  return varies && !shown.isQuoted ? width + 1 : width
}

function writeCommas(
  entries: readonly LsEntry[],
  shown: readonly ShownName[],
  options: LsOptions,
  names: NameWriter,
  output: Output,
): void {
  const none: FrillWidths = { inode: 0, blocks: 0 }
  let position = 0
  for (const [at, entry] of entries.entries()) {
    const name = shown[at] as ShownName
    const width = options.width === 0 ? 0 : cellWidth(entry, name, none, options, false)
    if (at > 0) {
      const fits = options.width === 0 || position + width + 2 < options.width
      position = fits ? position + 2 : 0
      output.text(fits ? ', ' : `,${options.lineEnd}`)
    }
    output.text(frills(entry, none, options) + nameCell(entry, name, options, names))
    position += width
  }
  output.text(options.lineEnd)
}

const NARROWEST = 3
const GAP = 2

function writeColumns(
  entries: readonly LsEntry[],
  shown: readonly ShownName[],
  options: LsOptions,
  names: NameWriter,
  output: Output,
  measured: readonly LsEntry[],
): void {
  const widths = frillWidths(measured, options)
  const varies = options.width > 0 && quotesVary(options.quoting) && shown.some((name) => name.isQuoted)
  const cells = entries.map((entry, at) => cellWidth(entry, shown[at] as ShownName, widths, options, varies))
  const write = (at: number): void => {
    const entry = entries[at] as LsEntry
    const name = shown[at] as ShownName
    output.text(frills(entry, widths, options) + (varies && !name.isQuoted ? ' ' : '') + nameCell(entry, name, options, names))
  }
  const count = entries.length
  if (options.width === 0) {
    for (let at = 0; at < count; at++) {
      if (at > 0) output.text('  ')
      write(at)
    }
    output.text(options.lineEnd)
    return
  }
  const down = options.format === 'columns'
  const columns = columnWidths(cells, options.width, down)
  const rows = Math.ceil(count / columns.length)
  for (let row = 0; row < rows; row++) {
    let position = 0
    for (let column = 0; ; column++) {
      const at = down ? row + column * rows : row * columns.length + column
      write(at)
      const next = down ? at + rows : at + 1
      if (column + 1 >= columns.length || next >= count) break
      const end = position + (columns[column] as number)
      output.text(gap(position + (cells[at] as number), end, options.tabSize))
      position = end
    }
    output.text(options.lineEnd)
  }
}

/** The widths of as many columns as fit a line. */
function columnWidths(cells: readonly number[], lineWidth: number, down: boolean): number[] {
  const most = Math.max(Math.min(Math.ceil(lineWidth / NARROWEST), cells.length), 1)
  for (let count = most; count > 1; count--) {
    const columns = new Array<number>(count).fill(NARROWEST)
    let total = count * NARROWEST
    const rows = Math.ceil(cells.length / count)
    for (let at = 0; at < cells.length && total < lineWidth; at++) {
      const column = down ? Math.floor(at / rows) : at % count
      const width = (cells[at] as number) + (column === count - 1 ? 0 : GAP)
      const known = columns[column] as number
      if (width > known) {
        total += width - known
        columns[column] = width
      }
    }
    if (total < lineWidth) return columns.slice(0, down ? Math.ceil(cells.length / rows) : count)
  }
  return [Math.max(...cells.slice(0, 1))]
}

/** Spaces, and tabs where one reaches that far. */
function gap(from: number, to: number, tabSize: number): string {
  if (tabSize === 0) return ' '.repeat(to - from)
  let text = ''
  let at = from
  while (at < to) {
    if (Math.floor(to / tabSize) > Math.floor((at + 1) / tabSize)) {
      text += '\t'
      at += tabSize - (at % tabSize)
    } else {
      text += ' '
      at += 1
    }
  }
  return text
}
