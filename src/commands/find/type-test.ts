import type { FileType } from '../../fs/file-system.ts'
import { CommandFailure } from '../utility.ts'

const TYPES: Readonly<Record<FileType, string>> = { file: 'f', directory: 'd', symlink: 'l', 'character-device': 'c', fifo: 'p' }
/** Sockets, doors and block devices may be asked for. */
const LETTERS = 'bcdpflsD'

/** The letter of a type in `-type` and `%y`. */
export function typeLetter(type: FileType): string {
  return TYPES[type]
}

/** The letters of a list such as `f,d`. */
export function typeLetters(text: string, name: string): ReadonlySet<string> {
  if (text === '') throw new CommandFailure(`Arguments to ${name} should contain at least one letter`)
  const letters = new Set<string>()
  for (let at = 0; at < text.length; at += 2) {
    const letter = text[at] as string
    if (!LETTERS.includes(letter)) throw new CommandFailure(`Unknown argument to ${name}: ${letter}`)
    if (letters.has(letter)) throw new CommandFailure(`Duplicate file type '${letter}' in the argument list to ${name}.`)
    letters.add(letter)
    const comma = text[at + 1]
    if (comma !== undefined && comma !== ',') throw new CommandFailure(`Must separate multiple arguments to ${name} using: ','`)
    if (comma === ',' && at + 2 === text.length) {
      throw new CommandFailure(`Last file type in list argument to ${name} is missing, i.e., list is ending on: ','`)
    }
  }
  return letters
}
