import type { MountMode } from '../fs/mount-table.ts'
import type { SessionFields, SessionRules, StoredFunction, StoredVariable } from './session-fields.ts'

/** What became of each name: its new value, or null where it was removed. */
export type NameChanges<T> = ReadonlyMap<string, T | null>

/** What one line changed, field by field; what is left out stayed. Holds copies, never parts of the fields it was made from. */
export interface FieldChanges {
  readonly cwd?: string
  readonly umask?: number
  readonly variables?: NameChanges<StoredVariable>
  readonly functions?: NameChanges<StoredFunction>
  readonly aliases?: NameChanges<string>
  readonly rules?: RuleChanges
}

interface RuleChanges {
  /** A list of one, so that null (no profile) is told from no change. */
  readonly profile?: readonly [string | null]
  readonly mountModes?: NameChanges<MountMode>
  readonly hide?: NameChanges<true>
  readonly denyPaths?: NameChanges<true>
  readonly allow?: readonly [readonly string[] | null]
  readonly denyCommands?: NameChanges<true>
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** What `after` changes against `before`, or null. Parts with the same identity are not looked into. */
export function diffFields(before: SessionFields, after: SessionFields): FieldChanges | null {
  if (before === after) return null
  const changes: Mutable<FieldChanges> = {}
  if (before.cwd !== after.cwd) changes.cwd = after.cwd
  if (before.umask !== after.umask) changes.umask = after.umask
  const variables = diffNames(before.variables, after.variables, sameVariable, copyVariable)
  if (variables !== null) changes.variables = variables
  const functions = diffNames(before.functions, after.functions, sameFunction, copyFunction)
  if (functions !== null) changes.functions = functions
  const aliases = diffNames(before.aliases, after.aliases, Object.is, keep)
  if (aliases !== null) changes.aliases = aliases
  const rules = diffRules(before.rules, after.rules)
  if (rules !== null) changes.rules = rules
  return Object.keys(changes).length === 0 ? null : changes
}

/** The fields with the changes made. Parts that don't change keep their identity; changed ones are shared with `changes`. */
export function applyChanges(fields: SessionFields, changes: FieldChanges): SessionFields {
  return {
    cwd: changes.cwd ?? fields.cwd,
    umask: changes.umask ?? fields.umask,
    variables: applyNames(fields.variables, changes.variables),
    functions: applyNames(fields.functions, changes.functions),
    aliases: applyNames(fields.aliases, changes.aliases),
    rules: changes.rules === undefined ? fields.rules : applyRules(fields.rules, changes.rules),
  }
}

/** Names of the fields that `mine` and `theirs`, both made from the same fields, set to different values: `cwd`, `variable x`, `rule hide *.pem`. */
export function conflictsOf(mine: FieldChanges, theirs: FieldChanges): readonly string[] {
  const names: string[] = []
  if (mine.cwd !== undefined && theirs.cwd !== undefined && mine.cwd !== theirs.cwd) names.push('cwd')
  if (mine.umask !== undefined && theirs.umask !== undefined && mine.umask !== theirs.umask) names.push('umask')
  bothNames(names, 'variable', mine.variables, theirs.variables, sameVariable)
  bothNames(names, 'function', mine.functions, theirs.functions, sameFunction)
  bothNames(names, 'alias', mine.aliases, theirs.aliases, Object.is)
  if (mine.rules === undefined || theirs.rules === undefined) return names
  const [a, b] = [mine.rules, theirs.rules]
  if (a.profile !== undefined && b.profile !== undefined && a.profile[0] !== b.profile[0]) names.push('rule profile')
  bothNames(names, 'rule mount', a.mountModes, b.mountModes, Object.is)
  bothNames(names, 'rule hide', a.hide, b.hide, Object.is)
  bothNames(names, 'rule deny', a.denyPaths, b.denyPaths, Object.is)
  if (a.allow !== undefined && b.allow !== undefined && !sameList(a.allow[0], b.allow[0])) names.push('rule allow')
  bothNames(names, 'rule command', a.denyCommands, b.denyCommands, Object.is)
  return names
}

/** A copy that shares nothing with the original but texts. */
export function copyFields(fields: SessionFields): SessionFields {
  return {
    cwd: fields.cwd,
    umask: fields.umask,
    variables: new Map(Array.from(fields.variables, ([name, variable]) => [name, copyVariable(variable)])),
    functions: new Map(Array.from(fields.functions, ([name, definition]) => [name, copyFunction(definition)])),
    aliases: new Map(fields.aliases),
    rules: {
      profile: fields.rules.profile,
      mountModes: new Map(fields.rules.mountModes),
      paths: { hide: [...fields.rules.paths.hide], deny: [...fields.rules.paths.deny] },
      commands: { allow: copyList(fields.rules.commands.allow), deny: [...fields.rules.commands.deny] },
    },
  }
}

function diffNames<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  same: (a: T, b: T) => boolean,
  copy: (value: T) => T,
): Map<string, T | null> | null {
  if (before === after) return null
  let changes: Map<string, T | null> | null = null
  let kept = 0
  for (const [name, value] of after) {
    const old = before.get(name)
    if (old !== undefined) kept += 1
    if (old === value || (old !== undefined && same(old, value))) continue
    changes ??= new Map()
    changes.set(name, copy(value))
  }
  if (kept === before.size) return changes
  changes ??= new Map()
  for (const name of before.keys()) if (!after.has(name)) changes.set(name, null)
  return changes
}

function diffRules(before: SessionRules, after: SessionRules): RuleChanges | null {
  if (before === after) return null
  const changes: Mutable<RuleChanges> = {}
  if (before.profile !== after.profile) changes.profile = [after.profile]
  const modes = diffNames(before.mountModes, after.mountModes, Object.is, keep)
  if (modes !== null) changes.mountModes = modes
  const hide = diffList(before.paths.hide, after.paths.hide)
  if (hide !== null) changes.hide = hide
  const deny = diffList(before.paths.deny, after.paths.deny)
  if (deny !== null) changes.denyPaths = deny
  if (!sameList(before.commands.allow, after.commands.allow)) changes.allow = [copyList(after.commands.allow)]
  const commands = diffList(before.commands.deny, after.commands.deny)
  if (commands !== null) changes.denyCommands = commands
  return Object.keys(changes).length === 0 ? null : changes
}

function diffList(before: readonly string[], after: readonly string[]): Map<string, true | null> | null {
  return before === after ? null : diffNames<true>(asNames(before), asNames(after), Object.is, keep)
}

function applyNames<T>(names: ReadonlyMap<string, T>, changes: NameChanges<T> | undefined): ReadonlyMap<string, T> {
  if (changes === undefined) return names
  const result = new Map(names)
  for (const [name, value] of changes) {
    if (value === null) result.delete(name)
    else result.set(name, value)
  }
  return result
}

function applyRules(rules: SessionRules, changes: RuleChanges): SessionRules {
  return {
    profile: changes.profile === undefined ? rules.profile : changes.profile[0],
    mountModes: applyNames(rules.mountModes, changes.mountModes),
    paths: { hide: applyList(rules.paths.hide, changes.hide), deny: applyList(rules.paths.deny, changes.denyPaths) },
    commands: {
      allow: changes.allow === undefined ? rules.commands.allow : changes.allow[0],
      deny: applyList(rules.commands.deny, changes.denyCommands),
    },
  }
}

function applyList(list: readonly string[], changes: NameChanges<true> | undefined): readonly string[] {
  return changes === undefined ? list : [...applyNames(asNames(list), changes).keys()]
}

function bothNames<T>(
  into: string[],
  kind: string,
  mine: NameChanges<T> | undefined,
  theirs: NameChanges<T> | undefined,
  same: (a: T, b: T) => boolean,
): void {
  if (mine === undefined || theirs === undefined) return
  for (const [name, value] of mine) {
    const other = theirs.get(name)
    if (other === undefined || other === value) continue
    if (other === null || value === null || !same(value, other)) into.push(`${kind} ${name}`)
  }
}

function sameVariable(a: StoredVariable, b: StoredVariable): boolean {
  if (a.attributes !== b.attributes) return false
  const [x, y] = [a.value, b.value]
  if (x === y) return true
  if (!isArray(x) || !isArray(y) || x.length !== y.length) return false
  for (let i = 0; i < x.length; i++) {
    const [p, q] = [x[i] as readonly [string, string], y[i] as readonly [string, string]]
    if (p !== q && (p[0] !== q[0] || p[1] !== q[1])) return false
  }
  return true
}

function sameFunction(a: StoredFunction, b: StoredFunction): boolean {
  return a.source === b.source && a.exported === b.exported && a.readonly === b.readonly
}

function sameList(a: readonly string[] | null, b: readonly string[] | null): boolean {
  return a === b || (a !== null && b !== null && a.length === b.length && a.every((text, i) => text === b[i]))
}

function copyVariable(variable: StoredVariable): StoredVariable {
  const { attributes, value } = variable
  return { attributes, value: isArray(value) ? value.map(([key, text]) => [key, text] as const) : value }
}

function copyFunction({ source, exported, readonly }: StoredFunction): StoredFunction {
  return { source, exported, readonly }
}

function copyList(list: readonly string[] | null): readonly string[] | null {
  return list === null ? null : [...list]
}

function asNames(list: readonly string[]): ReadonlyMap<string, true> {
  return new Map(list.map((text) => [text, true]))
}

function isArray(value: StoredVariable['value']): value is readonly (readonly [string, string])[] {
  return typeof value === 'object' && value !== null
}

function keep<T>(value: T): T {
  return value
}
