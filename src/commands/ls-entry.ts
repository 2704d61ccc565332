import type { FileStat, FileType } from '../fs/file-system.ts'
import { shownName } from './ls-names.ts'
import type { LsOptions } from './ls-options.ts'

/** One line, or cell, of a listing. */
export interface LsEntry {
  readonly name: string
  /** Absolute. */
  readonly path: string
  readonly type: FileType
  /** Null where it wasn't needed, or can't be had. */
  readonly stat: FileStat | null
  /** The text of a symbolic link, where the listing shows it. */
  readonly link: string | null
  /** What the link leads to: null for nothing, undefined where it wasn't looked at. */
  readonly target: FileStat | null | undefined
}

const INDICATORS: Readonly<Record<FileType, string>> = { file: '', directory: '/', symlink: '@', 'character-device': '', fifo: '|' }

/** The mark after a name: `/`, `*`, `@`, `|` or none. */
export function indicatorOf(type: FileType, stat: Pick<FileStat, 'mode'> | null, { indicator }: LsOptions): string {
  if (indicator === 'none') return ''
  if (indicator === 'slash') return type === 'directory' ? '/' : ''
  if (type === 'file') return indicator === 'classify' && stat !== null && (stat.mode & 0o111) !== 0 ? '*' : ''
  return INDICATORS[type]
}

/** The name with colours and hyperlink, unpadded. */
export class NameWriter {
  readonly #options: LsOptions
  readonly #host: string
  /** Nothing has been coloured yet: the first time the terminal is reset before. */
  #isFirst = true

  constructor(options: LsOptions, host: string) {
    this.#options = options
    this.#host = host
  }

  /** `text` is the name as quoted; `isMissing`: it is what a broken link leads to. */
  decorate(text: string, entry: Pick<LsEntry, 'name' | 'path' | 'type' | 'stat' | 'target'>, isMissing = false): string {
    const { colors, hyperlinks } = this.#options
    const link = hyperlinks ? `\x1b]8;;file://${this.#host}${encodeURI(entry.path)}\x07${text}\x1b]8;;\x07` : text
    const codes = (isMissing ? colors?.missing : colors?.codes(entry)) ?? null
    if (colors === null || codes === null) return link
    const reset = colors.left + colors.reset + colors.right
    const end = colors.end ?? reset
    const before = this.#isFirst ? reset : ''
    this.#isFirst = false
    return `${before}${colors.left}${codes}${colors.right}${link}${end}`
  }

  shown(name: string): { text: string; width: number; isQuoted: boolean } {
    return shownName(name, this.#options)
  }
}
