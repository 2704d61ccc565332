/** Milliseconds of silence after which the client is sent a sign of life: only so is it noticed that it went away. */
const ALIVE_MS = 2000
/** Bytes that wait for a client that reads slowly, before who writes is held back. */
const BUFFER_BYTES = 64 * 1024

/** The body of a response, written piece by piece. */
export class ResponseStream {
  readonly body: ReadableStream<Uint8Array>
  readonly #left = new AbortController()
  readonly #encoder = new TextEncoder()
  readonly #timer: number
  #controller: ReadableStreamDefaultController<Uint8Array> | null = null
  #held: (() => void)[] = []
  #isQuiet = true

  constructor(alive: string) {
    this.body = new ReadableStream(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#resume(),
        cancel: () => this.leave(),
      },
      { highWaterMark: BUFFER_BYTES, size: (chunk) => chunk.byteLength },
    )
    this.#timer = setInterval(() => {
      if (this.#isQuiet) this.#write(alive)
      this.#isQuiet = true
    }, ALIVE_MS)
  }

  /** Fires when the client went away. */
  get left(): AbortSignal {
    return this.#left.signal
  }

  /** A promise where the client has not read enough to be sent more; who writes waits for it. */
  send(text: string): Promise<void> | undefined {
    this.#isQuiet = false
    this.#write(text)
    if (this.#controller === null || (this.#controller.desiredSize ?? 1) > 0) return undefined
    return new Promise((resolve) => {
      this.#held.push(resolve)
    })
  }

  leave(): void {
    this.#close()
    this.#left.abort()
    this.#resume()
  }

  end(): void {
    this.#controller?.close()
    this.#close()
  }

  #write(text: string): void {
    this.#controller?.enqueue(this.#encoder.encode(text))
  }

  #resume(): void {
    const held = this.#held
    this.#held = []
    for (const go of held) go()
  }

  #close(): void {
    clearInterval(this.#timer)
    this.#controller = null
  }
}
