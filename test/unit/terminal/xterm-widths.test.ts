import { expect, test } from 'vitest'
import { graphemes, graphemeWidth } from '../../../src/terminal/line-editor/text-width.ts'
import { xtermWidths } from '../../../src/terminal/xterm-widths.ts'

/** Cells as xterm.js makes them of a text, each with its columns. */
function cells(text: string): readonly (readonly [text: string, width: number])[] {
  const made: [string, number][] = []
  let preceding = 0
  for (const char of text) {
    preceding = xtermWidths.charProperties(char.codePointAt(0) as number, preceding)
    const last = made.at(-1)
    if ((preceding & 1) === 1 && last !== undefined) {
      last[0] += char
      last[1] = (preceding >> 1) & 3
    } else made.push([char, (preceding >> 1) & 3])
  }
  return made
}

test.each(['plain text', 'é e\u0301 o\u0308\u0323', '漢字かな한글 ｆｕｌｌ', '👍👍🏽👩‍🚀👨‍👩‍👧‍👦🏳️‍🌈', '🇫🇷🇩🇪🇫', '❤ ❤️ ☎️ 1️⃣ ©'])(
  'cells are what the line editor takes for one character: %s',
  (text) => {
    const wanted = Array.from(graphemes(text), ({ segment }) => [segment, graphemeWidth(segment)])
    expect(cells(text).filter(([, width]) => width > 0)).toEqual(wanted.filter(([, width]) => width !== 0))
  },
)
