import { quoteTraced } from '../expand/quote.ts'
import { COMPOUND } from '../machine/compile-assignment.ts'
import { ShellFault } from '../machine/fault.ts'
import type { CompoundElement } from '../machine/parameters.ts'
import {
  asArray,
  assignCompound,
  assignElement,
  assignScalar,
  isName,
  latestBinding,
  refuseReadonly,
  resolveName,
  splitReference,
} from '../machine/parameters.ts'
import type { Binding, Frame, Process, Scope, Undo } from '../machine/process.ts'
import { trace } from '../machine/report.ts'
import type { Variable } from '../machine/variables.ts'
import { Attribute, IndexedArray, scalarText } from '../machine/variables.ts'
import type { Builtin } from './builtin.ts'
import { fail, invalidOption } from './builtin.ts'

const USAGE = {
  declare: 'declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]',
  typeset: 'typeset [-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name ...]',
  local: 'local [option] name[=value] ...',
  export: 'export [-fn] [name[=value] ...] or export -p',
  readonly: 'readonly [-aAf] [name[=value] ...] or readonly -p',
} as const

const BITS: ReadonlyMap<string, number> = new Map([
  ['a', Attribute.array],
  ['A', Attribute.assoc],
  ['i', Attribute.integer],
  ['l', Attribute.lower],
  ['u', Attribute.upper],
  ['c', Attribute.capitalize],
  ['n', Attribute.nameref],
  ['r', Attribute.readonly],
  ['t', Attribute.trace],
  ['x', Attribute.exported],
])

/** What a declaring builtin was asked to do. */
export interface DeclareRequest {
  readonly name: 'declare' | 'typeset' | 'local' | 'export' | 'readonly'
  set: number
  clear: number
  functions: boolean
  namesOnly: boolean
  show: boolean
  global: boolean
  inherit: boolean
  operands: string[]
}

export const declareBuiltin: Builtin = declaring('declare')
export const exportBuiltin: Builtin = declaring('export')
export const localBuiltin: Builtin = declaring('local')
export const readonlyBuiltin: Builtin = declaring('readonly')
export const typesetBuiltin: Builtin = declaring('typeset')

function declaring(name: DeclareRequest['name']): Builtin {
  return {
    special: name === 'export' || name === 'readonly',
    control: true,
    run: (process, args) => {
      const request = readRequest(process, name, args)
      if (typeof request === 'number') return request
      if (name === 'local') {
        const scope = localScope(process)
        if (scope === null) return fail(process, 'local', 'can only be used in a function')
        if (request.operands.length === 0) return import('./variable-listing.ts').then(({ showLocals }) => showLocals(process, scope))
        if (request.operands[0] === '-') {
          scope.savedOptions ??= process.environment.options.names()
          request.operands.shift()
          if (request.operands.length === 0) return 0
        }
      }
      const shows = request.operands.length === 0 || (request.show && name !== 'export' && name !== 'readonly')
      if (!request.functions && !shows) return declareAll(process, request)
      return import('./variable-listing.ts').then(({ declareFunctions, listVariables, showNamed }) => {
        if (request.functions) return declareFunctions(process, request)
        return request.operands.length === 0 ? listVariables(process, request) : showNamed(process, request)
      })
    },
  }
}

function readRequest(process: Process, name: DeclareRequest['name'], args: readonly string[]): DeclareRequest | number {
  const request: DeclareRequest = {
    name,
    set: name === 'export' ? Attribute.exported : name === 'readonly' ? Attribute.readonly : 0,
    clear: 0,
    functions: false,
    namesOnly: false,
    show: false,
    global: false,
    inherit: false,
    operands: [],
  }
  let at = 0
  for (; at < args.length; at++) {
    const arg = args[at] as string
    if (arg === '--') {
      at += 1
      break
    }
    if (arg.length < 2 || (arg[0] !== '-' && arg[0] !== '+')) break
    const on = arg[0] === '-'
    for (const letter of arg.slice(1)) {
      const allowed = name === 'export' ? 'fnp' : name === 'readonly' ? 'aAfp' : 'aAcfFgiIlnprtux'
      if (!allowed.includes(letter)) return invalidOption(process, name, `${arg[0]}${letter}`, USAGE[name])
      switch (letter) {
        case 'f':
          request.functions = true
          break
        case 'F':
          request.functions = true
          request.namesOnly = true
          break
        case 'p':
          request.show = true
          break
        case 'g':
          request.global = true
          break
        case 'I':
          request.inherit = true
          break
        default:
          if (name === 'export' && letter === 'n') request.clear |= Attribute.exported
          else if (on) request.set |= BITS.get(letter) ?? 0
          else request.clear |= BITS.get(letter) ?? 0
      }
    }
  }
  if (name === 'export' && request.clear !== 0) request.set &= ~Attribute.exported
  request.operands = args.slice(at)
  return request
}

/** The scope that `local` works on: that of the innermost function. */
function localScope(process: Process): Scope | null {
  for (let i = process.frames.length - 1; i >= 0; i--) {
    const { scope } = process.frames[i] as Frame
    if (scope !== null && scope.boundary !== 'source') return scope
  }
  return null
}

function declareAll(process: Process, request: DeclareRequest): number {
  let status = 0
  for (const operand of request.operands) {
    try {
      if (!declareOne(process, request, operand)) status = 1
    } catch (error) {
      if (!(error instanceof ShellFault) || error.reach === 'shell') throw error
      const named = error.reach === 'assignment' && request.name !== 'export' && request.name !== 'readonly'
      process.complain(`${process.messagePrefix()}${named ? `${request.name}: ` : ''}${error.message}\n`)
      status = 1
    }
  }
  return status
}

function declareOne(process: Process, request: DeclareRequest, operand: string): boolean {
  const equals = assignmentSign(operand)
  const left = equals < 0 ? operand : operand.slice(0, equals)
  const append = left.endsWith('+')
  const target = splitReference(append ? left.slice(0, -1) : left)
  const value = equals < 0 ? null : operand.slice(equals + 1)
  const plain = request.name === 'export' || request.name === 'readonly'
  if (!isName(target.name) || (plain && target.subscript !== null)) {
    fail(
      process,
      request.name,
      `\`${value !== null && request.name !== 'export' && request.name !== 'readonly' ? operand : value === null ? operand : operand}': not a valid identifier`,
    )
    return false
  }
  const { variables } = process.environment
  const reference = (request.set & Attribute.nameref) !== 0 || (request.clear & Attribute.nameref) !== 0
  let { name } = target
  const scope = request.global || request.name === 'export' || request.name === 'readonly' ? null : localScope(process)
  if (scope !== null) makeLocal(process, scope, name, request.inherit || process.environment.options.has('localvar_inherit'))
  else if (!reference) name = resolveName(process, name).name
  if (request.global && !reference) return declareGlobal(process, request, name, target.subscript, append, value)
  return apply(process, request, name, target.subscript, append, value, variables.get(name))
}

/** Where the `=` of an assignment stands: outside the brackets of a subscript. */
function assignmentSign(operand: string): number {
  let depth = 0
  for (let i = 0; i < operand.length; i++) {
    const char = operand[i]
    if (char === '[') depth += 1
    else if (char === ']') depth -= 1
    else if (char === '=' && depth <= 0) return i
  }
  return operand.indexOf('=')
}

function apply(
  process: Process,
  request: DeclareRequest,
  name: string,
  subscript: string | null,
  append: boolean,
  value: string | null,
  known: Variable | undefined,
): boolean {
  const { variables, options } = process.environment
  if (options.xtrace && value !== null && (request.name === 'export' || request.name === 'readonly') && !value.startsWith(COMPOUND)) {
    trace(process, `${name}${append ? '+=' : '='}${quoteTraced(value)}`)
  }
  if (known !== undefined && (known.attributes & Attribute.readonly) !== 0) {
    if ((request.clear & Attribute.readonly) !== 0 || value !== null) refuseReadonly(name, known)
    if ((request.set & ~(Attribute.exported | Attribute.readonly | Attribute.trace)) !== 0) refuseReadonly(name, known)
  }
  if (known !== undefined && (known.attributes & Attribute.special) !== 0 && value === null) return true
  const compound = value?.startsWith(COMPOUND) === true
  const variable = variables.writable(name)
  const wantsAssoc = (request.set & Attribute.assoc) !== 0
  const wantsArray =
    (request.set & Attribute.array) !== 0 || (subscript !== null && !wantsAssoc && (variable.attributes & Attribute.assoc) === 0)
  if (wantsAssoc && (variable.attributes & Attribute.array) !== 0) {
    fail(process, request.name, `${name}: cannot convert indexed to associative array`)
    return false
  }
  if (wantsArray && (variable.attributes & Attribute.assoc) !== 0 && (request.set & Attribute.array) !== 0) {
    fail(process, request.name, `${name}: cannot convert associative to indexed array`)
    return false
  }
  if (
    (request.clear & (Attribute.array | Attribute.assoc)) !== 0 &&
    (variable.attributes & request.clear & (Attribute.array | Attribute.assoc)) !== 0
  ) {
    fail(process, request.name, `${name}: cannot destroy array variables in this way`)
    return false
  }
  if (wantsAssoc && !(variable.value instanceof Map)) {
    const text = scalarText(variable.value)
    variable.value = text === undefined ? undefined : new Map([['0', text]])
    variable.attributes |= Attribute.assoc
  } else if (wantsArray) {
    if (variable.value !== undefined && !(variable.value instanceof IndexedArray)) asArray(variable)
    variable.attributes |= Attribute.array
  }
  const later = request.set & (Attribute.readonly | Attribute.nameref)
  let before = request.set & ~(Attribute.readonly | Attribute.nameref | Attribute.array | Attribute.assoc)
  if ((before & Attribute.lower) !== 0 && (before & Attribute.upper) !== 0) before &= ~(Attribute.lower | Attribute.upper)
  if ((before & Attribute.lower) !== 0) variable.attributes &= ~(Attribute.upper | Attribute.capitalize)
  if ((before & Attribute.upper) !== 0) variable.attributes &= ~(Attribute.lower | Attribute.capitalize)
  variable.attributes = (variable.attributes | before) & ~request.clear
  if ((later & Attribute.nameref) !== 0) {
    const to = value ?? scalarText(variable.value) ?? null
    if (to !== null && to !== '' && !isName(splitReference(to).name)) {
      fail(process, request.name, `\`${to}': invalid variable name for name reference`)
      return false
    }
    if (to === name) {
      if (localScope(process) === null || request.global) {
        fail(process, request.name, `${name}: nameref variable self references not allowed`)
        return false
      }
      process.complain(`${process.messagePrefix()}warning: ${name}: circular name reference\n`)
    }
    if (value !== null) variable.value = append ? `${scalarText(variable.value) ?? ''}${value}` : value
    variable.attributes |= Attribute.nameref
  } else if (compound) {
    const elements = JSON.parse((value as string).slice(COMPOUND.length)) as CompoundElement[]
    if (subscript !== null) throw new ShellFault(`${name}[${subscript}]: cannot assign list to array member`, 'command')
    assignCompound(process, name, elements, append)
  } else if (value !== null) {
    if (subscript !== null) assignElement(process, name, unquoted(subscript), value, append)
    else if (
      /^\([\s\S]*\)$/.test(value) &&
      (wantsArray || wantsAssoc || (variable.attributes & (Attribute.array | Attribute.assoc)) !== 0)
    ) {
      assignText(process, name, value, append)
    } else if ((request.clear & Attribute.nameref) !== 0) variable.value = value
    else assignScalar(process, name, value, append)
  }
  if ((later & Attribute.readonly) !== 0) variables.writable(name).attributes |= Attribute.readonly
  return true
}

/** `declare -a 'x=(a b)'`: the text of a literal that came out of an expansion. */
function assignText(process: Process, name: string, value: string, append: boolean): void {
  const elements = process.machine.runtime.parseElements(process, value)
  assignCompound(process, name, elements, append)
}

function unquoted(subscript: string): string {
  return /^(["']).*\1$/.test(subscript) ? subscript.slice(1, -1) : subscript
}

function declareGlobal(
  process: Process,
  request: DeclareRequest,
  name: string,
  subscript: string | null,
  append: boolean,
  value: string | null,
): boolean {
  const { variables } = process.environment
  let place: { readonly list: (Binding | Undo)[]; readonly entry: Binding } | null = null
  for (const list of [process.undo, ...process.frames.flatMap(({ scope }) => (scope === null ? [] : [scope.hidden]))]) {
    for (const entry of list) {
      if (!('name' in entry) || entry.name !== name || entry.gone === true) continue
      if (place === null || entry.order < place.entry.order) place = { list, entry }
    }
  }
  if (place === null) return apply(process, request, name, subscript, append, value, variables.get(name))
  // The global one is put aside by a function's local or an assignment before its call: bring it up, change it, put it back.
  const { list, entry } = place
  const local = variables.get(name)
  variables.put(name, entry.variable)
  const done = apply(process, { ...request, global: false }, name, subscript, append, value, entry.variable)
  list[list.indexOf(entry)] = { ...entry, variable: variables.get(name) }
  variables.put(name, local)
  return done
}

/** Hides a variable behind a new one until the function ends. */
function makeLocal(process: Process, scope: Scope, name: string, inherit: boolean): void {
  const { order } = latestBinding(process, name) ?? { order: -1 }
  const own = scope.hidden.find((hidden) => hidden.name === name && hidden.gone !== true)
  if (own !== undefined && own.order === order) return
  const { variables } = process.environment
  const known = variables.get(name)
  if (known !== undefined && (known.attributes & Attribute.readonly) !== 0) {
    throw new ShellFault(`${name}: readonly variable`, 'assignment')
  }
  const latest = latestBinding(process, name)
  if (latest !== null && !scope.hidden.includes(latest)) {
    const temporary = process.undo.includes(latest)
    // What stood before the call, or before an eval in it, becomes the local one.
    if (temporary && latest.local !== true && latest.order > scope.order) {
      latest.local = true
      return
    }
  }
  process.bindings += 1
  scope.hidden.push({ name, variable: known, order: process.bindings })
  if (inherit && known !== undefined) {
    const value = known.value instanceof IndexedArray ? known.value.copy() : known.value instanceof Map ? new Map(known.value) : known.value
    variables.put(name, variables.make(value, known.attributes & ~Attribute.nameref))
    return
  }
  const special = known !== undefined && (known.attributes & Attribute.special) !== 0
  variables.put(name, special && name !== 'IFS' ? variables.make(undefined, 0) : variables.make(undefined, 0))
}
