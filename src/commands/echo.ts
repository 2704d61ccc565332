import { encode } from '../bytes.ts'
import { isPromise } from '../host.ts'
import { decodeEcho } from '../shell/syntax/escape-sequence.ts'
import type { Command } from './command.ts'
import { say, writeTo } from './output.ts'

const HELP = `Usage: echo [-neE] [STRING]...
Write the STRINGs, with blanks between them and a newline behind.

  -n             no newline
  -e             backslash escapes stand for characters
  -E             they don't (as without an option)
      --help     show this help
      --version  show the version

Escapes: \\\\ \\a \\b \\c (nothing more) \\e \\f \\n \\r \\t \\v \\0NNN (octal) \\xHH
`

/** `echo` as a program; the shell has its own. */
export const echo: Command = {
  run(args, { name, stdout }) {
    if (args.length === 1 && args[0] === '--help') return say(stdout, HELP)
    if (args.length === 1 && args[0] === '--version') return say(stdout, `${name} (mirage-runtime)\n`)
    let newline = true
    let escapes = false
    let first = 0
    for (; /^-[neE]+$/.test(args[first] ?? ''); first++) {
      for (const letter of (args[first] as string).slice(1)) {
        if (letter === 'n') newline = false
        else escapes = letter === 'e'
      }
    }
    let text = args.slice(first).join(' ')
    if (escapes) {
      const decoded = decodeEcho(text.replace(/\\(\\|[1-7]|[uUE])/g, programEscape))
      text = decoded.text
      if (decoded.stopped) newline = false
    }
    const written = writeTo(stdout, encode(newline ? `${text}\n` : text))
    return isPromise(written) ? written.then(() => 0) : 0
  },
}

/** The program takes octal numbers without a zero before them, and knows no Unicode escapes. */
function programEscape(whole: string, letter: string): string {
  if (letter === '\\') return whole
  return letter >= '1' && letter <= '7' ? `\\0${letter}` : `\\\\${letter}`
}
