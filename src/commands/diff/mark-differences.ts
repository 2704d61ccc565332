import type { CommandContext } from '../command.ts'
import type { Steps } from '../steps.ts'

/** What is compared of one file. */
export interface Vector {
  readonly values: Int32Array
  /** The line each value stands for. */
  readonly places: Int32Array
  /** Gets 1 for each line without a partner, at the line's place plus one. */
  readonly changed: Uint8Array
}

/** A longer diagonal than this is a sign that a way is right. */
const LONG_SNAKE = 20
/** Steps after which scattered changes are no longer looked at closely. */
const HASTY_COST = 200
/** Costs up to this are always gone to. */
const LEAST_EXPENSIVE = 4096

interface Region {
  readonly x0: number
  readonly x1: number
  readonly y0: number
  readonly y1: number
  readonly minimal: boolean
}

/**
 * Marks what the fewest insertions and deletions change, by Myers' algorithm in linear space. Where that would take too long
 * (more steps than about the square root of the size) and `minimal` isn't asked for, a good guess is taken.
 */
export function* markDifferences(
  a: Vector,
  b: Vector,
  { minimal, hasty }: { readonly minimal: boolean; readonly hasty: boolean },
  context: CommandContext,
): Steps<void> {
  const search = new MiddleSearch(a.values, b.values, hasty)
  const regions: Region[] = [{ x0: 0, x1: a.values.length, y0: 0, y1: b.values.length, minimal }]
  for (;;) {
    const region = regions.pop()
    if (region === undefined) return
    let { x0, x1, y0, y1 } = region
    while (x0 < x1 && y0 < y1 && a.values[x0] === b.values[y0]) {
      x0 += 1
      y0 += 1
    }
    while (x0 < x1 && y0 < y1 && a.values[x1 - 1] === b.values[y1 - 1]) {
      x1 -= 1
      y1 -= 1
    }
    if (x0 === x1) for (; y0 < y1; y0++) b.changed[(b.places[y0] as number) + 1] = 1
    else if (y0 === y1) for (; x0 < x1; x0++) a.changed[(a.places[x0] as number) + 1] = 1
    else {
      search.begin(x0, x1, y0, y1, region.minimal)
      while (!search.step()) {
        const paused = context.pause()
        if (paused !== undefined) yield paused
      }
      const { x, y, lowMinimal, highMinimal } = search
      regions.push({ x0: x, x1, y0: y, y1, minimal: highMinimal }, { x0, x1: x, y0, y1: y, minimal: lowMinimal })
    }
  }
}

/** Looks for a point on a shortest way through a region, from both corners at once. */
class MiddleSearch {
  /** The point found, and whether each side of it still has to be divided in the best way. */
  x = 0
  y = 0
  lowMinimal = false
  highMinimal = false
  readonly #a: Int32Array
  readonly #b: Int32Array
  readonly #hasty: boolean
  readonly #expensive: number
  /** How far the way on each diagonal has come, by the diagonal's number plus `#zero`. */
  readonly #forward: Int32Array
  readonly #backward: Int32Array
  readonly #zero: number
  #x0 = 0
  #x1 = 0
  #y0 = 0
  #y1 = 0
  #minimal = false
  #cost = 0
  #forwardLow = 0
  #forwardHigh = 0
  #backwardLow = 0
  #backwardHigh = 0
  #longSnake = false

  constructor(a: Int32Array, b: Int32Array, hasty: boolean) {
    this.#a = a
    this.#b = b
    this.#hasty = hasty
    const diagonals = a.length + b.length + 3
    let root = 1
    for (let rest = diagonals; rest > 0; rest = Math.floor(rest / 4)) root *= 2
    this.#expensive = Math.max(LEAST_EXPENSIVE, root)
    this.#forward = new Int32Array(diagonals)
    this.#backward = new Int32Array(diagonals)
    this.#zero = b.length + 1
  }

  begin(x0: number, x1: number, y0: number, y1: number, minimal: boolean): void {
    this.#x0 = x0
    this.#x1 = x1
    this.#y0 = y0
    this.#y1 = y1
    this.#minimal = minimal
    this.#cost = 0
    this.#forwardLow = x0 - y0
    this.#forwardHigh = x0 - y0
    this.#backwardLow = x1 - y1
    this.#backwardHigh = x1 - y1
    this.#forward[this.#zero + x0 - y0] = x0
    this.#backward[this.#zero + x1 - y1] = x1
  }

  /** One more insertion or deletion from each corner; true once a point is found. */
  step(): boolean {
    this.#cost += 1
    this.#longSnake = false
    if (this.#stepForward() || this.#stepBackward()) {
      this.lowMinimal = true
      this.highMinimal = true
      return true
    }
    if (this.#minimal) return false
    if (this.#hasty && this.#cost > HASTY_COST && this.#longSnake && (this.#goodForward() || this.#goodBackward())) return true
    if (this.#cost < this.#expensive) return false
    this.#giveUp()
    return true
  }

  #stepForward(): boolean {
    const a = this.#a
    const b = this.#b
    const x1 = this.#x1
    const y1 = this.#y1
    const forward = this.#forward
    const backward = this.#backward
    const zero = this.#zero
    const backwardLow = this.#backwardLow
    const backwardHigh = this.#backwardHigh
    const odd = ((this.#x0 - this.#y0 - x1 + y1) & 1) !== 0
    if (this.#forwardLow > this.#x0 - y1) forward[zero + --this.#forwardLow - 1] = -1
    else this.#forwardLow += 1
    if (this.#forwardHigh < x1 - this.#y0) forward[zero + ++this.#forwardHigh + 1] = -1
    else this.#forwardHigh -= 1
    for (let d = this.#forwardHigh; d >= this.#forwardLow; d -= 2) {
      const low = forward[zero + d - 1] as number
      const high = forward[zero + d + 1] as number
      const from = low < high ? high : low + 1
      let x = from
      let y = from - d
      while (x < x1 && y < y1 && a[x] === b[y]) {
        x += 1
        y += 1
      }
      if (x - from > LONG_SNAKE) this.#longSnake = true
      forward[zero + d] = x
      if (odd && backwardLow <= d && d <= backwardHigh && (backward[zero + d] as number) <= x) {
        this.x = x
        this.y = y
        return true
      }
    }
    return false
  }

  #stepBackward(): boolean {
    const a = this.#a
    const b = this.#b
    const x0 = this.#x0
    const y0 = this.#y0
    const forward = this.#forward
    const backward = this.#backward
    const zero = this.#zero
    const forwardLow = this.#forwardLow
    const forwardHigh = this.#forwardHigh
    const even = ((x0 - y0 - this.#x1 + this.#y1) & 1) === 0
    if (this.#backwardLow > x0 - this.#y1) backward[zero + --this.#backwardLow - 1] = FAR
    else this.#backwardLow += 1
    if (this.#backwardHigh < this.#x1 - y0) backward[zero + ++this.#backwardHigh + 1] = FAR
    else this.#backwardHigh -= 1
    for (let d = this.#backwardHigh; d >= this.#backwardLow; d -= 2) {
      const low = backward[zero + d - 1] as number
      const high = backward[zero + d + 1] as number
      const from = low < high ? low : high - 1
      let x = from
      let y = from - d
      while (x > x0 && y > y0 && a[x - 1] === b[y - 1]) {
        x -= 1
        y -= 1
      }
      if (from - x > LONG_SNAKE) this.#longSnake = true
      backward[zero + d] = x
      if (even && forwardLow <= d && d <= forwardHigh && x <= (forward[zero + d] as number)) {
        this.x = x
        this.y = y
        return true
      }
    }
    return false
  }

  /** Takes the way from the first corner that has come far for its cost and ends in a long snake. */
  #goodForward(): boolean {
    let best = 0
    for (let d = this.#forwardHigh; d >= this.#forwardLow; d -= 2) {
      const off = d - (this.#x0 - this.#y0)
      const x = this.#forward[this.#zero + d] as number
      const y = x - d
      const progress = (x - this.#x0) * 2 - off
      if (progress <= 12 * (this.#cost + Math.abs(off)) || progress <= best) continue
      if (x < this.#x0 + LONG_SNAKE || x >= this.#x1 || y < this.#y0 + LONG_SNAKE || y >= this.#y1) continue
      let length = 0
      while (length < LONG_SNAKE && this.#a[x - length - 1] === this.#b[y - length - 1]) length += 1
      if (length < LONG_SNAKE) continue
      best = progress
      this.#found(x, y, true)
    }
    return best > 0
  }

  #goodBackward(): boolean {
    let best = 0
    for (let d = this.#backwardHigh; d >= this.#backwardLow; d -= 2) {
      const off = d - (this.#x1 - this.#y1)
      const x = this.#backward[this.#zero + d] as number
      const y = x - d
      const progress = (this.#x1 - x) * 2 + off
      if (progress <= 12 * (this.#cost + Math.abs(off)) || progress <= best) continue
      if (x <= this.#x0 || x > this.#x1 - LONG_SNAKE || y <= this.#y0 || y > this.#y1 - LONG_SNAKE) continue
      let length = 0
      while (length < LONG_SNAKE && this.#a[x + length] === this.#b[y + length]) length += 1
      if (length < LONG_SNAKE) continue
      best = progress
      this.#found(x, y, false)
    }
    return best > 0
  }

  /** Takes the way that has come furthest. */
  #giveUp(): void {
    let forwardSum = -1
    let forwardX = 0
    for (let d = this.#forwardHigh; d >= this.#forwardLow; d -= 2) {
      let x = Math.min(this.#forward[this.#zero + d] as number, this.#x1)
      let y = x - d
      if (y > this.#y1) {
        x = this.#y1 + d
        y = this.#y1
      }
      if (forwardSum >= x + y) continue
      forwardSum = x + y
      forwardX = x
    }
    let backwardSum = Number.POSITIVE_INFINITY
    let backwardX = 0
    for (let d = this.#backwardHigh; d >= this.#backwardLow; d -= 2) {
      let x = Math.max(this.#x0, this.#backward[this.#zero + d] as number)
      let y = x - d
      if (y < this.#y0) {
        x = this.#y0 + d
        y = this.#y0
      }
      if (x + y >= backwardSum) continue
      backwardSum = x + y
      backwardX = x
    }
    if (this.#x1 + this.#y1 - backwardSum < forwardSum - (this.#x0 + this.#y0)) this.#found(forwardX, forwardSum - forwardX, true)
    else this.#found(backwardX, backwardSum - backwardX, false)
  }

  #found(x: number, y: number, forward: boolean): void {
    this.x = x
    this.y = y
    this.lowMinimal = forward
    this.highMinimal = !forward
  }
}

/** Further than any way can come. */
const FAR = 0x7fff_ffff
