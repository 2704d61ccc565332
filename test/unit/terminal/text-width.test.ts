import { expect, test } from 'vitest'
import { graphemes, textWidth } from '../../../src/terminal/line-editor/text-width.ts'

const PARTS = ['a', ' ', '\r', '\n', '\r\n', 'é', 'e\u0301', '\u0301', '漢', 'か', 'か\u3099', 'カ', '한', '\u1112\u1161\u11ab', '👩', '\u200d', '🚀', '\ufe0f', '👍🏽', '🇫', '🇷', '©', 'ক', '্', 'ষ', '\u0600', '\ud800'] // biome-ignore format: one list

test('graphemes are those of the segmenter', () => {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  let state = 11
  const random = (): number => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return state >>> 8
  }
  for (let round = 0; round < 3000; round++) {
    let text = ''
    for (let i = random() % 12; i > 0; i--) text += PARTS[random() % PARTS.length]
    const wanted = Array.from(segmenter.segment(text), ({ segment, index }) => ({ segment, index }))
    expect([...graphemes(text)]).toEqual(wanted)
  }
})

test('a text of a megabyte is measured as well', () => {
  expect(textWidth('é漢'.repeat(350_000))).toBe(1_050_000)
})
