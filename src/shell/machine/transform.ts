import { decodeAnsiC, quoteDouble, quoteKey, quoteReusable } from '../expand/quote.ts'
import type { ParameterExpansion } from '../syntax/ast.ts'
import { keysInOrder, readValue, resolveName } from './parameters.ts'
import type { Process } from './process.ts'
import { badSubstitution, promptEscapes } from './report.ts'
import { attributeLetters, IndexedArray } from './variables.ts'

/** `${x@letter}` for one value; `value` is undefined when the parameter is unset. */
export function transform(process: Process, letter: string, part: ParameterExpansion, value: string | undefined): string {
  switch (letter) {
    case 'a':
      return attributesOf(process, part.name)
    case 'A':
      return declarationOf(process, part, value)
    case 'K':
    case 'k':
      return part.subscript === '@' || part.subscript === '*'
        ? keyedText(process, part.name)
        : value === undefined
          ? ''
          : quoteReusable(value)
  }
  if (value === undefined) return ''
  switch (letter) {
    case 'Q':
      return quoteReusable(value)
    case 'E':
      return decodeAnsiC(value)
    case 'P':
      return process.machine.runtime.expandText(process, promptEscapes(process, value))
    case 'U':
      return value.toUpperCase()
    case 'u':
      return first(value).toUpperCase() + value.slice(first(value).length)
    case 'L':
      return value.toLowerCase()
    default:
      throw badSubstitution(`\${${part.name}@${letter}}`)
  }
}

function first(text: string): string {
  return text === '' ? '' : String.fromCodePoint(text.codePointAt(0) as number)
}

function attributesOf(process: Process, name: string): string {
  const variable = process.environment.variables.get(resolveName(process, name).name)
  return variable === undefined ? '' : attributeLetters(variable.attributes)
}

function declarationOf(process: Process, part: ParameterExpansion, value: string | undefined): string {
  const { name } = part
  if (part.subscript === null && (name === '@' || name === '*')) {
    return `set -- ${process.environment.positional.map(quoteReusable).join(' ')}`
  }
  const variable = process.environment.variables.get(name)
  if (variable === undefined) return ''
  const letters = attributeLetters(variable.attributes)
  const whole = part.subscript === '@' || part.subscript === '*'
  if (whole && typeof variable.value === 'object') return `declare -${letters} ${name}=(${elementsText(process, name)})`
  if (value === undefined) return letters === '' ? '' : `declare -${letters} ${name}`
  return letters === '' ? `${name}=${quoteReusable(value)}` : `declare -${letters} ${name}=${quoteReusable(value)}`
}

function keyedText(process: Process, name: string): string {
  const value = readValue(process, name)
  if (value instanceof Map)
    return keysInOrder(value)
      .map((key) => `${quoteKey(key)} ${quoteDouble(value.get(key) as string)} `)
      .join('')
  if (value instanceof IndexedArray)
    return value
      .keys()
      .map((key) => `${key} ${quoteDouble(value.get(key) as string)}`)
      .join(' ')
  return value === undefined ? '' : `0 ${quoteDouble(String(value))}`
}

/** `[key]="text" …` as `declare -p` shows an array's elements. */
export function elementsText(process: Process, name: string): string {
  const value = readValue(process, name)
  if (value instanceof Map)
    return keysInOrder(value)
      .map((key) => `[${quoteKey(key)}]=${quoteDouble(value.get(key) as string)} `)
      .join('')
  if (value instanceof IndexedArray)
    return value
      .keys()
      .map((key) => `[${key}]=${quoteDouble(value.get(key) as string)}`)
      .join(' ')
  return ''
}
