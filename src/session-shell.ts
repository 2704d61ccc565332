import type { CommandTable } from './commands/registry.ts'
import type { FileSystem } from './fs/file-system.ts'
import type { Host } from './host.ts'
import { commandAllowed } from './policy/command-rules.ts'
import type { ShellFunction } from './shell/machine/environment.ts'
import type { MachineLimits } from './shell/machine/machine.ts'
import { functionFromText } from './shell/machine/script.ts'
import type { Variable } from './shell/machine/variables.ts'
import { Attribute, attributeBits, attributeLetters, IndexedArray } from './shell/machine/variables.ts'
import { Shell } from './shell/shell.ts'
import type { SessionFields, StoredFunction, StoredVariable } from './state/session-fields.ts'

/** Variables that tell of the moment, not of the session. */
const PASSING: ReadonlySet<string> = new Set(['BASH_REMATCH', 'OPTERR', 'PS4', 'SHLVL', 'MAPFILE'])

/** A shell whose state is a session's: fields come in before a line, and go out after it. */
export class SessionShell {
  readonly shell: Shell
  /** The fields the shell stands at. */
  #fields: SessionFields | null = null
  /** What the shell started with, by name: such a variable is no part of the session. */
  readonly #initial: Map<string, Variable> = new Map()
  /** The variables as they were captured last. */
  #cells: Map<string, Variable> = new Map()
  readonly #stored = new WeakMap<Variable, StoredVariable>()
  readonly #storedFunctions = new WeakMap<ShellFunction, StoredFunction>()
  #functions: ReadonlyMap<string, ShellFunction> | null = null

  constructor(options: { host: Host; commands: CommandTable; fs: FileSystem; limits?: MachineLimits | undefined }) {
    const { host, commands, fs, limits } = options
    this.shell = new Shell({ host, commands, fs, allowed: () => true, ...(limits === undefined ? {} : { limits }) })
    this.shell.process.environment.options.set('expand_aliases', true)
    for (const [name, variable] of this.shell.process.environment.variables.entries()) this.#initial.set(name, variable)
  }

  /** Brings the shell to the given fields; only what differs from where it stands is touched. */
  apply(fields: SessionFields, fs: FileSystem): void {
    const before = this.#fields
    if (before === fields) return
    this.#fields = fields
    const { environment } = this.shell.process
    this.shell.machine.fs = fs
    this.shell.machine.allowed = (name) => commandAllowed(fields.rules, name)
    environment.cwd = fields.cwd
    environment.umask = fields.umask
    if (before?.aliases !== fields.aliases) environment.aliases = fields.aliases
    if (before?.variables !== fields.variables) this.#applyVariables(before?.variables, fields.variables)
    if (before?.functions !== fields.functions) this.#applyFunctions(before?.functions, fields.functions)
    environment.variables.seal()
  }

  #applyVariables(before: SessionFields['variables'] | undefined, variables: SessionFields['variables']): void {
    const live = this.shell.process.environment.variables
    for (const name of before?.keys() ?? []) if (!variables.has(name)) live.put(name, undefined)
    for (const [name, stored] of variables) {
      if (before?.get(name) === stored) continue
      const known = live.get(name)
      if (known !== undefined && (known.attributes & Attribute.special) !== 0) continue
      const variable = live.make(liveValue(stored), attributeBits(stored.attributes))
      this.#stored.set(variable, stored)
      live.put(name, variable)
    }
    this.#cells = new Map(live.entries())
  }

  #applyFunctions(before: SessionFields['functions'] | undefined, functions: SessionFields['functions']): void {
    const { environment } = this.shell.process
    const live = new Map<string, ShellFunction>()
    for (const [name, stored] of functions) {
      const known = environment.functions.get(name)
      if (known !== undefined && before?.get(name) === stored) {
        live.set(name, known)
        continue
      }
      const made = functionFromText(name, stored.source, { exported: stored.exported, readonly: stored.readonly })
      this.#storedFunctions.set(made, stored)
      live.set(name, made)
    }
    environment.functions = live
    this.#functions = live
  }

  /** The fields the shell stands at now; what didn't change keeps its identity. */
  capture(): SessionFields {
    const before = this.#fields as SessionFields
    const { environment } = this.shell.process
    const variables = this.#captureVariables(before.variables)
    const functions = this.#captureFunctions(before.functions)
    environment.variables.seal()
    const same =
      variables === before.variables &&
      functions === before.functions &&
      environment.cwd === before.cwd &&
      environment.umask === before.umask &&
      environment.aliases === before.aliases
    if (same) return before
    const fields: SessionFields = {
      ...before,
      cwd: environment.cwd,
      umask: environment.umask,
      aliases: environment.aliases,
      variables,
      functions,
    }
    this.#fields = fields
    return fields
  }

  #captureVariables(before: SessionFields['variables']): SessionFields['variables'] {
    const live = this.shell.process.environment.variables
    let changed: Map<string, StoredVariable> | null = null
    let count = 0
    for (const [name, variable] of live.entries()) {
      count += 1
      if (this.#cells.get(name) === variable) continue
      if ((variable.attributes & Attribute.special) !== 0 || PASSING.has(name) || this.#initial.get(name) === variable) continue
      changed ??= new Map(before)
      changed.set(name, this.#store(variable))
    }
    const removed = count < this.#cells.size || changed !== null
    if (removed) {
      for (const name of before.keys()) {
        if (live.get(name) !== undefined) continue
        changed ??= new Map(before)
        changed.delete(name)
      }
    }
    if (changed === null) return before
    this.#cells = new Map(live.entries())
    return changed
  }

  #store(variable: Variable): StoredVariable {
    const known = this.#stored.get(variable)
    if (known !== undefined) return known
    const stored: StoredVariable = { attributes: attributeLetters(variable.attributes), value: storedValue(variable) }
    this.#stored.set(variable, stored)
    return stored
  }

  #captureFunctions(before: SessionFields['functions']): SessionFields['functions'] {
    const live = this.shell.process.environment.functions
    if (live === this.#functions) return before
    this.#functions = live
    const functions = new Map<string, StoredFunction>()
    for (const [name, shellFunction] of live) {
      const known = this.#storedFunctions.get(shellFunction)
      const stored = known ?? { source: shellFunction.source, exported: shellFunction.exported, readonly: shellFunction.readonly }
      this.#storedFunctions.set(shellFunction, stored)
      functions.set(name, stored)
    }
    return functions
  }
}

function liveValue({ attributes, value }: StoredVariable): Variable['value'] {
  if (value === null) return undefined
  if (typeof value === 'string') return value
  if (attributes.includes('A')) return new Map(value)
  const array = new IndexedArray()
  for (const [key, text] of value) array.set(Number(key), text)
  return array
}

function storedValue({ value }: Variable): StoredVariable['value'] {
  if (value === undefined) return null
  if (value instanceof IndexedArray) return value.keys().map((key): [string, string] => [String(key), value.get(key) as string])
  // A map's own order is kept: what bash shows comes from the keys alone.
  if (value instanceof Map) return [...value.entries()]
  return String(value)
}
