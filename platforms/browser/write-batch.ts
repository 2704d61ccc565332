import { chain, drive, rescue, type Steps } from '../../src/fs/maybe.ts'
import type { RecordWriter } from '../../src/fs/records.ts'
import type { Host, MaybePromise } from '../../src/host.ts'
import { isNamed } from './handle-error.ts'
import { abortTransaction } from './indexed-database.ts'
import { isActive } from './is-active.ts'
import type { RecordTransaction } from './record-transaction.ts'

/** A batch takes no more operations once it has this many changes, bytes of content, or milliseconds. */
const CHANGES = 20_000
const BYTES = 8 * 1024 * 1024
const AGE = 200

/** Operations that share a transaction: those that come while the one before is on its way to the database. One runs at a time. */
export class WriteBatch {
  readonly #names: IDBObjectStore
  readonly #records: RecordTransaction
  readonly #host: Host
  readonly #born: number
  #willStore = false
  #lingers = false
  #isEnded = false
  /** The operation that waits for the transaction to be active. */
  #next: ((isOpen: boolean) => void) | null = null
  /** Settles with the transaction. */
  readonly done: Promise<void>

  /** The transaction is active now. */
  constructor(names: IDBObjectStore, records: RecordTransaction, host: Host, done: Promise<void>) {
    this.#names = names
    this.#records = records
    this.#host = host
    this.#born = host.elapsed()
    this.done = done
    const end = (): void => {
      this.#isEnded = true
      this.#answer(false)
    }
    done.then(end, end)
  }

  /** True where an operation can run in it now. */
  get isOpen(): boolean {
    return !this.#isFull && this.isActive
  }

  get isActive(): boolean {
    return isActive(this.#names)
  }

  /** Waits for the next moment in which an operation can run in it; false where there is none. */
  enter(): MaybePromise<boolean> {
    if (this.#isEnded || this.isOpen) return !this.#isEnded
    return new Promise((resolve) => {
      this.#next = resolve
    })
  }

  /** Runs an operation. One that fails after its first change takes the whole batch with it. */
  run<T>(run: (records: RecordWriter) => Steps<T>): MaybePromise<T> {
    const before = this.#records.changesMade
    return rescue(
      () =>
        chain(drive(run(this.#records)), (value) => {
          this.#storeLater()
          return value
        }),
      (error) => {
        if (this.#records.changesMade > before) abortTransaction(this.#names.transaction)
        else this.#storeLater()
        throw error
      },
    )
  }

  get #isFull(): boolean {
    return this.#records.changesMade > CHANGES || this.#records.bytesMade > BYTES || this.#host.elapsed() - this.#born > AGE
  }

  /** At the end of what runs now, and so still in its task: what changes often is written once. */
  #storeLater(): void {
    if (this.#willStore) return
    this.#willStore = true
    queueMicrotask(() => {
      this.#willStore = false
      if (!isActive(this.#names)) return
      try {
        this.#records.store()
        this.#linger()
      } catch (error) {
        // Firefox takes a transaction that the disk was too small for as active still; `done` says why it failed.
        if (!isNamed(error, 'InvalidStateError')) throw error
      }
    })
  }

  /** Asks the database for something, so that the transaction is active once more before it ends. */
  #linger(): void {
    if (this.#lingers || this.#isFull) return
    this.#lingers = true
    this.#names.getKey(0).onsuccess = () => {
      this.#lingers = false
      this.#answer(!this.#isFull)
    }
  }

  #answer(isOpen: boolean): void {
    if (!isOpen && !this.#isEnded) return
    this.#next?.(isOpen)
    this.#next = null
  }
}
