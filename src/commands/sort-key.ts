import type { CommandContext } from './command.ts'
import { quoted } from './quoting.ts'
import { CommandFailure } from './utility.ts'

/** How two keys are compared. */
export interface SortOrder {
  skipStartBlanks: boolean
  skipEndBlanks: boolean
  /** Characters that don't count. */
  ignore: 'dictionary' | 'nonprinting' | null
  fold: boolean
  general: boolean
  human: boolean
  month: boolean
  numeric: boolean
  random: boolean
  reverse: boolean
  version: boolean
}

/** A part of the line that is compared. Fields and characters count from 0. */
export interface SortKey extends SortOrder {
  readonly field: number
  readonly char: number
  /** Where it ends: before this character of this field; null at the end of the line. */
  readonly endField: number | null
  readonly endChar: number
}

export function plainOrder(): SortOrder {
  return {
    skipStartBlanks: false,
    skipEndBlanks: false,
    ignore: null,
    fold: false,
    general: false,
    human: false,
    month: false,
    numeric: false,
    random: false,
    reverse: false,
    version: false,
  }
}

/** Reads what `-k` takes; what is none ends the command. */
export function parseSortKey(spec: string, context: CommandContext): SortKey {
  const order = plainOrder()
  const [, field = '', , char, startLetters = '', comma, endField = '', , endChar, endLetters = '', rest = ''] =
    /^([0-9]*)(\.([0-9]*))?([A-Za-z]*)(,([0-9]*)(\.([0-9]*))?([A-Za-z]*))?([\s\S]*)$/.exec(spec) ?? []
  const wrong = (problem: string): never => {
    throw new CommandFailure(`${problem}: invalid field specification ${quoted(context, spec)}`, 2)
  }
  const noCount = (where: string, at: number): never => {
    throw new CommandFailure(`invalid number ${where}: invalid count at start of ${quoted(context, spec.slice(at))}`, 2)
  }
  if (field === '') noCount('at field start', 0)
  if (Number(field) === 0) wrong('field number is zero')
  let at = field.length
  if (char !== undefined) {
    if (char === '') noCount("after '.'", at + 1)
    if (Number(char) === 0) wrong('character offset is zero')
    at += 1 + char.length
  }
  if (!addLetters(order, startLetters, 'start')) wrong('stray character in field spec')
  at += startLetters.length
  if (comma !== undefined) {
    if (endField === '') noCount("after ','", at + 1)
    if (Number(endField) === 0) wrong('field number is zero')
    at += 1 + endField.length
    if (endChar === '') noCount("after '.'", at + 1)
    if (!addLetters(order, endLetters, 'end')) wrong('stray character in field spec')
  }
  if (rest !== '') wrong('stray character in field spec')
  const lastChar = endChar === undefined ? 0 : Number(endChar)
  return {
    ...order,
    field: Number(field) - 1,
    char: char === undefined ? 0 : Number(char) - 1,
    // Without a character the field is taken to its end: up to the start of the next one.
    endField: comma === undefined ? null : Number(endField) - (lastChar === 0 ? 0 : 1),
    endChar: lastChar,
  }
}

/** Adds ordering options by letter; false where one is none. Blanks are skipped at one end of a key, or at both. */
export function addLetters(order: SortOrder, letters: string, end: 'start' | 'end' | 'both'): boolean {
  for (const letter of letters) {
    switch (letter) {
      case 'b':
        if (end !== 'end') order.skipStartBlanks = true
        if (end !== 'start') order.skipEndBlanks = true
        break
      case 'd':
        order.ignore = 'dictionary'
        break
      case 'f':
        order.fold = true
        break
      case 'g':
        order.general = true
        break
      case 'h':
        order.human = true
        break
      case 'i':
        // -d takes away more.
        order.ignore ??= 'nonprinting'
        break
      case 'M':
        order.month = true
        break
      case 'n':
        order.numeric = true
        break
      case 'R':
        order.random = true
        break
      case 'r':
        order.reverse = true
        break
      case 'V':
        order.version = true
        break
      default:
        return false
    }
  }
  return true
}

/** True where nothing but the direction was asked for. */
export function isPlain(order: SortOrder): boolean {
  const { skipStartBlanks, skipEndBlanks, ignore, fold, general, human, month, numeric, random, version } = order
  return !(skipStartBlanks || skipEndBlanks || ignore || fold || general || human || month || numeric || random || version)
}

/** The letters of orders that can't go together; null where all can. */
export function incompatibleLetters({ ignore, fold, general, human, month, numeric, random, version }: SortOrder): string | null {
  const kinds = Number(numeric) + Number(general) + Number(human) + Number(month) + Number(version || random || ignore !== null)
  if (kinds <= 1) return null
  const letters = [
    ignore === 'dictionary' && 'd',
    fold && 'f',
    general && 'g',
    human && 'h',
    ignore === 'nonprinting' && 'i',
    month && 'M',
    numeric && 'n',
    random && 'R',
    version && 'V',
  ]
  return letters.filter((letter) => letter !== false).join('')
}
