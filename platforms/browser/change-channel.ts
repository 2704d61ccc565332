import { Watchers } from '../../src/store/watchers.ts'

/**
 * Tells every instance that uses the same store, in whichever page or worker of the origin, which keys changed. Where the runtime has no
 * BroadcastChannel it tells nobody.
 */
export class ChangeChannel {
  static readonly isAvailable: boolean = typeof BroadcastChannel !== 'undefined'
  readonly #name: string
  readonly #watchers = new Watchers<string>()
  #channel: BroadcastChannel | null = null
  #closed = false

  constructor(name: string) {
    this.#name = name
  }

  /** To be called once the change is durable. */
  tell(key: string): void {
    if (!ChangeChannel.isAvailable || this.#closed) return
    this.#watchers.tell(key)
    this.#open().postMessage(key)
  }

  /** Hears of own changes and of those of others; the function that is given back ends it. */
  watch(changed: (key: string) => void): () => void {
    if (!ChangeChannel.isAvailable || this.#closed) return () => undefined
    this.#open()
    return this.#watchers.add(changed)
  }

  close(): void {
    this.#closed = true
    this.#channel?.close()
    this.#channel = null
  }

  #open(): BroadcastChannel {
    if (this.#channel !== null) return this.#channel
    const channel = new BroadcastChannel(this.#name)
    channel.onmessage = ({ data }) => {
      // Whatever else of the origin may say on it.
      if (typeof data === 'string') this.#watchers.tell(data)
    }
    this.#channel = channel
    return channel
  }
}
