/** What `y` does: characters for characters. */
export class Transliteration {
  readonly #map: ReadonlyMap<string, string>
  /** Each UTF-16 unit below 256 by what takes its place; null where that is more than a unit. */
  readonly #units: Uint16Array | null

  constructor(map: ReadonlyMap<string, string>) {
    this.#map = map
    this.#units = [...map].every(([from, to]) => from.length === 1 && to.length === 1 && from < '\u0100') ? unitsOf(map) : null
  }

  /** Newlines stay, and nothing becomes one. */
  get keepsLines(): boolean {
    return [...this.#map].every(([from, to]) => (from === '\n') === (to === '\n'))
  }

  apply(text: string): string {
    return this.#units === null ? this.#applyMap(text) : applyUnits(text, this.#units)
  }

  #applyMap(text: string): string {
    let result = ''
    let done = 0
    for (let at = 0; at < text.length; ) {
      const width = (text.codePointAt(at) as number) > 0xffff ? 2 : 1
      const to = this.#map.get(text.slice(at, at + width))
      if (to !== undefined) {
        result += text.slice(done, at) + to
        done = at + width
      }
      at += width
    }
    return done === 0 ? text : result + text.slice(done)
  }
}

function unitsOf(map: ReadonlyMap<string, string>): Uint16Array {
  const units = Uint16Array.from({ length: 256 }, (_, unit) => unit)
  for (const [from, to] of map) units[from.charCodeAt(0)] = to.charCodeAt(0)
  return units
}

/** As many units as a call takes arguments without harm. */
const PIECE = 4096
const piece = new Uint16Array(PIECE)

function applyUnits(text: string, units: Uint16Array): string {
  let result = ''
  for (let start = 0; start < text.length; start += PIECE) {
    const length = Math.min(PIECE, text.length - start)
    for (let at = 0; at < length; at++) {
      const unit = text.charCodeAt(start + at)
      piece[at] = unit < 256 ? (units[unit] as number) : unit
    }
    result += String.fromCharCode.apply(null, (length === PIECE ? piece : piece.subarray(0, length)) as unknown as number[])
  }
  return result
}
