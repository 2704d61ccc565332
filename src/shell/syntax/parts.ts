import type { WordPart } from './ast.ts'

const NOTHING = 0
const UNQUOTED = 1
const QUOTED = 2

/** Collects the parts of a word; neighbouring texts of the same quotedness become one. */
export class Parts {
  readonly list: WordPart[] = []
  #text = ''
  #state = NOTHING

  /** True while nothing was added. */
  get empty(): boolean {
    return this.#state === NOTHING && this.list.length === 0
  }

  text(text: string, quoted: boolean): void {
    if (text === '' && !quoted) return
    const state = quoted ? QUOTED : UNQUOTED
    if (this.#state === state) {
      this.#text += text
      return
    }
    this.#flush()
    this.#text = text
    this.#state = state
  }

  push(part: WordPart): void {
    if (part.type === 'text') return this.text(part.text, part.quoted)
    this.#flush()
    this.list.push(part)
  }

  /** Adds all parts of another collection. */
  append(parts: readonly WordPart[]): void {
    for (const part of parts) this.push(part)
  }

  finish(): WordPart[] {
    this.#flush()
    return this.list
  }

  #flush(): void {
    if (this.#state !== NOTHING) this.list.push({ type: 'text', text: this.#text, quoted: this.#state === QUOTED })
    this.#state = NOTHING
  }
}
