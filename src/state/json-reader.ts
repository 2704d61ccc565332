import { decode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import { isSealed } from '../store/sealed-text.ts'

/** A JSON object. Only its own properties count: a key may be `__proto__`. */
export type JsonObject = Readonly<Record<string, unknown>>

type Pairs = readonly (readonly [key: string, text: string])[]

/** The value as an object; an empty one for anything else. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** Reads the fields of a stored JSON object by name, checks their shapes, and knows which were left unread. Failures are CORRUPT and name the text. */
export class JsonReader {
  readonly #object: JsonObject
  readonly #where: string
  readonly #read = new Set<string>()
  readonly #nested = new Map<string, JsonReader>()

  constructor(object: JsonObject, where: string) {
    this.#object = object
    this.#where = where
  }

  static parse(bytes: Uint8Array, where: string): JsonReader {
    let value: unknown
    try {
      value = JSON.parse(decode(bytes))
    } catch {
      // The error of JSON.parse shows what is stored.
      const why = isSealed(bytes) ? 'is encrypted, and the store was given no encryption' : 'is not JSON'
      throw new WorkspaceError('CORRUPT', `${where}: ${why}`)
    }
    if (!isObject(value)) throw new WorkspaceError('CORRUPT', `${where}: is not a JSON object`)
    return new JsonReader(value, where)
  }

  /** VERSION_UNSUPPORTED where the text is of a newer format than `known`. */
  version(known: number): void {
    const version = this.number('version', known)
    if (version <= known) return
    throw new WorkspaceError('VERSION_UNSUPPORTED', `${this.#where}: has format version ${version}, this build reads up to ${known}`)
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#object, key)
  }

  text(key: string): string {
    const value = this.#take(key)
    if (typeof value !== 'string') throw this.corrupt(`"${key}"`, 'a text')
    return value
  }

  number(key: string, otherwise: number): number {
    const value = this.#take(key)
    if (value === undefined) return otherwise
    if (typeof value !== 'number') throw this.corrupt(`"${key}"`, 'a number')
    return value
  }

  octal(key: string, otherwise: number): number {
    if (!this.has(key)) return otherwise
    const text = this.text(key)
    if (!/^[0-7]{1,4}$/.test(text)) throw this.corrupt(`"${key}"`, 'an octal number')
    return Number.parseInt(text, 8)
  }

  /** Null where the field is missing or null. */
  texts(key: string): readonly string[] | null {
    const value = this.#take(key) ?? null
    if (value === null) return null
    if (!Array.isArray(value) || !value.every(isText)) throw this.corrupt(`"${key}"`, 'a list of texts')
    return value
  }

  textMap(key: string): Map<string, string> {
    return this.#map(key, 'texts', isText)
  }

  numberMap(key: string): Map<string, number> {
    return this.#map(key, 'numbers', (value) => typeof value === 'number')
  }

  /** Lists of pairs of texts by name. */
  pairsMap(key: string): Map<string, Pairs> {
    return this.#map(key, 'lists of pairs', isPairs)
  }

  /** Pairs of numbers; none where the field is missing. */
  stretches(key: string): readonly (readonly [number, number])[] {
    const value = this.#take(key) ?? []
    const isPair = (pair: unknown): boolean => Array.isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === 'number')
    if (!Array.isArray(value) || !value.every(isPair)) throw this.corrupt(`"${key}"`, 'a list of pairs of numbers')
    return value as [number, number][]
  }

  /** A nested object, an empty one where it is missing. */
  object(key: string): JsonReader {
    const value = this.#take(key) ?? {}
    if (!isObject(value)) throw this.corrupt(`"${key}"`, 'an object')
    const reader = new JsonReader(value, `${this.#where}: "${key}"`)
    this.#nested.set(key, reader)
    return reader
  }

  /** The fields that were not read, also of nested objects; those in `but` are left out. */
  unread(...but: readonly string[]): JsonObject {
    const rest = Object.entries(this.#object).filter(([key]) => !this.#read.has(key) && !but.includes(key))
    for (const [key, reader] of this.#nested) {
      const nested = reader.unread()
      if (Object.keys(nested).length > 0) rest.push([key, nested])
    }
    return Object.fromEntries(rest)
  }

  quoted(key: string): string {
    return JSON.stringify(this.#object[key]) ?? 'nothing'
  }

  corrupt(what: string, wanted: string): WorkspaceError {
    return new WorkspaceError('CORRUPT', `${this.#where}: ${what} is not ${wanted}`)
  }

  #take(key: string): unknown {
    this.#read.add(key)
    return this.has(key) ? this.#object[key] : undefined
  }

  #map<T>(key: string, wanted: string, test: (value: unknown) => value is T): Map<string, T>
  #map<T>(key: string, wanted: string, test: (value: unknown) => boolean): Map<string, T>
  #map<T>(key: string, wanted: string, test: (value: unknown) => boolean): Map<string, T> {
    const value = this.#take(key) ?? {}
    if (!isObject(value)) throw this.corrupt(`"${key}"`, 'an object')
    const entries = Object.entries(value)
    for (const [name, held] of entries) if (!test(held)) throw this.corrupt(`"${key}" of ${JSON.stringify(name)}`, `among ${wanted}`)
    return new Map(entries as [string, T][])
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isPairs(value: unknown): value is Pairs {
  return Array.isArray(value) && value.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isText))
}
