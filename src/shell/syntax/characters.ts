/** Character codes the grammar knows. */
export const TAB = 9
export const NEWLINE = 10
export const SPACE = 32
export const BANG = 33
export const DOUBLE_QUOTE = 34
export const HASH = 35
export const DOLLAR = 36
export const PERCENT = 37
export const AMPERSAND = 38
export const SINGLE_QUOTE = 39
export const LEFT_PAREN = 40
export const RIGHT_PAREN = 41
export const STAR = 42
export const PLUS = 43
export const COMMA = 44
export const DASH = 45
export const DOT = 46
export const SLASH = 47
export const COLON = 58
export const SEMICOLON = 59
export const LESS = 60
export const EQUALS = 61
export const GREATER = 62
export const QUESTION = 63
export const AT = 64
export const LEFT_BRACKET = 91
export const BACKSLASH = 92
export const RIGHT_BRACKET = 93
export const CARET = 94
export const BACKQUOTE = 96
export const LEFT_BRACE = 123
export const PIPE = 124
export const RIGHT_BRACE = 125
export const TILDE = 126

const STOPS_WORD = 1
const STOPS_QUOTED = 2
const NAME_START = 4
const DIGIT = 8

const CLASS = new Uint8Array(128)
for (const character of '\t\n "$&\'();<>[\\`|=~') CLASS[character.charCodeAt(0)] = STOPS_WORD
for (const character of '"$\\`') CLASS[character.charCodeAt(0)] = STOPS_WORD | STOPS_QUOTED
for (let code = 65; code <= 90; code++) CLASS[code] = CLASS[code + 32] = NAME_START
CLASS[95] = NAME_START
for (let code = 48; code <= 57; code++) CLASS[code] = DIGIT

/** Any code up to 127 that may mean something in an unquoted word. */
export function stopsWord(code: number): boolean {
  return code < 128 && ((CLASS[code] as number) & STOPS_WORD) !== 0
}

/** `"`, `$`, backslash, backquote. */
export function stopsQuoted(code: number): boolean {
  return code < 128 && ((CLASS[code] as number) & STOPS_QUOTED) !== 0
}

/** A letter or `_`. False for -1. */
export function isNameStart(code: number): boolean {
  return code >= 0 && code < 128 && ((CLASS[code] as number) & NAME_START) !== 0
}

/** A letter, digit or `_`. False for -1. */
export function isNamePart(code: number): boolean {
  return code >= 0 && code < 128 && ((CLASS[code] as number) & (NAME_START | DIGIT)) !== 0
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/** What ends an unquoted word: a blank, a newline, one of `|&;()<>`, or the end of the text (-1). */
export function endsWord(code: number): boolean {
  switch (code) {
    case -1:
    case TAB:
    case NEWLINE:
    case SPACE:
    case AMPERSAND:
    case LEFT_PAREN:
    case RIGHT_PAREN:
    case SEMICOLON:
    case LESS:
    case GREATER:
    case PIPE:
      return true
    default:
      return false
  }
}

export function isBlank(code: number): boolean {
  return code === SPACE || code === TAB
}

/** One of `@*+?!`, which open an extended pattern before `(`. */
export function opensPattern(code: number): boolean {
  return code === AT || code === STAR || code === PLUS || code === QUESTION || code === BANG
}
