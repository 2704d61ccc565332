/** One of the process's own streams: a full one holds the writer back, a broken one says so once. */
export class Outlet {
  readonly #stream: NodeJS.WriteStream
  #broken = false

  constructor(stream: NodeJS.WriteStream, onBroken: () => void) {
    this.#stream = stream
    stream.on('error', () => {
      this.#broken = true
      onBroken()
    })
  }

  write(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#broken || this.#stream.write(bytes)) return undefined
    return new Promise((resolve) => {
      const go = (): void => {
        this.#stream.off('drain', go)
        this.#stream.off('error', go)
        resolve()
      }
      this.#stream.on('drain', go)
      this.#stream.on('error', go)
    })
  }
}
