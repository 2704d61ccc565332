import type { CommandTable } from './commands/registry.ts'
import type { FileSystem } from './fs/file-system.ts'
import type { Host } from './host.ts'
import { commandAllowed } from './policy/command-rules.ts'
import { retain } from './shell/machine/description.ts'
import type { Environment, ShellFunction } from './shell/machine/environment.ts'
import type { MachineLimits } from './shell/machine/machine.ts'
import type { Process } from './shell/machine/process.ts'
import { functionFromText } from './shell/machine/script.ts'
import type { Variable } from './shell/machine/variables.ts'
import { Attribute, attributeBits, attributeLetters, IndexedArray } from './shell/machine/variables.ts'
import { Shell } from './shell/shell.ts'
import type { SessionFields, StoredFunction, StoredVariable } from './state/session-fields.ts'

/** Variables that tell of the moment, not of the session. */
const PASSING: ReadonlySet<string> = new Set(['BASH_REMATCH', 'SHLVL'])
/** Variables that a shell starts with and a session keeps: gone from the session, they are gone from the shell. */
const KEPT_FROM_START: readonly string[] = ['IFS', 'PATH']

/** A shell whose state is a session's: fields come in before a line, and go out after it. */
export class SessionShell {
  readonly shell: Shell
  /** The fields the shell stands at. */
  #fields: SessionFields | null = null
  /** What the shell started with, by name: such a variable is no part of the session. */
  readonly #initial: ReadonlyMap<string, Variable>
  /** The session's variables as they were brought in or captured last. */
  #cells: Map<string, Variable> = new Map()
  readonly #stored = new WeakMap<Variable, StoredVariable>()
  readonly #storedFunctions = new WeakMap<ShellFunction, StoredFunction>()
  #functions: ReadonlyMap<string, ShellFunction> | null = null

  constructor(options: { host: Host; commands: CommandTable; fs: FileSystem; limits?: MachineLimits | undefined }) {
    const { host, commands, fs, limits } = options
    this.shell = new Shell({ host, commands, fs, allowed: () => true, ...(limits === undefined ? {} : { limits }) })
    const { environment } = this.shell.process
    environment.options.set('expand_aliases', true)
    this.#initial = new Map(environment.variables.entries())
    environment.variables.seal()
  }

  /** Brings the shell to the given fields; only what differs from where it stands is touched. */
  apply(fields: SessionFields, fs: FileSystem): void {
    const before = this.#fields
    if (before === fields) return
    this.#fields = fields
    const { machine } = this.shell
    const { environment } = this.shell.process
    machine.fs = fs
    const { deny } = fields.rules.commands
    const control = { commands: { allow: null, deny } }
    machine.allowed = (name, isControl = false) => commandAllowed(isControl ? control : fields.rules, name)
    environment.cwd = fields.cwd
    environment.umask = fields.umask
    if (before?.aliases !== fields.aliases) environment.aliases = fields.aliases
    if (before?.variables !== fields.variables) this.#applyVariables(before?.variables, fields.variables)
    if (before?.functions !== fields.functions) this.#applyFunctions(before?.functions, fields.functions)
    environment.variables.seal()
  }

  #applyVariables(before: SessionFields['variables'] | undefined, variables: SessionFields['variables']): void {
    const live = this.shell.process.environment.variables
    for (const name of before?.keys() ?? KEPT_FROM_START) {
      if (variables.has(name)) continue
      live.put(name, undefined)
      this.#cells.delete(name)
    }
    for (const [name, stored] of variables) {
      if (before?.get(name) === stored || this.#isFixed(name)) continue
      const variable = live.make(liveValue(stored), attributeBits(stored.attributes))
      this.#stored.set(variable, stored)
      live.put(name, variable)
      this.#cells.set(name, variable)
    }
  }

  /** True for what the shell makes itself when it is read, or lets nobody change. */
  #isFixed(name: string): boolean {
    const initial = this.#initial.get(name)
    return initial !== undefined && (initial.attributes & (Attribute.special | Attribute.readonly)) !== 0
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
    const cells = this.#cells
    let changed: Map<string, StoredVariable> | null = null
    let same = 0
    for (const [name, variable] of live.entries()) {
      if (cells.get(name) === variable) {
        same += 1
        continue
      }
      if ((variable.attributes & Attribute.special) !== 0 || this.#initial.get(name) === variable || PASSING.has(name)) continue
      changed ??= new Map(before)
      changed.set(name, this.#store(variable))
    }
    if (changed === null && same === cells.size) return before
    changed ??= new Map(before)
    for (const name of cells.keys()) if (live.get(name) === undefined) changed.delete(name)
    this.#cells = new Map()
    for (const name of changed.keys()) {
      const variable = live.get(name)
      if (variable !== undefined) this.#cells.set(name, variable)
    }
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

  /** What runs from now on runs on a copy of the shell's state; the function that is returned brings the state back. Jobs go on. */
  setAside(changes: { readonly cwd: string | undefined; readonly env: Iterable<readonly [string, string]> }): () => void {
    const { process } = this.shell
    const { environment, jobs, status, lastArgument } = process
    const descriptors = new Map(process.descriptors)
    for (const description of descriptors.values()) retain(description)
    process.environment = this.#overridden(environment, changes)
    process.jobs = jobs?.copy() ?? null
    return () => {
      process.environment = environment
      process.jobs = jobs
      process.status = status
      process.lastArgument = lastArgument
      process.closeAll()
      for (const [number, description] of descriptors) process.descriptors.set(number, description)
    }
  }

  #overridden(own: Environment, { cwd, env }: Parameters<SessionShell['setAside']>[0]): Environment {
    const copy = own.fork()
    const { variables } = copy
    const put = (name: string, text: string): void => {
      const attributes = (variables.get(name)?.attributes ?? 0) | Attribute.exported
      variables.put(name, variables.make(text, attributes & ~(Attribute.array | Attribute.assoc | Attribute.nameref)))
    }
    if (cwd !== undefined) {
      if (cwd !== own.cwd) put('OLDPWD', own.cwd)
      copy.cwd = cwd
      put('PWD', cwd)
    }
    for (const [name, text] of env) if (!this.#isFixed(name)) put(name, text)
    return copy
  }

  /** Ends the running line with the given status, at once: its traps don't run. Jobs in the background go on. */
  interrupt(status: number): void {
    const { machine, process: own } = this.shell
    for (const process of [...machine.processes.values()]) {
      if (!isOfLine(process)) continue
      dropExitTrap(process)
      if (process !== own) machine.terminate(process, status)
    }
    this.shell.interrupt(status)
  }

  /** Ends every process, at once: no trap runs. */
  kill(): void {
    for (const process of this.shell.machine.processes.values()) dropExitTrap(process)
    this.shell.kill()
  }
}

/** A trap's action could keep what is to end from ending. */
function dropExitTrap({ environment }: Process): void {
  if (environment.traps.has('EXIT')) environment.traps = new Map([...environment.traps].filter(([name]) => name !== 'EXIT'))
}

/** True for what the line waits for, or started for itself, such as process substitutions: all but jobs. */
function isOfLine(process: Process): boolean {
  for (let at: Process | undefined = process; at !== undefined; at = at.machine.processes.get(at.parent)) {
    if (at.background && at.substitution === null) return false
  }
  return true
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
