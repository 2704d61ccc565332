import { encode } from '../bytes.ts'

/** Bytes of arguments that find and xargs hand to one command, each counted with the zero that ends it. */
export const COMMAND_LINE_BYTES = 131_072

/** What an argument takes of {@link COMMAND_LINE_BYTES}. */
export function argumentBytes(text: string): number {
  return (ASCII.test(text) ? text.length : encode(text).length) + 1
}

const ASCII = /^[\x00-\x7f]*$/
