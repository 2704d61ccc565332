import type { FileStat } from '../fs/file-system.ts'

/** How a count of bytes is to be written. */
export type BlockSize =
  | {
      readonly kind: 'blocks'
      readonly bytes: number /** Written after the number (`--block-size=K` gives `4K`). */
      readonly suffix: string
      readonly grouped: boolean
    }
  /** `4.0K`, by powers of `base`. */
  | { readonly kind: 'human'; readonly base: 1024 | 1000 }

const LETTERS = 'KMGTPEZY'

/** Blocks of some bytes, written bare. */
export function blocksOf(bytes: number): BlockSize {
  return { kind: 'blocks', bytes, suffix: '', grouped: false }
}

/** Reads what `--block-size` takes: `1024`, `K`, `1M`, `kB`, `human-readable`, `si`. Null where it is none of these, 'large' past 64 bits. */
export function parseBlockSize(text: string): BlockSize | null | 'large' {
  if (text === 'human-readable') return { kind: 'human', base: 1024 }
  if (text === 'si') return { kind: 'human', base: 1000 }
  const match = /^('?)(\d*)(?:([kKMGTPEZY])(iB|B|D)?|(B))?$/.exec(text)
  if (match === null) return null
  const [, quote = '', digits = '', letter, unit] = match
  if (digits === '' && letter === undefined) return null
  if (digits !== '' && Number(digits) === 0) return null
  const power = letter === undefined ? 0 : LETTERS.indexOf(letter.toUpperCase()) + 1
  const bytes = Number(digits || '1') * (unit === 'B' || unit === 'D' ? 1000 : 1024) ** power
  if (bytes >= 2 ** 64) return 'large'
  const suffix =
    digits !== '' || letter === undefined
      ? ''
      : unit === 'B'
        ? `${letter === 'K' ? 'k' : letter}B`
        : unit === 'iB'
          ? `${letter.toUpperCase()}iB`
          : letter.toUpperCase()
  return { kind: 'blocks', bytes, suffix, grouped: quote !== '' }
}

/** The block size that the environment asks for; `program` is the prefix of its own variable (`DU`). */
export function blockSizeOf(env: ReadonlyMap<string, string>, program: string, usual = 1024): BlockSize {
  for (const name of [`${program}_BLOCK_SIZE`, 'BLOCK_SIZE', 'BLOCKSIZE']) {
    const text = env.get(name)
    if (text === undefined) continue
    const parsed = parseBlockSize(text)
    if (parsed !== null && parsed !== 'large') return parsed
  }
  return blocksOf(env.has('POSIXLY_CORRECT') ? 512 : usual)
}

/** A count of bytes as the block size has it, rounded up. */
export function sizeText(bytes: number, size: BlockSize): string {
  if (size.kind === 'human') return humanText(bytes, size.base)
  const count = Math.ceil(bytes / size.bytes)
  return (size.grouped ? count.toLocaleString('en-US', { useGrouping: false }) : String(count)) + size.suffix
}

function humanText(bytes: number, base: 1024 | 1000): string {
  const letters = base === 1024 ? LETTERS : `k${LETTERS.slice(1)}`
  let power = 0
  let unit = 1
  while (bytes / unit >= base && power < letters.length) {
    unit *= base
    power += 1
  }
  if (power === 0) return String(bytes)
  const tenths = Math.ceil((bytes / unit) * 10)
  if (tenths < 100) return `${(tenths / 10).toFixed(1)}${letters[power - 1]}`
  const whole = Math.ceil(bytes / unit)
  if (whole < base || power === letters.length) return `${whole}${letters[power - 1]}`
  return `1.0${letters[power]}`
}

const DISK_BLOCK = 4096

/** Bytes a file takes on a disk of 4 KiB blocks. No back end says, so this is what a plain disk would take. */
export function allocatedBytes({ type, size }: Pick<FileStat, 'type' | 'size'>): number {
  if (type === 'file') return Math.ceil(size / DISK_BLOCK) * DISK_BLOCK
  return type === 'directory' ? Math.max(Math.ceil(size / DISK_BLOCK), 1) * DISK_BLOCK : 0
}
