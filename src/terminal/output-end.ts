/** No control sequence that matters here is longer, several in a row included. */
const KEPT = 256
/** A newline, or the first column by position; behind it nothing but control sequences. */
const AT_ROW_START = /(?:^|\n|\x1b\[(?:\d*(?:;1?)?)?[Hf])(?:\x1b\[[0-9;:?]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\))*$/

/** The end of what was written: whether a prompt can follow, or needs a new row. */
export class OutputEnd {
  #tail = ''

  add(bytes: Uint8Array): void {
    const added = String.fromCharCode(...bytes.subarray(-KEPT))
    this.#tail = (this.#tail + added).slice(-KEPT)
  }

  get isAtRowStart(): boolean {
    return AT_ROW_START.test(this.#tail)
  }
}
