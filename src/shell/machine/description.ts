import { concat } from '../../bytes.ts'
import { BrokenPipe } from '../../commands/command.ts'
import { FileSystemError } from '../../errors.ts'
import type { FileSystem } from '../../fs/file-system.ts'
import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'

/** How much a pipe holds before its writers wait, in bytes. */
export const PIPE_BOUND = 65_536
const FILE_CHUNK = 262_144
const FIRST_CHUNK = 65_536
/** Writes up to this size are gathered into larger pieces. */
const SMALL_WRITE = 512
const GATHERED = 8192

/**
 * An open description, as POSIX has it: what descriptors point to. Copies of a descriptor share it, and its offset.
 * `users` counts the descriptors; the last one to go closes it.
 */
export type Description = FileDescription | PipeDescription | TextDescription | SinkDescription | StreamDescription | ClosedDescription

/** What `read` gives: bytes, null at the end, or 'wait' when a pipe is empty and somebody may still write. */
export type Reading = Uint8Array | null | 'wait'

/** An open file, by path. */
export class FileDescription {
  readonly kind = 'file'
  users = 0
  readonly fs: FileSystem
  readonly path: string
  readonly readable: boolean
  readonly writable: boolean
  readonly append: boolean
  offset = 0
  #last = 0
  /** Ends the gathering of what is written; null where nothing is gathered, undefined before the file is written. */
  #gathered: (() => void) | null | undefined = undefined

  constructor(fs: FileSystem, path: string, mode: { readable: boolean; writable: boolean; append: boolean }) {
    this.fs = fs
    this.path = path
    this.readable = mode.readable
    this.writable = mode.writable
    this.append = mode.append
  }

  /** Bytes given back by the last reader, which start at the offset. */
  #ahead: Uint8Array | null = null

  read(): MaybePromise<Reading> {
    if (this.#ahead !== null) {
      const ahead = this.#ahead
      this.#ahead = null
      this.offset += ahead.length
      return ahead
    }
    // The first read is small: many readers want a line.
    const size = this.#last === 0 ? FIRST_CHUNK : FILE_CHUNK
    const bytes = this.fs.read(this.path, this.offset, size)
    return isPromise(bytes) ? bytes.then((read) => this.#took(read)) : this.#took(bytes)
  }

  #took(bytes: Uint8Array): Uint8Array | null {
    this.offset += bytes.length
    this.#last = bytes.length
    return bytes.length === 0 ? null : bytes
  }

  unread(bytes: Uint8Array): void {
    this.offset -= bytes.length
    this.#ahead = bytes
    this.#last = 0
  }

  /** Says that the file is written in pieces. */
  gather(): MaybePromise<void> {
    if (this.#gathered !== undefined || !this.writable) return undefined
    const gathered = this.fs.gather?.(this.path) ?? null
    if (!isPromise(gathered)) {
      this.#gathered = gathered
      return undefined
    }
    return gathered.then((end) => {
      this.#gathered = end ?? null
    })
  }

  /** What was written is complete for now. */
  settle(): void {
    this.#gathered?.()
    this.#gathered = undefined
  }

  write(bytes: Uint8Array): MaybePromise<void> {
    if (this.#gathered === undefined) {
      const gathered = this.gather()
      if (isPromise(gathered)) return gathered.then(() => this.#put(bytes))
    }
    return this.#put(bytes)
  }

  #put(bytes: Uint8Array): MaybePromise<void> {
    this.#ahead = null
    if (this.append) return this.fs.append(this.path, bytes)
    const at = this.offset
    this.offset += bytes.length
    return this.fs.writeAt(this.path, at, bytes)
  }
}

/** A pipe: bytes between processes. */
export class Pipe {
  size = 0
  #chunks: Uint8Array[] = []
  /** Small writes are gathered here: bytes up to `#gathered` are what was written last. */
  #tail: Uint8Array | null = null
  #gathered = 0
  readers = 0
  writers = 0
  /** Called once when there is something to read, or nobody is left to write it. */
  #readWaiters: (() => void)[] = []
  /** Called once when there is room to write, or nobody is left to read it. */
  #writeWaiters: (() => void)[] = []

  get full(): boolean {
    return this.size >= PIPE_BOUND
  }

  add(bytes: Uint8Array): void {
    this.size += bytes.length
    if (bytes.length > SMALL_WRITE) {
      this.#settle()
      this.#chunks.push(bytes)
      return
    }
    if (this.#tail === null || this.#gathered + bytes.length > this.#tail.length) {
      this.#settle()
      this.#tail = new Uint8Array(this.#chunks.length === 0 ? SMALL_WRITE : GATHERED)
    }
    this.#tail.set(bytes, this.#gathered)
    this.#gathered += bytes.length
  }

  /** The next bytes, undefined when there are none. Many small writes make one read. */
  take(): Uint8Array | undefined {
    this.#settle()
    const all = this.#chunks.length > 1 && this.size <= PIPE_BOUND * 2
    const chunk = all ? concat(this.#chunks.splice(0)) : this.#chunks.shift()
    if (chunk !== undefined) this.size -= chunk.length
    return chunk
  }

  giveBack(bytes: Uint8Array): void {
    this.size += bytes.length
    this.#settle()
    this.#chunks.unshift(bytes)
  }

  /** All that is in it, which stays. */
  content(): Uint8Array {
    this.#settle()
    return concat(this.#chunks)
  }

  drop(): void {
    this.#chunks = []
    this.#tail = null
    this.#gathered = 0
    this.size = 0
  }

  #settle(): void {
    if (this.#tail === null || this.#gathered === 0) return
    this.#chunks.push(this.#tail.subarray(0, this.#gathered))
    this.#tail = null
    this.#gathered = 0
  }

  onReadable(wake: () => void): void {
    this.#readWaiters.push(wake)
  }

  onWritable(wake: () => void): void {
    this.#writeWaiters.push(wake)
  }

  wakeReaders(): void {
    const waiters = this.#readWaiters
    this.#readWaiters = []
    for (const wake of waiters) wake()
  }

  wakeWriters(): void {
    const waiters = this.#writeWaiters
    this.#writeWaiters = []
    for (const wake of waiters) wake()
  }
}

/** One end of a pipe. */
export class PipeDescription {
  readonly kind = 'pipe'
  users = 0
  readonly pipe: Pipe
  readonly end: 'read' | 'write'

  constructor(pipe: Pipe, end: 'read' | 'write') {
    this.pipe = pipe
    this.end = end
    if (end === 'read') pipe.readers += 1
    else pipe.writers += 1
  }

  read(): Reading {
    const { pipe } = this
    const chunk = pipe.take()
    if (chunk === undefined) return pipe.writers === 0 ? null : 'wait'
    if (!pipe.full) pipe.wakeWriters()
    return chunk
  }

  unread(bytes: Uint8Array): void {
    if (bytes.length > 0) this.pipe.giveBack(bytes)
  }

  write(bytes: Uint8Array): MaybePromise<void> {
    const { pipe } = this
    if (pipe.readers === 0) throw new BrokenPipe()
    if (bytes.length === 0) return undefined
    pipe.add(bytes)
    pipe.wakeReaders()
    if (!pipe.full) return undefined
    return new Promise((resolve, reject) => {
      pipe.onWritable(() => (pipe.readers === 0 ? reject(new BrokenPipe()) : resolve()))
    })
  }

  closed(): void {
    const { pipe } = this
    if (this.end === 'read') {
      pipe.readers -= 1
      if (pipe.readers === 0) {
        pipe.drop()
        pipe.wakeWriters()
      }
      return
    }
    pipe.writers -= 1
    if (pipe.writers === 0) pipe.wakeReaders()
  }
}

/** Bytes known beforehand: a here-document, the host's `stdin`. */
export class TextDescription {
  readonly kind = 'text'
  users = 0
  readonly bytes: Uint8Array
  offset = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  read(): Reading {
    if (this.offset >= this.bytes.length) return null
    const rest = this.offset === 0 ? this.bytes : this.bytes.subarray(this.offset)
    this.offset = this.bytes.length
    return rest
  }

  unread(bytes: Uint8Array): void {
    this.offset -= bytes.length
  }
}

/** Gathers what is written: a command substitution's output. */
export class SinkDescription {
  readonly kind = 'sink'
  users = 0
  chunks: Uint8Array[] = []
  size = 0
  readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  write(bytes: Uint8Array): void {
    this.size += bytes.length
    if (this.size > this.limit) throw new FileSystemError('EFBIG', 'output')
    this.chunks.push(bytes)
  }
}

/** A stream of the host's: what a line reads from and writes to. */
export class StreamDescription {
  readonly kind = 'stream'
  users = 0
  /** Which of the line's own streams it is; null for a stream between commands. */
  readonly role: 'stdin' | 'stdout' | 'stderr' | null
  readonly #source: (() => MaybePromise<Uint8Array | null>) | null
  readonly #sink: ((bytes: Uint8Array) => MaybePromise<void>) | null
  #back: Uint8Array[] = []
  #left: Promise<Reading> | null = null

  constructor(stream: {
    source?: (() => MaybePromise<Uint8Array | null>) | undefined
    sink?: ((bytes: Uint8Array) => MaybePromise<void>) | undefined
    role?: 'stdin' | 'stdout' | 'stderr'
  }) {
    this.#source = stream.source ?? null
    this.#sink = stream.sink ?? null
    this.role = stream.role ?? null
  }

  get readable(): boolean {
    return this.#source !== null
  }

  get writable(): boolean {
    return this.#sink !== null
  }

  read(): MaybePromise<Reading> {
    const back = this.#back.shift()
    if (back !== undefined) return back
    const left = this.#left
    this.#left = null
    return left ?? (this.#source === null ? null : this.#source())
  }

  /** Nobody waits for what this read will give any more: the next one gets it. */
  leave(reading: Promise<Reading>): void {
    this.#left = reading
  }

  unread(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#back.unshift(bytes)
  }

  write(bytes: Uint8Array): MaybePromise<void> {
    return this.#sink?.(bytes)
  }
}

/** What a descriptor of a restored machine points to when its other side is gone. */
export class ClosedDescription {
  readonly kind = 'closed'
  users = 0
}

/** Reads what there is; fails with EBADF where the description isn't open for reading. */
export function readFrom(description: Description): MaybePromise<Reading> {
  switch (description.kind) {
    case 'file':
      if (!description.readable) throw new FileSystemError('EBADF', description.path)
      return description.read()
    case 'pipe':
      if (description.end !== 'read') throw new FileSystemError('EBADF', 'pipe')
      return description.read()
    case 'stream':
      if (!description.readable) throw new FileSystemError('EBADF', 'stream')
      return description.read()
    case 'text':
      return description.read()
    case 'sink':
    case 'closed':
      throw new FileSystemError('EBADF', description.kind)
    default:
      return description satisfies never
  }
}

/** Gives back bytes that the last read gave and nobody used. */
export function unreadTo(description: Description, bytes: Uint8Array): void {
  if (bytes.length === 0) return
  if (description.kind === 'sink' || description.kind === 'closed') return
  description.unread(bytes)
}

/** Writes; fails with EBADF where the description isn't open for writing, with BrokenPipe where nobody reads. */
export function writeTo(description: Description, bytes: Uint8Array): MaybePromise<void> {
  switch (description.kind) {
    case 'file':
      if (!description.writable) throw new FileSystemError('EBADF', description.path)
      return description.write(bytes)
    case 'pipe':
      if (description.end !== 'write') throw new FileSystemError('EBADF', 'pipe')
      return description.write(bytes)
    case 'stream':
      if (!description.writable) throw new FileSystemError('EBADF', 'stream')
      return description.write(bytes)
    case 'sink':
      return description.write(bytes)
    case 'text':
    case 'closed':
      throw new FileSystemError('EBADF', description.kind)
    default:
      return description satisfies never
  }
}

/** Counts one more descriptor. */
export function retain<T extends Description>(description: T): T {
  description.users += 1
  return description
}

/** Counts one descriptor less; the last one closes a pipe's end, or a file. */
export function release(description: Description): void {
  description.users -= 1
  if (description.users > 0) return
  if (description.kind === 'pipe') description.closed()
  if (description.kind === 'file') description.settle()
}
