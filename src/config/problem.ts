import type { core } from 'zod/mini'
import { shownUrl } from '../shown-url.ts'
import type { ConfigProblem } from './config-error.ts'

type Path = readonly PropertyKey[]

/**
 * The sentences for one issue, each naming the key, what it holds and what it may hold. The issue's own message is what
 * the key may hold; `blockKeys` are the keys of each block by its name.
 */
export function problemsOf(
  issue: core.$ZodIssue,
  document: unknown,
  blockKeys: ReadonlyMap<string, readonly string[]>,
): readonly ConfigProblem[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => unknownKey([...issue.path, key], document, issue.message, blockKeys.get(issue.message) ?? []))
  }
  const key = keyText(issue.path)
  if (issue.code === 'invalid_key') {
    const may = issue.issues[0]?.message ?? issue.message
    return [{ key, message: `${keyText(issue.path.slice(0, -1))} holds the key ${show(issue.path.at(-1))}; a key there may be ${may}` }]
  }
  const held = valueAt(document, issue.path)
  if (held === undefined) return [{ key, message: `${key} is missing; it may hold ${issue.message}` }]
  const keys = blockKeys.get(issue.message)
  const may = keys === undefined ? issue.message : `${issue.message} (${listOf(keys)})`
  return [{ key, message: `${key} holds ${showHeld(issue.path, held)}; it may hold ${may}${hint(issue.path, held)}` }]
}

function unknownKey(path: Path, document: unknown, block: string, known: readonly string[]): ConfigProblem {
  if (isNoKey(path)) {
    const key = keyText(path.slice(0, -1))
    return { key, message: `${key} holds a key that is none, and is not shown here; ${block} may hold ${listOf(known)}` }
  }
  const key = keyText(path)
  const near = nearest(String(path.at(-1)), known)
  const reason = /\bs3\b/.test(block) ? NOT_FOR_S3.get(String(path.at(-1))) : undefined
  const guess = reason ?? (near === undefined ? '' : `; did you mean ${near}?`)
  const held = showHeld(path, valueAt(document, path))
  return { key, message: `${key} (holding ${held}) is not a key of ${block}, which may hold ${listOf(known)}${guess}` }
}

/** Keys that other programs know in such a block, and why they are none here. */
const NOT_FOR_S3: ReadonlyMap<string, string> = new Map([
  [
    'profile',
    '; profiles of the AWS command line are files, which not every runtime has: give the keys themselves, such as "${AWS_ACCESS_KEY_ID}"',
  ],
  ['proxy', '; requests go the way that the runtime sends them: give the address of what stands before the bucket as endpoint_url'],
])

function hint(path: Path, held: unknown): string {
  if (path[0] !== 'store' || path.at(-1) !== 'type' || held !== 's3') return ''
  return path.length === 2
    ? ' (s3 keeps sessions only: write it as store.workspace.type)'
    : ' (a bucket can not append: s3 goes on store.workspace only)'
}

function keyText(path: Path): string {
  if (path.length === 0) return 'the document'
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`)).join('')
}

function valueAt(document: unknown, path: Path): unknown {
  let held = document
  for (const part of path) {
    if (typeof held !== 'object' || held === null || !Object.hasOwn(held, part)) return undefined
    held = (held as Record<PropertyKey, unknown>)[part]
  }
  return held
}

/** A value as a message shows it; secrets are not shown. */
function showHeld(path: Path, held: unknown): string {
  const isText = typeof held === 'string'
  const isUrl = /url/i.test(String(path.at(-1)))
  if (isUrl && isText && held !== '') return shownUrl(held)
  if (held !== null && held !== '' && (isUrl || isSecret(path))) return isText ? 'a text that is not shown here' : 'what is not shown here'
  if (!isText) return show(held)
  return show(held.replace(/:\/\/\S*@/g, '://…@'))
}

/** Whether a name on the way says that what it holds is a secret, or would if it were spelt right. */
function isSecret(path: Path): boolean {
  const names = path.filter((part) => typeof part === 'string')
  return names.some((name) => SECRET.test(name) || nearest(name, SECRET_KEYS) !== undefined)
}

const SECRET = /secret|token|passw|\bpass\b|proxy|credential|auth|(^|[_-])key$|[a-z]Key$/i
const SECRET_KEYS = ['token', 'password', 'aws_secret_access_key', 'aws_session_token']

/** Whether what stands for a key in a block of a server is none, but a line in which something was forgotten. */
function isNoKey(path: Path): boolean {
  return (path[0] === 'store' || path.includes('config')) && !/^[\w.-]{1,40}$/.test(String(path.at(-1)))
}

function show(held: unknown): string {
  if (held === null) return 'nothing'
  if (Array.isArray(held)) return held.length === 0 ? 'an empty list' : 'a list'
  if (typeof held === 'object')
    return Object.keys(held).length === 0 ? 'an empty mapping' : `a mapping of ${listOf(Object.keys(held).slice(0, 5))}`
  if (typeof held !== 'string') return `the ${typeof held} ${String(held)}`
  return JSON.stringify(held.length > 60 ? `${held.slice(0, 60)}…` : held)
}

function listOf(names: readonly string[]): string {
  if (names.length === 0) return 'no key'
  return names.length === 1 ? String(names[0]) : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** The known key that was most likely meant: the same but for case and separators, or at most two edits away. */
function nearest(key: string, known: readonly string[]): string | undefined {
  const plain = (name: string): string => name.toLowerCase().replace(/[-_]/g, '')
  const same = known.find((name) => plain(name) === plain(key))
  if (same !== undefined) return same
  const near = known.map((name) => ({ name, edits: edits(plain(key), plain(name)) })).sort((a, b) => a.edits - b.edits)[0]
  return near !== undefined && near.edits <= Math.min(2, key.length / 2) ? near.name : undefined
}

/** Levenshtein distance. */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const change = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[to.length] as number
}
