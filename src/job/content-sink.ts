import { type Steps, wait } from '../fs/maybe.ts'
import type { Host } from '../host.ts'
import type { Lease } from '../store/store.ts'
import type { ContentPacks, Pack } from './content-packs.ts'

/** Takes the objects of a tree that is being stored. */
export class ContentSink {
  readonly #packs: ContentPacks
  readonly #lease: Lease
  readonly #host: Pick<Host, 'breathe'>
  #added = 0
  #sinceRoom = 0

  constructor(packs: ContentPacks, lease: Lease, host: Pick<Host, 'breathe'>) {
    this.#packs = packs
    this.#lease = lease
    this.#host = host
  }

  /** To be called before a tree of so many bytes is added. */
  *begin(bytes: number): Steps<void> {
    if (bytes >= MUCH) yield* wait(this.#packs.learn())
  }

  add(bytes: Uint8Array): { readonly hash: string; readonly pack: Pack } {
    this.#added += bytes.length
    this.#sinceRoom += bytes.length
    return this.#packs.add(bytes)
  }

  /** Bytes that were added. */
  get added(): number {
    return this.#added
  }

  /** Waits until there is room for more, and now and then lets others have their turn. */
  *room(): Steps<void> {
    if (this.#sinceRoom < MUCH) return
    this.#sinceRoom = 0
    if (this.#packs.isFull) yield* wait(this.#packs.write(this.#lease, false))
    else yield* wait(this.#host.breathe())
  }
}

/** Bytes that take some 10 ms. */
const MUCH = 1024 * 1024
