import type { MaybePromise } from '../../host.ts'
import { quoteDouble, quoteMinimal } from '../expand/quote.ts'
import type { ShellFunction } from '../machine/environment.ts'
import { readValue } from '../machine/parameters.ts'
import type { Process, Scope } from '../machine/process.ts'
import { elementsText } from '../machine/transform.ts'
import type { Variable } from '../machine/variables.ts'
import { Attribute, attributeLetters } from '../machine/variables.ts'
import { fail, print } from './builtin.ts'
import type { DeclareRequest } from './declare.ts'

function visible(variable: Variable): boolean {
  return (variable.attributes & Attribute.special) === 0
}

/** `declare -- x="1"` */
function declaration(process: Process, name: string, variable: Variable): string {
  const letters = attributeLetters(variable.attributes)
  const flags = letters === '' ? '--' : `-${letters}`
  const value = (variable.attributes & Attribute.special) !== 0 ? readValue(process, name) : variable.value
  if (value === undefined) return `declare ${flags} ${name}\n`
  if (typeof value === 'object') return `declare ${flags} ${name}=(${elementsOf(process, name, variable)})\n`
  return `declare ${flags} ${name}=${quoteDouble(String(value))}\n`
}

function elementsOf(process: Process, name: string, variable: Variable): string {
  if ((variable.attributes & Attribute.nameref) === 0) return elementsText(process, name)
  return ''
}

/** `declare -p` and its kin without names. */
export function listVariables(process: Process, request: DeclareRequest): MaybePromise<number> {
  const { variables } = process.environment
  const names = variables.names().sort((a, b) => (a < b ? -1 : 1))
  let text = ''
  for (const name of names) {
    const variable = variables.get(name) as Variable
    if (request.set !== 0 && (variable.attributes & request.set) !== request.set) continue
    if (request.set === 0 && request.show && !visible(variable) && readValue(process, name) === undefined) continue
    if (request.set === 0 && !request.show) {
      const line = assignmentLine(process, name, variable)
      if (line !== '') text += line
      continue
    }
    text +=
      process.environment.options.posix && (request.name === 'export' || request.name === 'readonly')
        ? declaration(process, name, variable).replace(/^declare -\S+/, request.name)
        : declaration(process, name, variable)
  }
  if (request.set === 0 && !request.show) text += functionsText(process)
  return print(process, text)
}

/** `x=1` as `set` shows a variable. */
function assignmentLine(process: Process, name: string, variable: Variable): string {
  const value = (variable.attributes & Attribute.special) !== 0 ? readValue(process, name) : variable.value
  if (value === undefined) return ''
  if (typeof value === 'object') return `${name}=(${elementsText(process, name)})\n`
  return `${name}=${quoteMinimal(String(value))}\n`
}

function functionsText(process: Process): string {
  return [...process.environment.functions.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((shellFunction) => `${shellFunction.source}\n`)
    .join('')
}

/** `local` without names. */
export function showLocals(process: Process, scope: Scope): MaybePromise<number> {
  const { variables } = process.environment
  const text = [...new Set(scope.hidden.map((hidden) => hidden.name))]
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => {
      const variable = variables.get(name)
      return variable === undefined ? '' : assignmentLine(process, name, variable)
    })
    .join('')
  return print(process, text)
}

/** `declare -p name …` */
export function showNamed(process: Process, request: DeclareRequest): MaybePromise<number> {
  let text = ''
  let status = 0
  for (const name of request.operands) {
    const variable = process.environment.variables.get(name)
    if (variable === undefined) {
      fail(process, request.name, `${name}: not found`)
      status = 1
      continue
    }
    text += declaration(process, name, variable)
  }
  return print(process, text, status)
}

/** `declare -f`, `export -f` and their kin. */
export function declareFunctions(process: Process, request: DeclareRequest): MaybePromise<number> {
  const { environment } = process
  const flags = request.set & (Attribute.exported | Attribute.readonly | Attribute.trace)
  if (request.operands.length === 0) {
    const all = [...environment.functions.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    const wanted = all.filter(
      (shellFunction) =>
        ((flags & Attribute.exported) === 0 || shellFunction.exported) && ((flags & Attribute.readonly) === 0 || shellFunction.readonly),
    )
    return print(process, wanted.map((shellFunction) => shown(shellFunction, request.namesOnly)).join(''))
  }
  let text = ''
  let status = 0
  const changes = flags !== 0 || request.clear !== 0
  for (const name of request.operands) {
    const known = environment.functions.get(name)
    if (known === undefined) {
      if (request.name === 'export' || request.name === 'readonly') fail(process, request.name, `${name}: not a function`)
      status = 1
      continue
    }
    if (changes) {
      environment.functions = new Map(environment.functions).set(name, {
        ...copyOf(known),
        exported: (flags & Attribute.exported) !== 0 || (known.exported && (request.clear & Attribute.exported) === 0),
        readonly: known.readonly || (flags & Attribute.readonly) !== 0,
        traced: (known.traced || (flags & Attribute.trace) !== 0) && (request.clear & Attribute.trace) === 0,
      })
      continue
    }
    if (!request.namesOnly) text += `${known.source}\n`
    else text += environment.options.has('extdebug') ? `${name} ${known.line} ${known.file}\n` : `${name}\n`
  }
  return print(process, text, status)
}

function copyOf(known: ShellFunction): ShellFunction {
  return {
    name: known.name,
    get source() {
      return known.source
    },
    program: known.program,
    compile: known.compile,
    exported: known.exported,
    readonly: known.readonly,
    traced: known.traced,
    file: known.file,
    line: known.line,
  }
}

function shown(shellFunction: ShellFunction, namesOnly: boolean): string {
  const letters = `${shellFunction.readonly ? 'r' : ''}${shellFunction.traced ? 't' : ''}${shellFunction.exported ? 'x' : ''}`
  if (namesOnly) return `declare -f${letters} ${shellFunction.name}\n`
  return `${shellFunction.source}\n${letters === '' ? '' : `declare -f${letters} ${shellFunction.name}\n`}`
}

/** What `set` shows. */
export function allVariables(process: Process): string {
  const { variables, options } = process.environment
  const text = variables
    .names()
    .sort((a, b) => (a < b ? -1 : 1))
    .map((name) => assignmentLine(process, name, variables.get(name) as Variable))
    .join('')
  return options.posix ? text : text + functionsText(process)
}
