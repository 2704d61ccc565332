/**
 * Numbers by chance, each as likely as any other, made of random bytes. It takes bytes as GNU tools do, so that the same bytes
 * (`--random-source`) give the same numbers: what chance a number leaves over goes into the next one.
 */
export class RandomNumbers {
  readonly #more: () => Uint8Array
  #bytes: Uint8Array = new Uint8Array(0)
  #at = 0
  /** A number that is as likely to be any from 0 to `#highest`. */
  #number = 0n
  #highest = 0n

  /** `more` gives further random bytes whenever those before are used up. */
  constructor(more: () => Uint8Array) {
    this.#more = more
  }

  /** A number from 0 on and less than `count`, which is at least 1. */
  below(count: number): number {
    const choices = BigInt(count)
    const wanted = choices - 1n
    for (;;) {
      while (this.#highest < wanted) {
        this.#number = this.#number * 256n + BigInt(this.#byte())
        this.#highest = this.#highest * 256n + 255n
      }
      if (this.#highest === wanted) {
        const number = this.#number
        this.#number = 0n
        this.#highest = 0n
        return Number(number)
      }
      // The highest numbers, too few to be shared out evenly, are no use.
      const excess = this.#highest - wanted
      const unusable = excess % choices
      const number = this.#number % choices
      if (this.#number <= this.#highest - unusable) {
        this.#number /= choices
        this.#highest = excess / choices
        return Number(number)
      }
      this.#number = number
      this.#highest = unusable - 1n
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
