import type { DiskCalls } from './disk-calls.ts'

interface Running {
  readonly now: Promise<void>
  /** The sync after the running one, for whoever came while it ran. */
  next: Promise<void> | null
}

/** Makes names in folders durable. Who asks while a folder is being synced shares the next sync with all others who do. */
export class FolderSync {
  readonly #calls: DiskCalls
  readonly #running = new Map<string, Running>()

  constructor(calls: DiskCalls) {
    this.#calls = calls
  }

  sync(folder: string): Promise<void> {
    const running = this.#running.get(folder)
    if (running === undefined) return this.#start(folder)
    running.next ??= running.now.then(
      () => this.#start(folder),
      () => this.#start(folder),
    )
    return running.next
  }

  #start(folder: string): Promise<void> {
    const now = this.#sync(folder)
    const running: Running = { now, next: null }
    this.#running.set(folder, running)
    const done = (): void => {
      if (this.#running.get(folder) === running && running.next === null) this.#running.delete(folder)
    }
    now.then(done, done)
    return now
  }

  async #sync(folder: string): Promise<void> {
    // Windows knows no such thing.
    if (process.platform === 'win32') return
    const descriptor = this.#calls.open(folder, 'folder')
    try {
      await this.#calls.sync(descriptor)
    } finally {
      this.#calls.close(descriptor)
    }
  }
}
