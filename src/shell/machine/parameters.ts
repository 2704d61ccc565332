import type { Arithmetic, ArithmeticScope, Integer } from '../expand/arithmetic.ts'
import { compileArithmetic } from '../expand/arithmetic.ts'
import { ShellFault } from './fault.ts'
import type { Binding, Process } from './process.ts'
import { SPECIALS } from './specials.ts'
import type { Scalar, Variable } from './variables.ts'
import { Attribute, GUARDED, IndexedArray, scalarText } from './variables.ts'

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** True for a name a variable can have. */
export function isName(text: string): boolean {
  return NAME.test(text)
}

/** What a name stands for once name references are followed: a variable, or one element of an array. */
export interface Target {
  readonly name: string
  readonly subscript: string | null
}

/** Follows name references from `name`. A reference to itself gives a warning and the name. */
export function resolveName(process: Process, name: string): Target {
  let at = name
  for (let hops = 0; hops < 16; hops++) {
    const variable = process.environment.variables.get(at)
    if (variable === undefined || (variable.attributes & Attribute.nameref) === 0) return { name: at, subscript: null }
    const to = scalarText(variable.value)
    if (to === undefined || to === '') return { name: at, subscript: null }
    const element = splitReference(to)
    if (element.subscript !== null) return element
    if (to === at) {
      process.complain(`${process.messagePrefix()}warning: ${at}: circular name reference\n`)
      return { name: at, subscript: null }
    }
    at = to
  }
  process.complain(`${process.messagePrefix()}warning: ${name}: circular name reference\n`)
  return { name, subscript: null }
}

/** `a[x]` apart: name and subscript. */
export function splitReference(text: string): Target {
  const bracket = text.indexOf('[')
  if (bracket <= 0 || !text.endsWith(']')) return { name: text, subscript: null }
  return { name: text.slice(0, bracket), subscript: text.slice(bracket + 1, -1) }
}

/** A variable's value; name references followed, special ones made. */
export function readValue(process: Process, name: string): Variable['value'] {
  const variable = process.environment.variables.get(name)
  if (variable === undefined) return undefined
  if ((variable.attributes & (Attribute.nameref | Attribute.special)) === 0) return variable.value
  if ((variable.attributes & Attribute.special) !== 0) return SPECIALS.get(name)?.read(process)
  const target = resolveName(process, name)
  if (target.subscript !== null) return readElement(process, target.name, target.subscript)
  return target.name === name ? undefined : readValue(process, target.name)
}

/** A variable as a scalar (element 0 of an array); undefined when unset. */
export function readScalar(process: Process, name: string): Scalar | undefined {
  const value = readValue(process, name)
  if (typeof value === 'object') return scalarText(value)
  return value
}

/** A variable's text; undefined when unset. */
export function readText(process: Process, name: string): string | undefined {
  const value = readScalar(process, name)
  return typeof value === 'string' || value === undefined ? value : String(value)
}

/** One element. The subscript is arithmetic for an indexed array and a scalar, a key for an associative one. */
export function readElement(process: Process, name: string, subscript: string): string | undefined {
  const value = readValue(process, name)
  if (value instanceof Map) return value.get(subscript)
  if (value === undefined) {
    if (subscript !== '' && !isAssociative(process, name)) arithmeticIndex(process, subscript, 0)
    return undefined
  }
  if (value instanceof IndexedArray) {
    const index = arithmeticIndex(process, subscript, value.end)
    if (index < 0) {
      process.complain(`${process.messagePrefix()}${name}: bad array subscript\n`)
      return undefined
    }
    return value.get(index)
  }
  return arithmeticIndex(process, subscript, 1) === 0 ? scalarText(value) : undefined
}

/** True for a variable declared with `-A`, name references followed. */
export function isAssociative(process: Process, name: string): boolean {
  const variable = process.environment.variables.get(name)
  if (variable === undefined) return false
  if ((variable.attributes & Attribute.nameref) !== 0) {
    const target = resolveName(process, name)
    return target.subscript === null && target.name !== name && isAssociative(process, target.name)
  }
  return (variable.attributes & Attribute.assoc) !== 0 || readsAsMap(process, variable, name)
}

function readsAsMap(process: Process, variable: Variable, name: string): boolean {
  return (variable.attributes & Attribute.special) !== 0 && SPECIALS.get(name)?.read(process) instanceof Map
}

/** A subscript as an index; negative ones count from `end`. Below zero when out of range. */
export function arithmeticIndex(process: Process, subscript: string, end: number): number {
  const index = Number(evaluate(process, subscript))
  return index < 0 ? index + end : index
}

/** Sets a scalar, element 0 of an array, or what a reference points to; all attributes honoured. */
export function assignScalar(process: Process, name: string, value: Scalar, append = false): void {
  const { environment } = process
  if (typeof value === 'string' && value.length > process.machine.limits.variableLength) throw tooLong(process, name)
  if (!append && !environment.options.allexport && environment.variables.assignPlain(name, value)) return
  const known = environment.variables.get(name)
  if (known === undefined || (known.attributes & GUARDED) === 0) {
    const variable = environment.variables.writable(name)
    if (append && variable.value !== undefined) {
      const whole = `${scalarText(variable.value) ?? ''}${value}`
      if (whole.length > process.machine.limits.variableLength) throw tooLong(process, name)
      variable.value = whole
    } else variable.value = value
    if (environment.options.allexport) variable.attributes |= Attribute.exported
    return
  }
  assignGuarded(process, name, known, value, append)
}

function tooLong(process: Process, name: string): ShellFault {
  return new ShellFault(`${name}: value longer than ${process.machine.limits.variableLength} characters`)
}

function assignGuarded(process: Process, name: string, known: Variable, value: Scalar, append: boolean): void {
  const { environment } = process
  if ((known.attributes & Attribute.nameref) !== 0) {
    const target = resolveName(process, name)
    if (target.subscript !== null) {
      assignElement(process, target.name, target.subscript, String(value), append)
      return
    }
    if (target.name !== name) {
      assignScalar(process, target.name, value, append)
      return
    }
    if (known.value === undefined || known.value === '') {
      const text = String(value)
      if (!isName(splitReference(text).name)) throw new ShellFault(`\`${text}': not a valid identifier`)
    } else {
      // It refers to itself in a circle, which has been said.
      throw new ShellFault('', 'assignment')
    }
  }
  refuseReadonly(name, known)
  if ((known.attributes & Attribute.special) !== 0) {
    const special = SPECIALS.get(name)
    special?.write?.(process, String(value))
    return
  }
  if ((known.attributes & Attribute.assoc) !== 0) {
    assignElement(process, name, '0', String(value), append)
    return
  }
  if ((known.attributes & Attribute.array) !== 0) {
    assignElement(process, name, '0', String(value), append)
    return
  }
  const before = scalarText(known.value)
  const variable = environment.variables.writable(name)
  variable.value = converted(process, variable.attributes, value, append ? before : undefined)
}

/** A text as the attributes of its variable want it. */
function converted(process: Process, attributes: number, value: Scalar, before: string | undefined): Scalar {
  if ((attributes & Attribute.integer) !== 0) {
    const sum = before === undefined || before === '' ? String(value) : `(${before})+(${value})`
    const result = evaluate(process, sum)
    return typeof result === 'bigint' ? String(result) : result
  }
  const text = before === undefined ? value : `${before}${value}`
  if ((attributes & Attribute.lower) !== 0) return String(text).toLowerCase()
  if ((attributes & Attribute.upper) !== 0) return String(text).toUpperCase()
  if ((attributes & Attribute.capitalize) !== 0) {
    const whole = String(text)
    return whole.charAt(0).toUpperCase() + whole.slice(1).toLowerCase()
  }
  return text
}

/** Sets one element; makes the variable an indexed array where it is none. */
export function assignElement(process: Process, name: string, subscript: string, text: string, append = false): void {
  const target = resolveName(process, name)
  if (target.subscript !== null) throw new ShellFault(`\`${name}': not a valid identifier`)
  if (subscript === '') throw new ShellFault(`${name}[]: bad array subscript`)
  const { variables } = process.environment
  const known = variables.get(target.name)
  if (known !== undefined) refuseReadonly(target.name, known)
  if (known !== undefined && (known.attributes & Attribute.special) !== 0) {
    assignSpecialElement(process, target.name, subscript, text)
    return
  }
  const variable = variables.writable(target.name)
  if ((variable.attributes & Attribute.assoc) !== 0) {
    const map = variable.value instanceof Map ? variable.value : new Map<string, string>()
    map.set(subscript, String(converted(process, variable.attributes, text, append ? (map.get(subscript) ?? '') : undefined)))
    variable.value = map
    return
  }
  const index = arithmeticIndex(process, subscript, endOf(variable.value))
  if (index < 0) {
    if (known === undefined) variables.put(target.name, undefined)
    throw new ShellFault(`${target.name}[${subscript}]: bad array subscript`)
  }
  const array = asArray(variable)
  array.set(index, String(converted(process, variable.attributes, text, append ? (array.get(index) ?? '') : undefined)))
}

/** One more than the highest index. */
function endOf(value: Variable['value']): number {
  if (value instanceof IndexedArray) return value.end
  return scalarText(value) === undefined ? 0 : 1
}

function assignSpecialElement(process: Process, name: string, subscript: string, text: string): void {
  const { environment } = process
  if (name === 'BASH_ALIASES') environment.aliases = new Map([...environment.aliases, [subscript, text]])
  if (name === 'BASH_CMDS') environment.hashed = new Map([...environment.hashed, [subscript, { path: text, hits: 0 }]])
  if (name === 'DIRSTACK') {
    const index = arithmeticIndex(process, subscript, 0)
    if (index > 0) environment.directories = environment.directories.with(index - 1, text)
  }
}

/** The variable's value as an indexed array, made one where it isn't. */
export function asArray(variable: Variable): IndexedArray {
  if (variable.value instanceof IndexedArray) return variable.value
  const text = scalarText(variable.value)
  const array = IndexedArray.of(text === undefined ? [] : [text])
  variable.value = array
  variable.attributes |= Attribute.array
  return array
}

/** One element of a compound assignment: `[subscript]=text`, or a plain text that takes the next index. */
export interface CompoundElement {
  readonly subscript: string | null
  readonly text: string
  readonly append: boolean
}

/** `name=(…)` and `name+=(…)`. */
export function assignCompound(process: Process, name: string, elements: readonly CompoundElement[], append: boolean): void {
  const target = resolveName(process, name)
  const { variables } = process.environment
  const known = variables.get(target.name)
  if (known !== undefined) {
    refuseReadonly(target.name, known)
    if ((known.attributes & Attribute.special) !== 0) return
  }
  const variable = variables.writable(target.name)
  if ((variable.attributes & Attribute.assoc) !== 0) {
    const map = append && variable.value instanceof Map ? variable.value : new Map<string, string>()
    variable.value = map
    const keyed = elements.some((element) => element.subscript !== null)
    for (let i = 0; i < elements.length; i++) {
      const element = elements[i] as CompoundElement
      if (element.subscript === null) {
        if (keyed) {
          process.complain(
            `${process.messagePrefix()}${target.name}: ${element.text}: must use subscript when assigning associative array\n`,
          )
          continue
        }
        i += 1
        map.set(element.text, String(converted(process, variable.attributes, elements[i]?.text ?? '', undefined)))
        continue
      }
      map.set(
        element.subscript,
        String(
          converted(process, variable.attributes, element.text, element.append && append ? (map.get(element.subscript) ?? '') : undefined),
        ),
      )
    }
    return
  }
  const array = append ? asArray(variable) : new IndexedArray()
  variable.attributes |= Attribute.array
  let next = append ? array.end : 0
  if (!append) variable.value = array
  for (const element of elements) {
    let at = next
    if (element.subscript !== null) {
      at = arithmeticIndex(process, element.subscript, array.end)
      if (at < 0) {
        process.complain(`${process.messagePrefix()}[${element.subscript}]=${element.text}: bad array subscript\n`)
        continue
      }
    }
    const plain = (variable.attributes & (Attribute.integer | Attribute.lower | Attribute.upper | Attribute.capitalize)) === 0
    if (plain && !element.append) array.set(at, element.text)
    else array.set(at, String(converted(process, variable.attributes, element.text, element.append ? (array.get(at) ?? '') : undefined)))
    next = at + 1
  }
}

/** Takes a variable away; false when it is readonly. */
export function unsetVariable(process: Process, name: string): boolean {
  const { variables } = process.environment
  const known = variables.get(name)
  if (known === undefined) return true
  if ((known.attributes & Attribute.readonly) !== 0) return false
  // Unset in the function that made it local, a name stays local and unset; otherwise what it hides shows again.
  const binding = latestBinding(process, name)
  if (binding === null) {
    variables.put(name, undefined)
    return true
  }
  const own = process.frames.findLast((frame) => frame.scope?.boundary === 'function')?.scope ?? null
  const temporary = process.undo.includes(binding)
  if (own !== null && (own.hidden.includes(binding) || (temporary && binding.local === true && binding.order > own.order))) {
    variables.put(name, variables.make(undefined))
    return true
  }
  if (process.outerBindings.includes(binding)) {
    process.outerBindings = process.outerBindings.filter((other) => other !== binding)
    variables.put(name, binding.local === true && own === null ? variables.make(undefined) : binding.variable)
    return true
  }
  binding.gone = true
  variables.put(name, binding.variable)
  return true
}

/** The innermost thing that hides a variable of this name; null where nothing does. */
export function latestBinding(process: Process, name: string): Binding | null {
  let latest: Binding | null = null
  const consider = (binding: Binding): void => {
    if (binding.name === name && binding.gone !== true && (latest === null || binding.order > latest.order)) latest = binding
  }
  for (const binding of process.outerBindings) consider(binding)
  for (const undo of process.undo) if ('name' in undo) consider(undo)
  for (const { scope } of process.frames) if (scope !== null) for (const binding of scope.hidden) consider(binding)
  return latest
}

/** Everything that hides a variable, for a subshell to know. */
export function bindingsOf(process: Process): readonly Binding[] {
  let all: Binding[] | null = null
  for (const undo of process.undo) if ('name' in undo && undo.gone !== true) (all ??= []).push({ ...undo })
  const own = process.frames.findLast((frame) => frame.scope?.boundary === 'function')?.scope ?? null
  for (const { scope } of process.frames) {
    if (scope === null) continue
    // In the subshell, too, what its function made local stays local when it is unset.
    for (const binding of scope.hidden) if (binding.gone !== true) (all ??= []).push({ ...binding, local: scope === own })
  }
  const outer = own === null ? process.outerBindings : process.outerBindings.map((binding) => ({ ...binding, local: false }))
  return all === null ? outer : [...outer, ...all]
}

/** Takes one element away. */
export function unsetElement(process: Process, name: string, subscript: string): void {
  const target = resolveName(process, name)
  const { variables, aliases } = process.environment
  const known = variables.get(target.name)
  if (known === undefined) return
  if ((known.attributes & Attribute.readonly) !== 0)
    throw new ShellFault(`unset: ${target.name}: cannot unset: readonly variable`, 'command')
  if (target.name === 'BASH_ALIASES') {
    process.environment.aliases = new Map([...aliases].filter(([alias]) => alias !== subscript))
    return
  }
  const variable = variables.writable(target.name)
  if (variable.value instanceof Map) {
    variable.value.delete(subscript)
    return
  }
  if (variable.value instanceof IndexedArray) {
    if (subscript === '@' || subscript === '*') {
      variable.value = new IndexedArray()
      return
    }
    const index = arithmeticIndex(process, subscript, variable.value.end)
    if (index < 0) throw new ShellFault(`unset: [${subscript}]: bad array subscript`, 'command')
    variable.value.delete(index)
    return
  }
  if (arithmeticIndex(process, subscript, 1) === 0) variables.put(target.name, undefined)
  else throw new ShellFault(`unset: ${target.name}: not an array variable`, 'command')
}

/** Fails where the variable can't be changed. */
export function refuseReadonly(name: string, variable: Variable): void {
  if ((variable.attributes & Attribute.readonly) !== 0) throw new ShellFault(`${name}: readonly variable`, 'assignment')
}

/** Keys of an associative array in the order bash's own table has them. */
export function keysInOrder(map: ReadonlyMap<string, string>): string[] {
  let buckets = 1024
  while (map.size >= buckets * 2) buckets *= 4
  return [...map.keys()]
    .map((key, at) => ({ key, at, bucket: bucketOf(key, buckets) }))
    .sort((a, b) => a.bucket - b.bucket || b.at - a.at)
    .map(({ key }) => key)
}

const utf8 = new TextEncoder()

function bucketOf(key: string, buckets: number): number {
  let hash = 2_166_136_261
  for (const byte of utf8.encode(key)) hash = Math.imul(hash, 16_777_619) ^ byte
  return hash & (buckets - 1)
}

/** A subscript that evaluates to the same index however often. */
const PLAIN_SUBSCRIPT = /^(?:[0-9]+|[A-Za-z_][A-Za-z0-9_]*)$/

/** For arithmetic without `$x` in it. */
export const NO_SLOTS: (string | number)[] = []

/** What arithmetic sees of a process: one object, pointed at whoever evaluates. */
class ProcessScope implements ArithmeticScope {
  declare process: Process
  slots: (string | number)[] = NO_SLOTS

  read(name: string): Scalar | undefined {
    const variable = this.process.environment.variables.get(name)
    if (variable !== undefined && (variable.attributes & GUARDED) === 0) {
      const { value } = variable
      if (typeof value !== 'object' && value !== undefined) return value
    }
    const value = readScalar(this.process, name)
    if (value === undefined && this.process.environment.options.nounset) throw unbound(name)
    return value
  }

  write(name: string, value: Integer): void {
    assignScalar(this.process, name, typeof value === 'bigint' ? String(value) : value)
  }

  readElement(name: string, subscript: string): string | undefined {
    const { process } = this
    const key = isAssociative(process, name) ? process.machine.runtime.expandSubscript(process, subscript) : subscript
    const value = readElement(process, name, key)
    if (value === undefined && process.environment.options.nounset) throw unbound(`${name}[${subscript}]`)
    return value
  }

  writeElement(name: string, subscript: string, value: Integer): void {
    const { process } = this
    const key = isAssociative(process, name) ? process.machine.runtime.expandSubscript(process, subscript) : subscript
    assignElement(process, name, key, String(value))
  }

  /** `a[i++] += 1` evaluates its subscript once: a key is expanded when it is used, which has no side effect left to repeat. */
  fixSubscript(name: string, subscript: string): string {
    return isAssociative(this.process, name) || PLAIN_SUBSCRIPT.test(subscript) ? subscript : String(evaluate(this.process, subscript))
  }

  slot(index: number): string | number {
    return this.slots[index] ?? 0
  }
}

const scope = new ProcessScope()

/** Runs compiled arithmetic in a process; `slots` are the values of `$x` in it. */
export function runArithmetic(process: Process, arithmetic: Arithmetic, slots: (string | number)[]): Integer {
  if (scope.process === process && slots === NO_SLOTS && scope.slots === NO_SLOTS) return arithmetic(scope)
  const outerSlots = scope.slots
  scope.process = process
  scope.slots = slots
  try {
    return arithmetic(scope)
  } finally {
    scope.slots = outerSlots
  }
}

/** Evaluates arithmetic text. */
export function evaluate(process: Process, text: string): Integer {
  return runArithmetic(process, compileArithmetic(text), NO_SLOTS)
}

/** What a script hears of a name that isn't set, under `set -u`. */
export function unbound(name: string): ShellFault {
  return new ShellFault(`${/^[0-9]/.test(name) ? '$' : ''}${name}: unbound variable`, 'shell')
}
