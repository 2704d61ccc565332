import { encode } from '../bytes.ts'
import type { CommandContext } from './command.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { quotedFile } from './quoted-file.ts'
import { quoted } from './quoting.ts'
import { CommandFailure } from './utility.ts'

/** A field to be written; fields count from 0, and file 0 stands for the join field. */
export interface OutputField {
  readonly file: 0 | 1 | 2
  readonly field: number
}

/** All that was asked of `join`. */
export interface JoinPlan {
  readonly names: readonly [string, string]
  /** The join field of each file, from 0. */
  readonly fields: readonly [number, number]
  /** The byte that ends fields; -1 where runs of blanks do. */
  readonly tab: number
  readonly format: readonly OutputField[] | null
  readonly auto: boolean
  readonly empty: string | null
  /** Joined lines are written. */
  readonly paired: boolean
  /** Whether lines of each file without a partner are. */
  readonly unpaired: readonly [boolean, boolean]
  readonly ignoreCase: boolean
  readonly checkOrder: 'strict' | 'lenient' | 'off'
  readonly header: boolean
  readonly terminator: number
}

/** Understands the options; what can't be ends the command. */
export function joinPlan({ options, operands, has }: ParsedOptions, context: CommandContext): JoinPlan {
  const fields: [number, number] = [-1, -1]
  const unpaired: [boolean, boolean] = [false, false]
  let paired = true
  let tab = -2
  let format: OutputField[] | null = null
  let auto = false
  let empty: string | null = null
  let checkOrder: JoinPlan['checkOrder'] = 'lenient'
  const setField = (index: 0 | 1, text: string) => {
    const field = fieldNumber(text, context)
    const before = fields[index]
    if (before !== -1 && before !== field) throw new CommandFailure(`incompatible join fields ${before + 1}, ${field + 1}`)
    fields[index] = field
  }
  const addFormat = (list: string) => {
    format ??= []
    for (const part of list.split(/[, \t]/)) format.push(outputField(part, context))
  }
  // The old syntax lets a format, or the field of -j1, go on in operands of their own.
  let names = operands
  const lastFormat = options.findLastIndex(({ name, value }) => name === 'o' && value !== 'auto')
  for (const [index, { name, value }] of options.entries()) {
    const text = value ?? ''
    switch (name) {
      case 'v':
      case 'a':
        if (name === 'v') paired = false
        if (text !== '1' && text !== '2') throw new CommandFailure(`invalid field number: ${quoted(context, text)}`)
        unpaired[text === '1' ? 0 : 1] = true
        break
      case 'e':
        if (empty !== null && empty !== text) throw new CommandFailure('conflicting empty-field replacement strings')
        empty = text
        break
      case '1':
      case '2':
        setField(name === '1' ? 0 : 1, text)
        break
      case 'j':
        if ((text === '1' || text === '2') && names.length > 2) {
          setField(text === '1' ? 0 : 1, names[0] as string)
          names = names.slice(1)
          break
        }
        setField(0, text)
        setField(1, text)
        break
      case 'o':
        if (text === 'auto') auto = true
        else {
          addFormat(text)
          for (; index === lastFormat && names.length > 2; names = names.slice(1)) addFormat(names[0] as string)
        }
        break
      case 't': {
        const byte = tabByte(text, context)
        if (tab !== -2 && tab !== byte) throw new CommandFailure('incompatible tabs')
        tab = byte
        break
      }
      case 'check-order':
        checkOrder = 'strict'
        break
      case 'nocheck-order':
        checkOrder = 'off'
        break
    }
  }
  const [first, second, extra] = names
  if (first === undefined) throw new UsageError('missing operand')
  if (second === undefined) throw new UsageError(`missing operand after ${quoted(context, first)}`)
  if (extra !== undefined) throw new UsageError(`extra operand ${quotedFile(extra)}`)
  if (first === '-' && second === '-') throw new CommandFailure('both files cannot be standard input: No such file or directory')
  return {
    names: [first, second],
    fields: [Math.max(0, fields[0]), Math.max(0, fields[1])],
    tab: tab === -2 ? -1 : tab,
    format,
    auto: auto && format === null,
    empty,
    paired,
    unpaired,
    ignoreCase: has('i'),
    checkOrder,
    header: has('header'),
    terminator: has('z') ? 0 : 10,
  }
}

function fieldNumber(text: string, context: CommandContext): number {
  if (!/^\s*\+?[0-9]+$/.test(text) || Number(text) === 0) throw new CommandFailure(`invalid field number: ${quoted(context, text)}`)
  return Math.min(Number(text) - 1, 2 ** 31)
}

function outputField(text: string, context: CommandContext): OutputField {
  if (text[0] === '0') {
    if (text.length > 1) throw new CommandFailure(`invalid field specifier: ${quoted(context, text)}`)
    return { file: 0, field: 0 }
  }
  if (text[0] !== '1' && text[0] !== '2') throw new CommandFailure(`invalid file number in field spec: ${quoted(context, text)}`)
  if (text[1] !== '.') throw new CommandFailure(`invalid field specifier: ${quoted(context, text)}`)
  return { file: text[0] === '1' ? 1 : 2, field: fieldNumber(text.slice(2), context) }
}

function tabByte(text: string, context: CommandContext): number {
  // Without a character the whole line is one field.
  if (text === '') return 10
  if (text === '\\0') return 0
  const bytes = encode(text)
  if (bytes.length > 1) throw new CommandFailure(`multi-character tab ${quoted(context, text)}`)
  return bytes[0] as number
}
