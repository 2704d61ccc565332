import { concat, encode } from '../bytes.ts'
import type { Artifact } from './documents.ts'
import type { ReplayPlace } from './place.ts'
import type { NativeFile } from './trajectory.ts'

/** What a run writes, and what it says of it. */
export class ReplayOutput {
  /** What the result names, in the order in which it came. */
  readonly artifacts: Artifact[] = []
  readonly #place: ReplayPlace
  readonly #nativeFormat: string

  constructor(place: ReplayPlace, nativeFormat: string) {
    this.#place = place
    this.#nativeFormat = nativeFormat
  }

  /** Names a document that is written at the end. */
  announce(role: string, format: string, key: string): void {
    this.artifacts.push({ role, format, path: `${this.#place.outputLocation}/${key}` })
  }

  /** Writes a document and names it. */
  async add(role: string, format: string, key: string, document: unknown): Promise<void> {
    await this.put(key, document)
    this.announce(role, format, key)
  }

  /** Writes a file in the agent's own format and names it. */
  async addNative(role: string, name: string, file: NativeFile): Promise<void> {
    const key = `native/${name}`
    await this.#place.output.put(key, concat(file))
    this.announce(role, this.#nativeFormat, key)
  }

  /** Writes a document. */
  async put(key: string, document: unknown): Promise<void> {
    await this.#place.output.put(key, encode(`${JSON.stringify(document, null, 2)}\n`))
  }

  /** Writes bytes. */
  async putBytes(key: string, bytes: Uint8Array): Promise<void> {
    await this.#place.output.put(key, bytes)
  }
}
