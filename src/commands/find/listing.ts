import { encode } from '../../bytes.ts'
import type { FileStat } from '../../fs/file-system.ts'
import { strftime } from '../../time/strftime.ts'
import type { Zone } from '../../time/zone.ts'
import { allocatedBytes } from '../block-size.ts'
import { deviceNumber } from '../device-number.ts'
import { modeText } from '../file-mode.ts'
import { nameOfId } from '../identity.ts'
import type { FoundFile } from './found-file.ts'

type Column = 'inode' | 'blocks' | 'links' | 'user' | 'group' | 'size'

const HALF_YEAR_MS = 180 * 86_400_000
const HOUR_MS = 3_600_000

/** Writes files as `ls -dils` does; columns grow with what they have held. */
export class Listing {
  readonly #env: ReadonlyMap<string, string>
  readonly #zone: Zone
  readonly #now: number
  readonly #widths: Record<Column, number> = { inode: 9, blocks: 6, links: 3, user: 8, group: 8, size: 8 }

  constructor(env: ReadonlyMap<string, string>, zone: Zone, now: number) {
    this.#env = env
    this.#zone = zone
    this.#now = now
  }

  /** One line; `target` is the text of a symbolic link. */
  line(file: FoundFile, stat: FileStat, target: string | null): string {
    const { mtimeMs } = stat
    const isRecent = mtimeMs >= this.#now - HALF_YEAR_MS && mtimeMs <= this.#now + HOUR_MS
    const date = strftime(isRecent ? '%b %e %H:%M' : '%b %e  %Y', mtimeMs, this.#zone)
    const columns = [
      this.#column('inode', String(stat.ino)),
      this.#column('blocks', String(allocatedBytes(stat) / 1024)),
      modeText(stat),
      this.#column('links', String(stat.nlink)),
      this.#column('user', nameOfId(stat.uid, this.#env) ?? String(stat.uid), true),
      this.#column('group', nameOfId(stat.gid, this.#env) ?? String(stat.gid), true),
      stat.type === 'character-device' ? deviceColumn(file.path) : this.#column('size', String(stat.size)),
      date,
      escaped(file.shown) + (target === null ? '' : ` -> ${escaped(target)}`),
    ]
    return `${columns.join(' ')}\n`
  }

  #column(which: Column, text: string, left = false): string {
    const width = Math.max(this.#widths[which], text.length)
    this.#widths[which] = width
    return left ? text.padEnd(width) : text.padStart(width)
  }
}

function deviceColumn(path: string): string {
  const [major, minor] = deviceNumber(path)
  return `${String(major).padStart(3)}, ${String(minor).padStart(3)}`
}

const MARKED: ReadonlyMap<number, string> = new Map([
  [92, '\\\\'],
  [10, '\\n'],
  [8, '\\b'],
  [13, '\\r'],
  [9, '\\t'],
  [12, '\\f'],
  [32, '\\ '],
  [34, '\\"'],
])

function escaped(name: string): string {
  if (/^[!#-[\]-~]*$/.test(name)) return name
  let text = ''
  for (const byte of encode(name)) {
    const marked = MARKED.get(byte)
    if (marked !== undefined) text += marked
    else text += byte > 32 && byte < 127 ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`
  }
  return text
}
