/** More choices than these need bigger numbers on the way than are exact. */
const MOST = 2 ** 44

/**
 * Numbers by chance, each as likely as any other, made of random bytes. It takes bytes as GNU tools do, so that the same bytes
 * (`--random-source`) give the same numbers: what chance a number leaves over goes into the next one.
 */
export class RandomNumbers {
  readonly #more: () => Uint8Array
  #bytes: Uint8Array = new Uint8Array(0)
  #at = 0
  /** A number that is as likely to be any from 0 to `#highest`. */
  #number = 0
  #highest = 0

  /** `more` gives further random bytes whenever those before are used up. */
  constructor(more: () => Uint8Array) {
    this.#more = more
  }

  /** A number from 0 on and less than `choices`, which is at least 1. */
  below(choices: number): number {
    // Put together of two where one would not be exact; which bytes go where doesn't matter then.
    if (choices > MOST) return this.#large(choices)
    const wanted = choices - 1
    for (;;) {
      while (this.#highest < wanted) {
        this.#number = this.#number * 256 + this.#byte()
        this.#highest = this.#highest * 256 + 255
      }
      const number = this.#number % choices
      // The highest numbers, too few to be shared out evenly, are no use.
      const excess = this.#highest - wanted
      const unusable = excess % choices
      if (this.#number <= this.#highest - unusable) {
        this.#number = (this.#number - number) / choices
        this.#highest = (excess - unusable) / choices
        return number
      }
      this.#number = number
      this.#highest = unusable - 1
    }
  }

  #large(choices: number): number {
    const high = Math.ceil(choices / 2 ** 32)
    for (;;) {
      const number = this.below(high) * 2 ** 32 + this.below(2 ** 32)
      if (number < choices) return number
    }
  }

  #byte(): number {
    while (this.#at >= this.#bytes.length) {
      this.#bytes = this.#more()
      this.#at = 0
    }
    return this.#bytes[this.#at++] as number
  }
}
