import type { ObjectCondition, ObjectInfo, Objects, ObjectUpload } from './objects.ts'

/**
 * A file that is written in pieces, before it is where it lasts. `replace`: it will hold what was written, and goes out in parts while it grows.
 * `append`: what was written comes after what the object holds.
 */
export class ObjectWriting {
  readonly #objects: Objects
  readonly #key: string
  mode: 'replace' | 'append'
  /** The object as it was when writing began; null where there was none. */
  base: ObjectInfo | null
  /** There is something to bring to the store. */
  isDirty: boolean
  #buffer = new Uint8Array(0)
  #held = 0
  #sent = 0
  #upload: ObjectUpload | null = null
  #parts: Promise<void>[] = []

  constructor(objects: Objects, key: string, mode: 'replace' | 'append', base: ObjectInfo | null, isDirty: boolean) {
    this.#objects = objects
    this.#key = key
    this.mode = mode
    this.base = base
    this.isDirty = isDirty
  }

  /** Bytes of the file as it will be. */
  get size(): number {
    return (this.mode === 'append' ? (this.base?.size ?? 0) : this.#sent) + this.#held
  }

  /** Bytes that are held in memory. */
  get held(): number {
    return this.#held
  }

  /** What is held: all that was written, unless parts were sent. */
  get content(): Uint8Array {
    return this.#buffer.subarray(0, this.#held)
  }

  /** True where `content` is all the file will hold. */
  get isWhole(): boolean {
    return this.mode === 'replace' && this.#upload === null
  }

  /** Adds to the end. A full part is sent; it is waited for once three are on their way. */
  async add(bytes: Uint8Array): Promise<void> {
    this.isDirty = true
    const { partBytes } = this.#objects
    if (this.mode === 'append' || this.#objects.upload === undefined) return this.#hold(bytes)
    for (let at = 0; at < bytes.length; ) {
      // A part goes only when more comes: the last one may be short.
      if (this.#held >= partBytes) await this.#sendWhole()
      const piece = bytes.subarray(at, at + partBytes - this.#held)
      this.#hold(piece)
      at += piece.length
    }
  }

  /** Overwrites what is held, and goes on past its end; false where it was sent already, or belongs to the object. */
  overwrite(offset: number, bytes: Uint8Array): boolean {
    const at = offset - (this.size - this.#held)
    if (at < 0) return false
    if (this.mode === 'replace' && at + bytes.length > Math.max(this.#held, this.#objects.partBytes)) return false
    if (at + bytes.length > this.#held) this.resize(offset + bytes.length)
    this.#buffer.set(bytes, at)
    this.isDirty = true
    return true
  }

  /** Cuts, or fills with zeros; false as `overwrite`. */
  resize(size: number): boolean {
    const held = size - (this.size - this.#held)
    if (held < 0) return false
    const before = this.#held
    this.#reserve(held)
    this.#held = held
    if (held > before) this.#buffer.fill(0, before, held)
    this.isDirty = true
    return true
  }

  /** Begins anew: the file will hold nothing but what is written from now on. */
  async restart(): Promise<void> {
    await this.abort()
    this.mode = 'replace'
    this.isDirty = true
  }

  /** Brings a file of mode `replace` to the store; null where the condition doesn't hold. What fails leaves the object as it was. */
  async finish(condition: ObjectCondition | null): Promise<ObjectInfo | null> {
    const upload = this.#upload
    if (upload === null) return this.#objects.put(this.#key, this.content, { like: this.base, condition })
    try {
      await this.#send()
      await Promise.all(this.#parts)
      this.#parts = []
      const info = await upload.complete(condition)
      this.#upload = null
      return info
    } catch (error) {
      await this.abort()
      throw error
    }
  }

  /** It is in the store as `info` says; what is written from now on comes after that. */
  settled(info: ObjectInfo): void {
    this.mode = 'append'
    this.base = info
    this.isDirty = false
    this.#buffer = new Uint8Array(0)
    this.#held = 0
    this.#sent = 0
    this.#upload = null
  }

  /** Throws away what was written. */
  async abort(): Promise<void> {
    const upload = this.#upload
    const parts = this.#parts
    this.#upload = null
    this.#parts = []
    this.#buffer = new Uint8Array(0)
    this.#held = 0
    this.#sent = 0
    if (upload === null) return
    // Parts on their way would be there after the rest is gone.
    await Promise.allSettled(parts)
    await upload.abort()
  }

  /** Sends whole parts, and holds the rest. */
  async #sendWhole(): Promise<void> {
    const { partBytes } = this.#objects
    const rest = this.#buffer.slice(this.#held - (this.#held % partBytes), this.#held)
    this.#held -= rest.length
    await this.#send()
    this.#hold(rest)
  }

  /** Sends what is held, in parts of the same size but the last. */
  async #send(): Promise<void> {
    this.#upload ??= (await this.#objects.upload?.(this.#key, this.base)) ?? null
    const { partBytes } = this.#objects
    const bytes = this.content
    this.#buffer = new Uint8Array(0)
    this.#held = 0
    for (let at = 0; at < bytes.length; at += partBytes) {
      const part = this.#upload?.part(bytes.subarray(at, at + partBytes))
      // Who waits for it hears of it.
      part?.catch(() => undefined)
      if (part !== undefined) this.#parts.push(part)
      this.#sent += Math.min(partBytes, bytes.length - at)
      if (this.#parts.length >= MOST_PARTS) await this.#parts.shift()
    }
  }

  #hold(bytes: Uint8Array): void {
    this.#reserve(this.#held + bytes.length)
    this.#buffer.set(bytes, this.#held)
    this.#held += bytes.length
  }

  #reserve(size: number): void {
    if (size <= this.#buffer.length) return
    const grown = new Uint8Array(Math.max(size, Math.min(this.#buffer.length * 2, this.#buffer.length + this.#objects.partBytes)))
    grown.set(this.content)
    this.#buffer = grown
  }
}

/** Parts on their way at the same time. */
const MOST_PARTS = 3
