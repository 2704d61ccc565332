import type { SessionFields } from '../state/session-fields.ts'

/** The text of a scalar variable of a session; null where there is none. */
export function textOf({ variables }: SessionFields, name: string): string | null {
  const value = variables.get(name)?.value
  return typeof value === 'string' ? value : null
}
