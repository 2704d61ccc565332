import { type Steps, wait } from '../fs/maybe.ts'
import type { Lease } from '../store/store.ts'
import type { ContentPacks, Pack } from './content-packs.ts'

/** Takes the objects of a tree that is being stored. */
export class ContentSink {
  readonly #packs: ContentPacks
  readonly #lease: Lease

  constructor(packs: ContentPacks, lease: Lease) {
    this.#packs = packs
    this.#lease = lease
  }

  add(bytes: Uint8Array): { readonly hash: string; readonly pack: Pack } {
    return this.#packs.add(bytes)
  }

  /** Waits until there is room for more. */
  *room(): Steps<void> {
    if (this.#packs.isFull) yield* wait(this.#packs.write(this.#lease, false))
  }
}
