/** Attribute bits of a variable. */
export const Attribute = {
  exported: 1,
  readonly: 2,
  integer: 4,
  lower: 8,
  upper: 16,
  nameref: 32,
  trace: 64,
  array: 128,
  assoc: 256,
  /** Its value is made when it is read, or reading matters elsewhere (RANDOM, SECONDS, IFS …). */
  special: 512,
  capitalize: 1024,
} as const

/** What makes an assignment more than storing a text. */
export const GUARDED: number =
  Attribute.readonly |
  Attribute.integer |
  Attribute.lower |
  Attribute.upper |
  Attribute.capitalize |
  Attribute.nameref |
  Attribute.array |
  Attribute.assoc |
  Attribute.special

/** A scalar: a text, or a safe integer whose text is made when it is asked for. */
export type Scalar = string | number

/** One shell variable. `owner` tells whose environment may change it in place; anyone else copies it first. */
export interface Variable {
  value: Scalar | IndexedArray | Map<string, string> | undefined
  attributes: number
  owner: object
}

/** Elements by index: a dense vector while there are no gaps worth speaking of, a map after that. */
export class IndexedArray {
  #dense: (string | undefined)[] = []
  #sparse: Map<number, string> | null = null
  #sorted: number[] | null = null
  #count = 0

  static of(values: readonly string[]): IndexedArray {
    const array = new IndexedArray()
    array.#dense = values.slice()
    array.#count = values.length
    return array
  }

  get count(): number {
    return this.#count
  }

  /** One more than the highest index. */
  get end(): number {
    if (this.#sparse === null) return this.#dense.length
    return ((this.#order().at(-1) as number | undefined) ?? -1) + 1
  }

  get(index: number): string | undefined {
    return this.#sparse === null ? this.#dense[index] : this.#sparse.get(index)
  }

  set(index: number, text: string): void {
    if (this.#sparse === null) {
      const dense = this.#dense
      if (index < dense.length) {
        if (dense[index] === undefined) this.#count += 1
        dense[index] = text
        return
      }
      if (index <= dense.length + 64) {
        while (dense.length < index) dense.push(undefined)
        dense.push(text)
        this.#count += 1
        return
      }
      this.#sparse = new Map()
      for (const [at, value] of dense.entries()) if (value !== undefined) this.#sparse.set(at, value)
      this.#dense = []
    }
    if (!this.#sparse.has(index)) {
      this.#count += 1
      this.#sorted = null
    }
    this.#sparse.set(index, text)
  }

  delete(index: number): void {
    if (this.#sparse !== null) {
      if (this.#sparse.delete(index)) {
        this.#count -= 1
        this.#sorted = null
      }
      return
    }
    if (this.#dense[index] === undefined) return
    this.#count -= 1
    this.#dense[index] = undefined
    while (this.#dense.length > 0 && this.#dense.at(-1) === undefined) this.#dense.pop()
  }

  /** Indices in order. */
  keys(): number[] {
    if (this.#sparse !== null) return this.#order().slice()
    const keys: number[] = []
    for (let i = 0; i < this.#dense.length; i++) if (this.#dense[i] !== undefined) keys.push(i)
    return keys
  }

  /** Values in the order of their indices. */
  values(): string[] {
    const sparse = this.#sparse
    if (sparse !== null) return this.#order().map((index) => sparse.get(index) as string)
    return this.#count === this.#dense.length
      ? (this.#dense.slice() as string[])
      : this.#dense.filter((value): value is string => value !== undefined)
  }

  copy(): IndexedArray {
    const array = new IndexedArray()
    array.#dense = this.#dense.slice()
    array.#sparse = this.#sparse === null ? null : new Map(this.#sparse)
    array.#count = this.#count
    return array
  }

  #order(): number[] {
    this.#sorted ??= [...(this.#sparse as Map<number, string>).keys()].sort((a, b) => a - b)
    return this.#sorted
  }
}

/**
 * The variables of one environment. A copy costs one map of references: the variables themselves are shared until one
 * side changes one.
 */
export class Variables {
  #map: Map<string, Variable>
  /** How many environments use the map. */
  #users: { count: number }
  #owner: object = {}

  constructor(map: Map<string, Variable> = new Map(), users: { count: number } = { count: 1 }) {
    this.#map = map
    this.#users = users
  }

  get(name: string): Variable | undefined {
    return this.#map.get(name)
  }

  /** Sets a variable that nothing guards; false where there is none such. */
  assignPlain(name: string, value: Scalar): boolean {
    const known = this.#map.get(name)
    if (known === undefined || (known.attributes & GUARDED) !== 0) return false
    if (known.owner === this.#owner) known.value = value
    else this.#own().set(name, { value, attributes: known.attributes, owner: this.#owner })
    return true
  }

  /** The variable itself, free to be changed; made when it doesn't exist. */
  writable(name: string): Variable {
    const known = this.#map.get(name)
    if (known === undefined) {
      const made: Variable = { value: undefined, attributes: 0, owner: this.#owner }
      this.#own().set(name, made)
      return made
    }
    if (known.owner === this.#owner) return known
    const value = known.value
    const copied: Variable = {
      value: value instanceof IndexedArray ? value.copy() : value instanceof Map ? new Map(value) : value,
      attributes: known.attributes,
      owner: this.#owner,
    }
    this.#own().set(name, copied)
    return copied
  }

  /** Puts a variable in place, or takes the name away. The variable must not be changed through anything but `writable`. */
  put(name: string, variable: Variable | undefined): void {
    if (variable === undefined) this.#own().delete(name)
    else this.#own().set(name, variable)
  }

  /** A variable made here and put nowhere yet. */
  make(value: Variable['value'], attributes = 0): Variable {
    return { value, attributes, owner: this.#owner }
  }

  names(): string[] {
    return [...this.#map.keys()]
  }

  entries(): IterableIterator<[string, Variable]> {
    return this.#map.entries()
  }

  /** From now on nothing that exists is changed in place: what `get` gives stands for the state of this moment. */
  seal(): void {
    this.#owner = {}
  }

  fork(): Variables {
    this.seal()
    this.#users.count += 1
    return new Variables(this.#map, this.#users)
  }

  /** The environment is gone: whoever shares the map need not copy it any more. */
  release(): void {
    this.#users.count -= 1
    this.#users = { count: 2 }
  }

  /** The map, this environment's alone. */
  #own(): Map<string, Variable> {
    if (this.#users.count > 1) {
      this.#users.count -= 1
      this.#users = { count: 1 }
      this.#map = new Map(this.#map)
    }
    return this.#map
  }
}

/** The text of a variable's scalar (element 0 of an array), undefined when it has none. */
export function scalarText(value: Variable['value']): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  if (value instanceof IndexedArray) return value.get(0)
  if (value instanceof Map) return value.get('0')
  return undefined
}

const LETTERS: readonly (readonly [string, number])[] = [
  ['a', Attribute.array],
  ['A', Attribute.assoc],
  ['i', Attribute.integer],
  ['n', Attribute.nameref],
  ['r', Attribute.readonly],
  ['t', Attribute.trace],
  ['x', Attribute.exported],
  ['c', Attribute.capitalize],
  ['l', Attribute.lower],
  ['u', Attribute.upper],
]

/** The letters `declare -p` shows, in bash's order. */
export function attributeLetters(attributes: number): string {
  let letters = ''
  for (const [letter, bit] of LETTERS) if ((attributes & bit) !== 0) letters += letter
  return letters
}

/** The attribute bits that letters of `declare` stand for. */
export function attributeBits(letters: string): number {
  let bits = 0
  for (const [letter, bit] of LETTERS) if (letters.includes(letter)) bits |= bit
  return bits
}
