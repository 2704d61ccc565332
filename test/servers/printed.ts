import { inspect } from 'node:util'

/** Everything that can be printed of a value: its text, JSON, what a console shows, and all that can be reached of it by properties. */
export function printed(value: unknown): string {
  const texts: string[] = []
  const seen = new Set<unknown>()
  const walk = (one: unknown): void => {
    if (typeof one === 'string') texts.push(one)
    if ((typeof one !== 'object' && typeof one !== 'function') || one === null || seen.has(one) || seen.size > 20_000) return
    seen.add(one)
    if (one instanceof Uint8Array) texts.push(new TextDecoder().decode(one))
    if (one instanceof Map || one instanceof Set) for (const entry of one) walk(entry)
    for (const key of Reflect.ownKeys(one)) {
      texts.push(String(key))
      const property = Object.getOwnPropertyDescriptor(one, key)
      walk(property?.get === undefined ? property?.value : attempt(() => property.get?.call(one)))
    }
  }
  walk(value)
  texts.push(attempt(() => String(value)) ?? '', attempt(() => JSON.stringify(value)) ?? '')
  texts.push(inspect(value, { depth: 20, showHidden: true, getters: true, maxStringLength: null, maxArrayLength: null }))
  if (value instanceof Error) texts.push(value.stack ?? '', `${value.cause === undefined ? '' : printed(value.cause)}`)
  return texts.join('\n')
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
