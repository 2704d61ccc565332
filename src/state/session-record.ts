import { encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { MountMode } from '../fs/mount-table.ts'
import type { JsonObject } from './json-reader.ts'
import { asObject, JsonReader } from './json-reader.ts'
import type { SessionFields, SessionRules, StoredFunction, StoredVariable } from './session-fields.ts'

/** A session as a store has it. */
export interface SessionRecord {
  readonly fields: SessionFields
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Counts the commits that changed the record. */
  readonly generation: number
  /** The last operation of each instance that came through, the latest last. */
  readonly operations: ReadonlyMap<string, number>
  /** What the stored text held that this version doesn't know; written back as it was. */
  readonly unknown: JsonObject
}

/** Of the stored text. Raised when an older reader would misread a newer text, not for every new field. */
const FORMAT = 1
const MODES: readonly string[] = ['read', 'write', 'exec'] satisfies MountMode[]
type Elements = readonly (readonly [key: string, text: string])[]

/** The record as JSON text. Bytes that are not UTF-8 are escaped, so that they come back. */
export function encodeRecord(id: string, record: SessionRecord): Uint8Array {
  const { fields, unknown } = record
  const { rules } = fields
  const functions = Array.from(fields.functions)
  const known = {
    version: FORMAT,
    session_id: id,
    cwd: fields.cwd,
    env: Object.fromEntries(scalars(fields.variables)),
    created_at: record.createdAt / 1000,
    generation: record.generation,
    var_attrs: Object.fromEntries(attributes(fields.variables)),
    ...unlessEmpty('arrays', Object.fromEntries(arrays(fields.variables, false))),
    ...unlessEmpty('assocs', Object.fromEntries(arrays(fields.variables, true))),
    ...unlessEmpty('functions', Object.fromEntries(functions.map(([name, { source }]) => [name, source]))),
    ...unlessEmpty(
      'readonly_functions',
      namesWhere(functions, (definition) => definition.readonly),
    ),
    ...unlessEmpty(
      'exported_functions',
      namesWhere(functions, (definition) => definition.exported),
    ),
    ...unlessEmpty('aliases', Object.fromEntries(fields.aliases)),
    umask: fields.umask.toString(8).padStart(4, '0'),
    ...(rules.profile === null ? {} : { profile: rules.profile }),
    ...unlessEmpty('mount_modes', Object.fromEntries(rules.mountModes)),
    ...unlessEmpty('hidden_paths', { ...asObject(unknown.hidden_paths), ...pathRules(rules.paths.hide) }),
    ...unlessEmpty('denied_paths', { ...asObject(unknown.denied_paths), ...pathRules(rules.paths.deny) }),
    ...unlessEmpty('commands', { ...asObject(unknown.commands), ...commandRules(rules.commands) }),
    ...unlessEmpty('ops', Object.fromEntries(record.operations)),
  }
  const others = Object.entries(unknown).filter(([key]) => !Object.hasOwn(known, key))
  return encode(`${JSON.stringify({ ...known, ...Object.fromEntries(others) })}\n`)
}

/** Reads what {@link encodeRecord} wrote. `where` names the text in errors: CORRUPT, or VERSION_UNSUPPORTED for one of a newer format. */
export function decodeRecord(id: string, bytes: Uint8Array, where: string): SessionRecord {
  const reader = JsonReader.parse(bytes, where)
  reader.version(FORMAT)
  if (reader.text('session_id') !== id)
    throw new WorkspaceError('CORRUPT', `${where}: is the record of another session, ${reader.quoted('session_id')}`)
  const readonly = new Set(reader.texts('readonly_functions') ?? [])
  const exported = new Set(reader.texts('exported_functions') ?? [])
  const functions = new Map<string, StoredFunction>()
  for (const [name, source] of reader.textMap('functions'))
    functions.set(name, { source, exported: exported.has(name), readonly: readonly.has(name) })
  const fields: SessionFields = {
    cwd: reader.text('cwd'),
    umask: reader.octal('umask', 0o22),
    variables: readVariables(reader),
    functions,
    aliases: reader.textMap('aliases'),
    rules: readRules(reader),
  }
  const createdAt = Math.round(reader.number('created_at', 0) * 1000)
  const generation = reader.number('generation', 0)
  return { fields, createdAt, generation, operations: reader.numberMap('ops'), unknown: reader.unread('version') }
}

/** The names of the variables that take the most room in a record, largest first. */
export function largestVariables(record: SessionRecord, count: number): readonly string[] {
  const sizes = Array.from(record.fields.variables, ([name, { value }]) => {
    if (value === null || typeof value === 'string') return { name, size: value?.length ?? 0 }
    return { name, size: value.reduce((sum, [key, text]) => sum + key.length + text.length, 0) }
  })
  sizes.sort((a, b) => b.size - a.size)
  return sizes.slice(0, count).map(({ name }) => name)
}

function* scalars(variables: SessionFields['variables']): Iterable<[string, string]> {
  for (const [name, { value }] of variables) if (typeof value === 'string') yield [name, value]
}

/** An entry only here is declared but unset. */
function* attributes(variables: SessionFields['variables']): Iterable<[string, string]> {
  for (const [name, variable] of variables) if (variable.attributes !== '' || variable.value === null) yield [name, variable.attributes]
}

function* arrays(variables: SessionFields['variables'], associative: boolean): Iterable<[string, Elements]> {
  for (const [name, { attributes, value }] of variables) {
    if (value === null || typeof value === 'string' || attributes.includes('A') !== associative) continue
    yield [name, value]
  }
}

function namesWhere(functions: readonly [string, StoredFunction][], test: (definition: StoredFunction) => boolean): readonly string[] {
  return functions.filter(([, definition]) => test(definition)).map(([name]) => name)
}

function pathRules(rules: readonly string[]): JsonObject {
  return {
    ...unlessEmpty(
      'paths',
      rules.filter((rule) => rule.includes('/')),
    ),
    ...unlessEmpty(
      'patterns',
      rules.filter((rule) => !rule.includes('/')),
    ),
  }
}

function commandRules({ allow, deny }: SessionRules['commands']): JsonObject {
  return { ...(allow === null ? {} : { allow }), ...unlessEmpty('deny', deny) }
}

function unlessEmpty(key: string, value: object): JsonObject {
  return Object.keys(value).length === 0 ? {} : { [key]: value }
}

function readVariables(reader: JsonReader): Map<string, StoredVariable> {
  const variables = new Map<string, StoredVariable>()
  const letters = reader.textMap('var_attrs')
  // A record without attributes at all is a bare environment: everything in it is exported.
  const attributesOf = reader.has('var_attrs') ? (name: string) => letters.get(name) ?? '' : () => 'x'
  for (const [name, value] of reader.textMap('env')) variables.set(name, { attributes: attributesOf(name), value })
  for (const [key, letter] of [
    ['arrays', 'a'],
    ['assocs', 'A'],
  ] as const) {
    for (const [name, value] of reader.pairsMap(key)) {
      const known = attributesOf(name)
      variables.set(name, { attributes: known.includes(letter) ? known : letter + known, value })
    }
  }
  for (const [name, attributes] of letters) if (!variables.has(name)) variables.set(name, { attributes, value: null })
  return variables
}

function readRules(reader: JsonReader): SessionRules {
  const modes = reader.textMap('mount_modes')
  for (const [mount, mode] of modes) if (!MODES.includes(mode)) throw reader.corrupt(`"mount_modes" of ${JSON.stringify(mount)}`, 'a mode')
  const hidden = reader.object('hidden_paths')
  const denied = reader.object('denied_paths')
  const commands = reader.object('commands')
  return {
    profile: reader.has('profile') ? reader.text('profile') : null,
    mountModes: modes as ReadonlyMap<string, MountMode>,
    paths: { hide: readPaths(hidden), deny: readPaths(denied) },
    commands: { allow: commands.texts('allow'), deny: commands.texts('deny') ?? [] },
  }
}

function readPaths(reader: JsonReader): readonly string[] {
  return [...(reader.texts('paths') ?? []), ...(reader.texts('patterns') ?? [])]
}
