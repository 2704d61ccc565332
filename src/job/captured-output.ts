import { concat } from '../bytes.ts'

/** Bytes of a stream that are kept. */
const MOST = 1024 * 1024

/** Keeps the beginning of what a Job writes. */
export class CapturedOutput {
  readonly #chunks: { stdout: Uint8Array[]; stderr: Uint8Array[] } = { stdout: [], stderr: [] }
  readonly #sizes: { stdout: number; stderr: number } = { stdout: 0, stderr: 0 }

  add(bytes: Uint8Array, stream: 'stdout' | 'stderr'): void {
    const room = MOST - Math.min(MOST, this.#sizes[stream])
    this.#sizes[stream] += bytes.length
    if (room > 0 && bytes.length > 0) this.#chunks[stream].push(bytes.slice(0, room))
  }

  bytes(stream: 'stdout' | 'stderr'): Uint8Array {
    const bytes = concat(this.#chunks[stream])
    this.#chunks[stream] = [bytes]
    return bytes
  }

  /** Bytes that were written, kept or not. */
  size(stream: 'stdout' | 'stderr'): number {
    return this.#sizes[stream]
  }

  /** What an earlier attempt wrote: `size` bytes, of which these were kept. */
  bringBack(kept: Uint8Array, size: number, stream: 'stdout' | 'stderr'): void {
    this.add(kept, stream)
    this.#sizes[stream] = size
  }

  /** More was written than is kept. */
  isTruncated(stream: 'stdout' | 'stderr'): boolean {
    return this.#sizes[stream] > MOST
  }
}
