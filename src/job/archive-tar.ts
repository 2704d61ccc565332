import { packTar, type TarHeader, unpackTar } from 'modern-tar'
import { concat } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'

/** A name in an archive and what it stands for. */
export interface ArchiveEntry {
  /** Without leading or trailing slash. */
  readonly name: string
  readonly type: 'file' | 'directory' | 'symlink' | 'link'
  /** Permission bits. */
  readonly mode: number
  /** Milliseconds since the epoch. */
  readonly mtimeMs: number
  /** Text of a symbolic link; of another name of a file that came before, that name. */
  readonly target: string
  readonly bytes: Uint8Array
}

/** A tar file (pax) with the entries. */
export async function writeTar(entries: readonly ArchiveEntry[]): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  // A stream that gets everything at once takes time with the square of its length.
  for (let at = 0; at < entries.length; at += BATCH) {
    const some = entries.slice(at, at + BATCH)
    const packed = await packTar(some.map((entry) => ({ header: headerOf(entry), body: entry.bytes })))
    parts.push(at + BATCH < entries.length ? packed.subarray(0, -END_BYTES) : packed)
  }
  return concat(parts)
}

/** The entries of a tar file. CORRUPT for what is none, is cut off, or holds what no workspace has. */
export async function readTar(bytes: Uint8Array): Promise<readonly ArchiveEntry[]> {
  let found: Awaited<ReturnType<typeof unpackTar>>
  try {
    found = await unpackTar(bytes, { strict: true })
  } catch (cause) {
    throw new WorkspaceError('CORRUPT', `this is no whole tar file: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
  return found.map(({ header, data }) => entryOf(header, data ?? NOTHING))
}

const BATCH = 500
/** Bytes that end a tar file. */
const END_BYTES = 1024
const NOTHING: Uint8Array = new Uint8Array(0)
/** What UTF-8 has no bytes for, or a reader of it may drop. */
const INEXACT = /\p{Surrogate}|^\ufeff/u
const NAME = 'MIRAGE.path'
const TARGET = 'MIRAGE.linkpath'

function headerOf({ name, type, mode, mtimeMs, target, bytes }: ArchiveEntry): TarHeader {
  const pax: Record<string, string> = {}
  if (mtimeMs % 1000 !== 0 || mtimeMs < 0) pax.mtime = secondsText(mtimeMs)
  // As JSON all characters that are no text are escaped.
  if (INEXACT.test(name)) pax[NAME] = JSON.stringify(name)
  if (INEXACT.test(target)) pax[TARGET] = JSON.stringify(target)
  return {
    name: type === 'directory' ? `${name}/` : name,
    type,
    size: bytes.length,
    mode,
    mtime: new Date(Math.max(0, mtimeMs)),
    ...(target === '' ? {} : { linkname: target }),
    ...(Object.keys(pax).length === 0 ? {} : { pax }),
  }
}

function entryOf(header: TarHeader, bytes: Uint8Array): ArchiveEntry {
  const { type = 'file', mode = 0, mtime, pax = {} } = header
  const name = exact(pax[NAME], header.name).replace(/\/$/, '')
  if (type !== 'file' && type !== 'directory' && type !== 'symlink' && type !== 'link')
    throw new WorkspaceError('CORRUPT', `the archive holds a ${type}, "${name}", which no workspace has`)
  const mtimeMs = pax.mtime === undefined ? (mtime?.getTime() ?? 0) : milliseconds(pax.mtime)
  if (!Number.isFinite(mtimeMs)) throw new WorkspaceError('CORRUPT', `the time of "${name}" in the archive is none`)
  return { name, type, mode: mode & 0o7777, mtimeMs, target: exact(pax[TARGET], header.linkname ?? ''), bytes }
}

function exact(given: string | undefined, otherwise: string): string {
  if (given === undefined) return otherwise
  try {
    const text: unknown = JSON.parse(given)
    if (typeof text === 'string') return text
  } catch {
    // Said below.
  }
  throw new WorkspaceError('CORRUPT', `the archive has a name that can't be read: ${given}`)
}

/** Milliseconds as a text of seconds, digit by digit: what is read back is the very number. */
function secondsText(ms: number): string {
  const [whole = '', fraction = ''] = String(Math.abs(ms)).split('.')
  const digits = whole.padStart(4, '0')
  return `${ms < 0 ? '-' : ''}${digits.slice(0, -3)}.${digits.slice(-3)}${fraction}`
}

function milliseconds(seconds: string): number {
  if (!/^-?\d+(\.\d*)?$/.test(seconds)) return Number.NaN
  const [whole = '', fraction = ''] = seconds.split('.')
  const digits = fraction.padEnd(3, '0')
  return Number(`${whole}${digits.slice(0, 3)}.${digits.slice(3)}0`)
}
