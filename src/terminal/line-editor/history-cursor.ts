/** Goes through earlier lines, keeping what was changed in them until the next line begins. */
export class HistoryCursor {
  #lines: string[]
  #at: number
  #edited = new Map<number, string>()

  constructor(lines: readonly string[]) {
    this.#lines = [...lines]
    this.#at = lines.length
  }

  get length(): number {
    return this.#lines.length
  }

  line(index: number): string | undefined {
    return this.#lines[index]
  }

  /** The line so many lines back, 1 being the newest. */
  back(count: number): string | undefined {
    return this.#lines[this.#lines.length - count]
  }

  /** The lines are others now; they are gone through from the newest. */
  replace(lines: readonly string[]): void {
    this.#lines = [...lines]
    this.rewind()
  }

  add(line: string): void {
    if (this.#lines.at(-1) !== line) this.#lines.push(line)
    this.rewind()
  }

  /** Goes behind the newest line. */
  rewind(): void {
    this.#at = this.#lines.length
    this.#edited = new Map()
  }

  /** The next older line, null where there is none. `current` is what stands in place of the present one. */
  older(current: string): string | null {
    return this.#go(this.#at - 1, current)
  }

  newer(current: string): string | null {
    return this.#go(this.#at + 1, current)
  }

  first(current: string): string | null {
    return this.#go(0, current)
  }

  last(current: string): string | null {
    return this.#go(this.#lines.length, current)
  }

  #go(to: number, current: string): string | null {
    if (to < 0 || to > this.#lines.length || to === this.#at) return null
    this.#edited.set(this.#at, current)
    this.#at = to
    return this.#edited.get(to) ?? this.#lines[to] ?? ''
  }
}

/** The newest line at or before `from` that holds the query, and where; null where none does. */
export function searchBack(history: HistoryCursor, query: string, from: number): { index: number; line: string; at: number } | null {
  for (let index = Math.min(from, history.length - 1); index >= 0; index--) {
    const line = history.line(index) ?? ''
    const at = line.lastIndexOf(query)
    if (at !== -1) return { index, line, at }
  }
  return null
}
