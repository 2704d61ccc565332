import { decodeFormat } from '../syntax/escape-sequence.ts'

/** `%` up to its letter. */
export interface Conversion {
  readonly type: 'conversion'
  /** Without flags, width and precision. */
  readonly bare: boolean
  readonly left: boolean
  readonly plus: boolean
  readonly space: boolean
  readonly alternate: boolean
  readonly zero: boolean
  readonly width: number | '*' | null
  readonly precision: number | '*' | null
  readonly letter: string
  /** What stands between the brackets of `%(…)T`. */
  readonly time: string
}

/** A part of a format. A `failure` ends all output. */
export type Directive =
  | { readonly type: 'text'; readonly text: string; readonly errors: readonly string[] }
  | { readonly type: 'warning'; readonly message: string }
  | { readonly type: 'failure'; readonly message: string }
  | Conversion

/** The parts of a format; the same format again costs a look-up. */
export function compileFormat(format: string): readonly Directive[] {
  const known = cache.get(format)
  if (known !== undefined) return known
  const directives = parseFormat(format)
  if (format.length <= CACHE_TEXT) {
    if (cache.size >= CACHE_ENTRIES) cache.clear()
    cache.set(format, directives)
  }
  return directives
}

const CACHE_ENTRIES = 500
const CACHE_TEXT = 1000
const cache = new Map<string, readonly Directive[]>()

function parseFormat(format: string): readonly Directive[] {
  const directives: Directive[] = []
  let literal = ''
  let at = 0
  const flush = (): void => {
    if (literal === '') return
    const { text, errors } = decodeFormat(literal)
    directives.push({ type: 'text', text, errors })
    literal = ''
  }
  while (at < format.length) {
    const char = format[at] as string
    if (char === '\\' && format[at + 1] !== '%' && at + 1 < format.length) {
      literal += format.slice(at, at + 2)
      at += 2
    } else if (char === '\\') {
      // Behind a backslash a percent sign is a directive still.
      literal += '\\\\'
      at += 1
    } else if (char !== '%') {
      literal += char
      at += 1
    } else if (format[at + 1] === '%') {
      literal += '%'
      at += 2
    } else {
      flush()
      const { directive, end } = parseDirective(format, at)
      directives.push(directive)
      if (directive.type === 'failure') return directives
      if (directive.type === 'warning') literal = format.slice(at, end)
      at = end
    }
  }
  flush()
  return directives
}

const DIRECTIVE = /%([#' +0-]*)(\*|\d+)?(?:\.(\*|\d*))?[hjlLtz]*/y

function parseDirective(format: string, at: number): { directive: Directive; end: number } {
  DIRECTIVE.lastIndex = at
  const match = DIRECTIVE.exec(format) as RegExpExecArray
  const [whole, flags = '', width, precision] = match
  const end = at + whole.length
  const letter = format[end]
  const failure = (message: string): { directive: Directive; end: number } => ({ directive: { type: 'failure', message }, end })
  if (letter === undefined) return failure(`\`${whole}': missing format character`)
  const conversion = {
    type: 'conversion' as const,
    bare: flags === '' && width === undefined && precision === undefined,
    left: flags.includes('-'),
    plus: flags.includes('+'),
    space: flags.includes(' '),
    alternate: flags.includes('#'),
    zero: flags.includes('0'),
    width: count(width),
    precision: precision === '' ? 0 : count(precision),
    letter,
    time: '',
  }
  if (letter === '(') {
    const close = closing(format, end)
    if (close < 0 || format[close + 1] !== 'T') {
      const message = `warning: \`${close < 0 ? '' : (format[close + 1] ?? '')}': invalid time format specification`
      return { directive: { type: 'warning', message }, end: end + 1 }
    }
    return { directive: { ...conversion, letter: 'T', time: format.slice(end + 1, close) || '%X' }, end: close + 2 }
  }
  if (!'bqQnscdiouxXeEfFgGaA'.includes(letter)) return failure(`\`${letter}': invalid format character`)
  return { directive: conversion, end: end + 1 }
}

function count(text: string | undefined): number | '*' | null {
  return text === undefined ? null : text === '*' ? '*' : Number(text)
}

function closing(format: string, open: number): number {
  let depth = 0
  for (let at = open; at < format.length; at++) {
    if (format[at] === '(') depth += 1
    else if (format[at] === ')') {
      depth -= 1
      if (depth === 0) return at
    }
  }
  return -1
}
