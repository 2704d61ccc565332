import { encode } from '../bytes.ts'

/** Bytes of arguments that find and xargs hand to one command, each counted with the zero that ends it. */
export const COMMAND_LINE_BYTES = 131_072

/** What an argument takes of {@link COMMAND_LINE_BYTES}. */
export function argumentBytes(text: string): number {
  return (ASCII.test(text) ? text.length : encode(text).length) + 1
}

/** The signal that a status of `context.run` stands for, null for none: of the high ones, those a command rarely ends with itself. */
export function signalOfStatus(status: number): number | null {
  return status === 137 || status === 141 || status === 143 ? status - 128 : null
}

const ASCII = /^[\x00-\x7f]*$/
