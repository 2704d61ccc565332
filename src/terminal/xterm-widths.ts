import { codePointWidth } from './line-editor/text-width.ts'

/** How xterm.js asks how wide characters are. */
export interface XtermUnicode {
  register(provider: XtermWidths): void
  activeVersion: string
}

/** A table of widths. Properties hold whether a code point joins the cell before it, the width of that cell then, and what may join it next. */
export interface XtermWidths {
  readonly version: string
  wcwidth(codePoint: number): 0 | 1 | 2
  charProperties(codePoint: number, preceding: number): number
}

/** What a cell ends with, as far as it matters to what follows. */
const Ending = { other: 0, pictograph: 1, joiner: 2, regional: 3 } as const
type Ending = (typeof Ending)[keyof typeof Ending]

const EMOJI = /^\p{Emoji_Presentation}$/u
const PICTOGRAPH = /^\p{Extended_Pictographic}$/u
const MODIFIER = /^\p{Emoji_Modifier}$/u
const REGIONAL = /^\p{Regional_Indicator}$/u
const JOINER = '\u200d'
const EMOJI_STYLE = '\ufe0f'

/** Widths as the line editor counts them: what a person takes for one character is one cell, and an emoji two columns wide. */
export const xtermWidths: XtermWidths = {
  version: 'graphemes',
  wcwidth: (codePoint) => widthOf(String.fromCodePoint(codePoint)),
  charProperties(codePoint, preceding) {
    // Most of what is shown.
    if (codePoint >= 0x20 && codePoint < 0x7f) return properties(Ending.other, 1, false)
    const char = String.fromCodePoint(codePoint)
    const ending = (preceding >> 3) as Ending
    const before = (preceding >> 1) & 3
    const width = widthOf(char)
    if (before > 0) {
      if (char === EMOJI_STYLE) return properties(Ending.pictograph, 2, true)
      if (char === JOINER) return properties(ending === Ending.pictograph ? Ending.joiner : Ending.other, before, true)
      if (width === 0) return properties(ending, before, true)
      if (MODIFIER.test(char) && ending === Ending.pictograph) return properties(Ending.pictograph, 2, true)
      if (PICTOGRAPH.test(char) && ending === Ending.joiner) return properties(Ending.pictograph, 2, true)
      if (REGIONAL.test(char) && ending === Ending.regional) return properties(Ending.other, 2, true)
    }
    return properties(REGIONAL.test(char) ? Ending.regional : PICTOGRAPH.test(char) ? Ending.pictograph : Ending.other, width, false)
  },
}

function widthOf(char: string): 0 | 1 | 2 {
  return EMOJI.test(char) ? 2 : codePointWidth(char)
}

function properties(ending: Ending, width: number, joins: boolean): number {
  return (ending << 3) | (width << 1) | (joins ? 1 : 0)
}
