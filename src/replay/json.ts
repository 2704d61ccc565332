import { trajectoryFault } from './fault.ts'

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** True for an object that is no array. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value)
}

/** The value as an object. `where` names it in errors: a message index, a line, a pointer. */
export function objectAt(value: JsonValue | undefined, where: string): JsonObject {
  return isObject(value) ? value : wrong(value, where, 'an object')
}

export function arrayAt(value: JsonValue | undefined, where: string): readonly JsonValue[] {
  return isArray(value) ? value : wrong(value, where, 'an array')
}

export function textAt(value: JsonValue | undefined, where: string): string {
  return typeof value === 'string' ? value : wrong(value, where, 'a text')
}

/** The text, or undefined where it is left out or null. */
export function optionalText(value: JsonValue | undefined, where: string): string | undefined {
  return value === undefined || value === null ? undefined : textAt(value, where)
}

/** The object, or undefined where it is left out or null. */
export function optionalObject(value: JsonValue | undefined, where: string): JsonObject | undefined {
  return value === undefined || value === null ? undefined : objectAt(value, where)
}

export function integerAt(value: JsonValue | undefined, where: string): number {
  return typeof value === 'number' && Number.isInteger(value) ? value : wrong(value, where, 'an integer')
}

function wrong(value: JsonValue | undefined, where: string, wanted: string): never {
  const found = value === undefined ? 'is missing' : `is ${shown(value)}`
  throw trajectoryFault(`${where} ${found}: it has to be ${wanted}`)
}

/** A value in a few words, for messages. */
export function shown(value: JsonValue): string {
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

/** The arguments of a call that are given as an object, or as a text that holds one. */
export function argumentsAt(value: JsonValue | undefined, where: string): JsonObject {
  if (typeof value !== 'string') return objectAt(value, where)
  let parsed: JsonValue
  try {
    parsed = JSON.parse(value) as JsonValue
  } catch {
    throw trajectoryFault(`${where} holds no JSON: ${shown(value)}`)
  }
  return objectAt(parsed, where)
}

/** True where both are the same JSON: types are told apart, the order of keys is not. */
export function sameJson(a: JsonValue, b: JsonValue): boolean {
  if (isArray(a)) return isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i] as JsonValue))
  if (!isObject(a)) return a === b
  if (!isObject(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key] as JsonValue, b[key] as JsonValue))
  )
}
