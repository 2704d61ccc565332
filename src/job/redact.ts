import { hideSecrets } from '../hide-secrets.ts'
import type { SessionRecord } from '../state/session-record.ts'
import type { SavedSession } from './workspace-state.ts'

/** Sessions without what is secret in them. */
export interface Redacted {
  readonly sessions: readonly SavedSession[]
  /** Names of the variables that lost their values. */
  readonly names: readonly string[]
}

/**
 * Takes the values from variables whose names say that they are secret, or that hold a URL with a password, and hides these values, and what is
 * assigned to such names, in everything else: other variables, functions, aliases, the history.
 */
export function redact(sessions: readonly SavedSession[]): Redacted {
  const names = new Set<string>()
  const secrets = new Set<string>()
  for (const { record } of sessions) {
    for (const [name, { value }] of record?.fields.variables ?? []) {
      if (value === null || !isSecret(name, value)) continue
      names.add(name)
      for (const text of typeof value === 'string' ? [value] : value.map(([, element]) => element))
        if (!IS_WORD.test(text)) secrets.add(text)
    }
  }
  // The longest first: one may be part of another.
  const known = [...secrets].sort((a, b) => b.length - a.length)
  const hide = (text: string): string =>
    hideSecrets(text, known)
      .replace(ASSIGNMENT, (whole, name: string, sign: string) => (SECRET_NAME.test(name) ? `${name}${sign}…` : whole))
      .replace(URL_PASSWORD, '$1…@')
      .replace(BEARER, '$1…')
  return {
    names: [...names].sort(),
    sessions: sessions.map(({ id, record, history }) => ({
      id,
      record: record === null ? null : withoutSecrets(record, hide),
      history: history.map((event) => ({ ...event, entry: { ...event.entry, command: hide(event.entry.command) } })),
    })),
  }
}

/** What may stand in any text, such as `return`, is only taken from the variable. */
const IS_WORD = /^[A-Za-z]{0,11}$/
const SECRET_NAME =
  /SECRET|TOKEN(?!IZ)|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|(API|ACCESS|PRIVATE|SIGNING|ENCRYPTION|AUTH)_?KEY|_(KEY|PASS|PWD|AUTH|COOKIE|PAT)$|^(PGPASS|AUTHORIZATION)/i
const ASSIGNMENT = /(?<![A-Za-z0-9_])([A-Za-z_][A-Za-z0-9_]*)(\+?=)(?:\$?'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|(?:\\.|[^\s;&|()<>'"\\])+)+/g
const URL_PASSWORD = /(:\/\/[^\s/:@'"]*:)[^\s/@'"]+@/g
const BEARER = /\b((?:Bearer|Basic)\s+)[A-Za-z0-9+/=._~-]{6,}/gi

function isSecret(name: string, value: string | readonly (readonly [string, string])[]): boolean {
  if (SECRET_NAME.test(name)) return true
  // The same text twice gives the same answer only where the pattern starts anew.
  return typeof value === 'string' && value.search(URL_PASSWORD) >= 0
}

function withoutSecrets(record: SessionRecord, hide: (text: string) => string): SessionRecord {
  const { fields } = record
  const variables = Array.from(fields.variables, ([name, variable]) => {
    const { attributes, value } = variable
    if (value === null) return [name, variable] as const
    if (isSecret(name, value)) return [name, { attributes: attributesOf(attributes, value), value: null }] as const
    const shown = typeof value === 'string' ? hide(value) : value.map(([key, text]) => [key, hide(text)] as const)
    return [name, { attributes, value: shown }] as const
  })
  return {
    ...record,
    unknown: {},
    fields: {
      ...fields,
      variables: new Map(variables),
      functions: new Map(Array.from(fields.functions, ([name, one]) => [name, { ...one, source: hide(one.source) }])),
      aliases: new Map(Array.from(fields.aliases, ([name, text]) => [name, hide(text)])),
    },
  }
}

/** A variable without a value is an array only by its attributes. */
function attributesOf(attributes: string, value: string | readonly unknown[]): string {
  return typeof value === 'string' || /[aA]/.test(attributes) ? attributes : `a${attributes}`
}
