import { encode } from '../bytes.ts'
import { isRefusedText } from './file-name.ts'
import type { FoundObject } from './object-listings.ts'
import type { ObjectPage, Objects } from './objects.ts'
import { isWithin, normalise } from './path.ts'

/**
 * Where files and directories lie among objects, and what is asked to find them. A directory is there when keys begin with its own; those that
 * have an object of their own are known as marked.
 */
export class ObjectTree {
  readonly #objects: Objects
  readonly #prefix: string
  /** One that another instance removed comes back as soon as something is put into it. */
  readonly #marked = new Set<string>(['/'])

  /** All keys begin with `prefix`, to which a slash at its end is added. */
  constructor(objects: Objects, prefix: string) {
    this.#objects = objects
    this.#prefix = normalise(`/${prefix}/`).slice(1).replace(/(.)$/, '$1/')
  }

  key(path: string): string {
    return this.#prefix + path.slice(1)
  }

  directoryKey(path: string): string {
    return path === '/' ? this.#prefix : `${this.key(path)}/`
  }

  /** Whether there can be an object for the path: with room for the slash of a directory. */
  canBe(path: string): boolean {
    return path !== '/' && !isRefusedText(path) && encode(this.key(path)).length < this.#objects.longestKey
  }

  /** Asks for the object and for what is below it in one: where neither is, nothing is. */
  async look(path: string): Promise<FoundObject | null> {
    const key = this.key(path)
    const below = this.directoryKey(path)
    const { objects, prefixes, cursor } = await this.#objects.list({ prefix: key, delimiter: '/', limit: FEW })
    const info = objects.find((object) => object.key === key)
    if (info !== undefined) return { type: 'file', info }
    if (prefixes.includes(below)) return { type: 'directory', modifiedMs: 0 }
    if (cursor === null) return null
    // Others that begin alike come before it.
    const page = await this.#objects.list({ prefix: below, limit: 1 })
    return page.objects.length > 0 ? { type: 'directory', modifiedMs: 0 } : null
  }

  /** Asks for all names of a directory; null where nothing is below the path. */
  async list(path: string): Promise<ReadonlyMap<string, FoundObject> | null> {
    const prefix = this.directoryKey(path)
    const names = new Map<string, FoundObject>()
    let isThere = path === '/'
    for await (const { objects, prefixes } of this.#pages(prefix, '/')) {
      isThere ||= objects.length + prefixes.length > 0
      for (const key of prefixes) add(names, key.slice(prefix.length, -1), { type: 'directory', modifiedMs: 0 })
      // Where a bucket has both, the object hides what its key is the beginning of.
      for (const info of objects) add(names, info.key.slice(prefix.length), { type: 'file', info })
      if (path !== '/' && objects.some(({ key }) => key === prefix)) this.#setMarked(path)
    }
    return isThere ? names : null
  }

  /** The keys of a directory and of everything below it, page by page. */
  async *keysBelow(path: string): AsyncGenerator<readonly string[]> {
    for await (const { objects } of this.#pages(this.directoryKey(path))) yield objects.map(({ key }) => key)
  }

  async isEmpty(path: string): Promise<boolean> {
    const prefix = this.directoryKey(path)
    const { objects } = await this.#objects.list({ prefix, limit: 2 })
    return objects.every(({ key }) => key === prefix)
  }

  isMarked(path: string): boolean {
    return this.#marked.has(path)
  }

  /** Gives the directory an object of its own, so that it stays when it is empty. False where it had one. */
  async mark(path: string): Promise<boolean> {
    if (this.#marked.has(path)) return false
    const made = await this.#objects.put(this.directoryKey(path), new Uint8Array(0), { like: null, condition: 'missing' })
    this.#setMarked(path)
    return made !== null
  }

  /** Whether directories at the path and below it are marked isn't known any more. */
  forget(path: string): void {
    for (const marked of this.#marked) if (isWithin(marked, path)) this.#marked.delete(marked)
    this.#marked.add('/')
  }

  #setMarked(path: string): void {
    if (this.#marked.size >= MOST_MARKED) {
      this.#marked.clear()
      this.#marked.add('/')
    }
    this.#marked.add(path)
  }

  async *#pages(prefix: string, delimiter?: string): AsyncGenerator<ObjectPage> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: ObjectPage = await this.#objects.list({ prefix, delimiter, cursor, limit: PAGE })
      yield page
      cursor = page.cursor
    }
  }
}

/** Objects of one page of a listing: what R2 and S3 give at most. */
const PAGE = 1000
/** Objects that are asked for to find one: it and its directory come among the first that begin alike. */
const FEW = 10
const MOST_MARKED = 10_000

/** Names that no path can have, such as the empty one between two slashes of a key, aren't shown. */
function add(names: Map<string, FoundObject>, name: string, found: FoundObject): void {
  if (name !== '' && name !== '.' && name !== '..') names.set(name, found)
}
