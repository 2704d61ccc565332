import { expect, test } from 'vitest'
import { layOut } from '../../../src/terminal/line-editor/layout.ts'
import type { Completion, EditorRequest, EditorStep } from '../../../src/terminal/line-editor/line-editor.ts'
import { LineEditor } from '../../../src/terminal/line-editor/line-editor.ts'
import { Screen } from './screen.ts'

const encoder = new TextEncoder()

interface Typist {
  readonly screen: Screen
  readonly editor: LineEditor
  /** Types on one terminal; what the editor asked for. */
  type(text: string): EditorRequest | null
  take(step: EditorStep): EditorRequest | null
}

function typist(
  options: { columns?: number; history?: readonly string[]; prompt?: string; incomplete?: (text: string) => boolean } = {},
): Typist {
  const columns = options.columns ?? 40
  const screen = new Screen(columns)
  const editor = new LineEditor({
    size: { columns, rows: 1000, reflows: true },
    history: options.history ?? [],
    isIncomplete: options.incomplete ?? (() => false),
  })
  const take = (step: EditorStep): EditorRequest | null => {
    screen.write(step.screen)
    return step.request
  }
  take(editor.begin({ first: options.prompt ?? '$ ', further: '> ' }))
  return { screen, editor, take, type: (text) => take(editor.feed(encoder.encode(text))) }
}

/** Keys typed, and the line that Enter then gives. */
test.each([
  ['plain text', 'echo hi', 'echo hi'],
  ['^A and ^E', 'bc\x01a\x05d', 'abcd'],
  ['^B and ^F', 'ac\x02b\x06d', 'abcd'],
  ['arrows', 'ac\x1b[Db\x1b[Cd', 'abcd'],
  ['arrows of the application mode', 'ac\x1bODb\x1bOCd', 'abcd'],
  ['Home and End', 'bc\x1b[Ha\x1b[Fd', 'abcd'],
  ['Home and End as numbers', 'bc\x1b[1~a\x1b[4~d', 'abcd'],
  ['backspace', 'abx\x7fc', 'abc'],
  ['backspace as ^H', 'abx\x08c', 'abc'],
  ['Delete', 'axb\x1b[D\x1b[D\x1b[3~', 'ab'],
  ['^D within a line', 'axb\x02\x02\x04', 'ab'],
  ['^K', 'keep gone\x02\x02\x02\x02\x02\x0b', 'keep'],
  ['^U', 'gone kept\x1bb\x15', 'kept'],
  ['^W cuts what blanks part', 'cat /a/b-c\x17x', 'cat x'],
  ['M-backspace cuts letters and digits', 'cat /a/b-c\x1b\x7fx', 'cat /a/b-x'],
  ['M-d', 'one two\x01\x1bd', ' two'],
  ['M-b and M-f', 'one two three\x1bb\x1bbX\x1bfY', 'one XtwoY three'],
  ['words with ^left and ^right', 'one two\x1b[1;5D_\x1b[1;5C!', 'one _two!'],
  ['^Y after ^U', 'abc\x15x\x19', 'xabc'],
  ['cuts in a row are one', 'one two three\x17\x17x\x19', 'one xtwo three'],
  ['cuts forward in a row are one', 'one two\x01\x1bd\x1bdx\x19', 'xone two'],
  ['M-y takes the cut before', 'aa\x15bb\x15\x19\x1by', 'aa'],
  ['^T at the end', 'ab\x14', 'ba'],
  ['^T within', 'abc\x02\x14', 'acb'],
  ['M-u M-l M-c', 'aa Bb cC\x01\x1bu\x1bl\x1bc', 'AA bb Cc'],
  ['^_ takes back', 'one two\x17\x1f', 'one two'],
  ['^_ takes typing back as a whole', 'one\x17two\x1f\x1f', 'one'],
  ['^V inserts a key as it is', 'a\x16\tb', 'a\tb'],
  ['wide characters move as one', '漢字\x1b[D\x7f', '字'],
  ['a family is one character', 'a👨‍👩‍👧b\x1b[D\x7f', 'ab'],
  ['accents stay with their letter', 'ae\u0301b\x1b[D\x7f', 'ab'],
  ['unknown sequences are passed over', 'a\x1b[15~\x1b[200;9ub', 'ab'],
  ['a paste is inserted as it is', '\x1b[200~a\tb\r\nc\x01\x1b[201~', 'a\tb\nc\x01'],
  ['M-Enter adds a line', 'a\x1b\rb', 'a\nb'],
])('%s', (_name, keys, line) => {
  expect(typist().type(`${keys}\r`)).toEqual({ type: 'line', text: line })
})

test('bytes may be cut anywhere', () => {
  const keys = encoder.encode('漢\x1b[D\x1b[200~x👍\x1b[201~y\x1b[3~z')
  for (let cut = 1; cut < keys.length; cut++) {
    const { editor, take } = typist()
    take(editor.feed(keys.subarray(0, cut)))
    take(editor.feed(keys.subarray(cut)))
    expect(take(editor.feed(encoder.encode('\r')))).toEqual({ type: 'line', text: 'x👍yz' })
  }
})

test('^D ends the input on an empty line, ^C drops the line', () => {
  expect(typist().type('\x04')).toEqual({ type: 'end' })
  const { screen, type, editor, take } = typist()
  expect(type('abc\x02\x03')).toEqual({ type: 'interrupt' })
  take(editor.begin({ first: '$ ', further: '> ' }))
  expect(screen.rows).toEqual(['$ abc^C', '$'])
})

test('keys typed ahead wait for the next line', () => {
  const { editor, take, type, screen } = typist()
  expect(type('one\rtwo\rthr')).toEqual({ type: 'line', text: 'one' })
  expect(take(editor.begin({ first: '$ ', further: '> ' }))).toEqual({ type: 'line', text: 'two' })
  expect(take(editor.begin({ first: '$ ', further: '> ' }))).toEqual(null)
  expect(type('ee\r')).toEqual({ type: 'line', text: 'three' })
  expect(screen.rows).toEqual(['$ one', '$ two', '$ three'])
})

test('Enter goes on to the next line while the text is incomplete', () => {
  const { screen, type } = typist({ incomplete: (text) => text.split("'").length % 2 === 0 })
  expect(type("echo 'a\rb\x01>\x1b[A<\r")).toBe(null)
  expect(screen.rows).toEqual(["$ e<cho 'a", '> >b', '>'])
  expect(type("c'\r")).toEqual({ type: 'line', text: "e<cho 'a\n>b\nc'" })
})

test('up and down go through the history, and keep what was typed', () => {
  const { screen, type } = typist({ history: ['first', 'second\nhalf', 'third'] })
  type('new\x1b[A')
  expect(screen.rows).toEqual(['$ third'])
  type('\x1b[A')
  expect(screen.rows).toEqual(['$ second', '> half'])
  type('\x1b[A!\x1b[A')
  expect(screen.rows).toEqual(['$ first'])
  type('\x1b[A')
  expect(screen.bells).toBe(1)
  type('\x1b[B')
  expect(screen.rows).toEqual(['$ seco!nd', '> half'])
  type('\x1b[B\x0e\x0e')
  expect(screen.rows).toEqual(['$ new'])
  type('\x1b<')
  expect(screen.rows).toEqual(['$ first'])
  expect(type('\x1b>\r')).toEqual({ type: 'line', text: 'new' })
})

test('a remembered line is the first that comes back', () => {
  const { editor, type, take } = typist({ history: ['old'] })
  type('new\r')
  editor.remember('new')
  editor.remember('new')
  take(editor.begin({ first: '$ ', further: '> ' }))
  expect(type('\x10\x10\r')).toEqual({ type: 'line', text: 'old' })
})

test('M-. inserts the last word of earlier lines', () => {
  expect(typist({ history: ['a b', 'c  d '] }).type('x \x1b.\r')).toEqual({ type: 'line', text: 'x d' })
  expect(typist({ history: ['a b', 'c  d '] }).type('x \x1b.\x1b.\r')).toEqual({ type: 'line', text: 'x b' })
})

test('^R searches the history', () => {
  const { screen, type } = typist({ history: ['make all', 'ls', 'make test', 'cat make'] })
  type('x\x12mak')
  expect(screen.rows).toEqual(["(reverse-i-search)`mak': cat make"])
  expect(screen.cursor).toEqual([0, 29])
  type('\x12')
  expect(screen.rows).toEqual(["(reverse-i-search)`mak': make test"])
  type('\x12\x12')
  expect(screen.rows).toEqual(["(failed reverse-i-search)`mak': make all"])
  type('\x7f')
  expect(screen.rows).toEqual(["(reverse-i-search)`ma': cat make"])
  type('ke t')
  expect(screen.rows).toEqual(["(reverse-i-search)`make t': make test"])
  expect(type('\x05!\r')).toEqual({ type: 'line', text: 'make test!' })
})

test('^G leaves a search with the line as it was, a lone ESC with the line that was found', () => {
  const { screen, type, editor, take } = typist({ history: ['make all'] })
  type('x\x12ma\x07')
  expect(screen.rows).toEqual(['$ x'])
  type('\x12ma\x1b')
  expect(editor.escapeWaits).toBe(true)
  take(editor.flush())
  expect(editor.escapeWaits).toBe(false)
  expect(screen.rows).toEqual(['$ make all'])
})

const names = (...texts: string[]): Completion['candidates'] => texts.map((text) => ({ text, shown: text.trimEnd() }))

test('Tab asks for completions and inserts what all have in common', () => {
  const { screen, type, editor, take } = typist()
  expect(type('cat re\tx')).toEqual({ type: 'completion', text: 'cat re', cursor: 6 })
  take(editor.complete({ start: 4, candidates: names('readme.md', 'readme.txt') }))
  expect(screen.rows).toEqual(['$ cat readme.x'])
  type('\x7f\t')
  take(editor.complete({ start: 4, candidates: names('readme.md', 'readme.txt') }))
  expect(screen.bells).toBe(1)
  type('\t')
  take(editor.complete({ start: 4, candidates: names('readme.md', 'readme.txt') }))
  expect(screen.rows).toEqual(['$ cat readme.', 'readme.md   readme.txt', '$ cat readme.'])
  type('m\t')
  take(editor.complete({ start: 4, candidates: names('readme.md ') }))
  expect(type('x\r')).toEqual({ type: 'line', text: 'cat readme.md x' })
  type('\t')
})

test('nothing to complete rings the bell; the text behind the cursor stays', () => {
  const { screen, type, editor, take } = typist()
  type('xy z\x1b[D\x1b[D\t')
  take(editor.complete({ start: 0, candidates: [] }))
  expect(screen.bells).toBe(1)
  type('\t')
  take(editor.complete({ start: 0, candidates: names('xylophone ') }))
  expect(screen.rows).toEqual(['$ xylophone  z'])
})

test('very many candidates are shown when that is wanted', () => {
  const many = names(...Array.from({ length: 101 }, (_, index) => `n${index}`))
  const ask = (answer: string): readonly string[] => {
    const { screen, type, editor, take } = typist({ columns: 200 })
    for (const key of ['n\t', '\t']) {
      type(key)
      take(editor.complete({ start: 0, candidates: many }))
    }
    type(answer)
    return screen.rows
  }
  expect(ask('n')).toEqual(['$ n', 'Display all 101 possibilities? (y or n)', '$ n'])
  expect(ask('y').length).toBe(7)
})

test('^L clears the screen and keeps the line', () => {
  const { screen, type } = typist()
  type('one\r')
  const again = typist()
  again.type('abc\x02\x0c')
  expect(again.screen.rows).toEqual(['$ abc'])
  expect(again.screen.cursor).toEqual([0, 4])
  expect(screen.rows).toEqual(['$ one'])
})

test('long lines break at the edge, wide characters whole', () => {
  const { screen, type } = typist({ columns: 10 })
  type('12345678')
  expect(screen.rows).toEqual(['$ 12345678'])
  expect(screen.cursor).toEqual([1, 0])
  type('\x7f漢')
  expect(screen.rows).toEqual(['$ 1234567', '漢'])
  type('\x01x')
  expect(screen.rows).toEqual(['$ x1234567', '漢'])
  expect(screen.cursor).toEqual([0, 3])
})

test('a prompt may be coloured and have several lines', () => {
  const { screen, type } = typist({ prompt: 'top\n\x1b[32m~\x1b[0m $ ' })
  type('ab\x1b[D')
  expect(screen.rows).toEqual(['top', '~ $ ab'])
  expect(screen.cursor).toEqual([1, 5])
})

test('another width draws anew', () => {
  const { editor, screen, type } = typist({ columns: 10 })
  type('0123456789')
  const wide = new Screen(20)
  wide.write('$ 0123456789')
  wide.write(editor.resize({ columns: 20, rows: 1000, reflows: true }).screen)
  expect(wide.rows).toEqual(['$ 0123456789'])
  expect(wide.cursor).toEqual([0, 12])
  expect(screen.rows).toEqual(['$ 01234567', '89'])
})

test('whatever is typed, the screen shows the line and the cursor stands in it', () => {
  const parts = ['a', 'b ', 'word', ' ', '漢', '👨‍👩‍👧', 'e\u0301', '\t', '\x01', '\x05', '\x02', '\x06', 'x\x02\x04', '\x0b', '\x15', '\x17', '\x19', '\x14', '\x1f', '\x1bb', '\x1bf', '\x1bd', '\x1b\r', '\x1b[A', '\x1b[B', '\x1b[3~', '\x7f', '\x12wo\x07', '\x1b[200~l\nm\x1b[201~', '\x1b.'] // biome-ignore format: one list
  const random = generator(7)
  for (let round = 0; round < 300; round++) {
    const columns = 4 + (random() % 30)
    const { editor, screen, take } = typist({ columns, history: ['word one', 'two\nwords', '漢字'] })
    for (let step = 0; step < 30; step++) {
      const part = parts[random() % parts.length] as string
      if (take(editor.feed(encoder.encode(part)))?.type === 'completion') take(editor.complete({ start: 0, candidates: [] }))
      const expected = new Screen(columns)
      const layout = layOut({ prompt: '$ ', continuation: '> ', ...editor.buffer }, columns)
      expected.write(layout.rows.join(''))
      expect(screen.rows).toEqual(expected.rows)
      expect(screen.cursor).toEqual([layout.row, layout.column])
    }
  }
})

test('a text longer than the screen is shown around the cursor', () => {
  const parts = ['a', 'words ', '漢', '\x01', '\x05', '\x02', '\x06', '\x0b', '\x17', '\x19', '\x1bb', '\x1bf', '\x1b\r', '\x1b[A', '\x1b[B', '\x7f', '\x1b[200~one\ntwo\nthree words more\x1b[201~'] // biome-ignore format: one list
  const random = generator(3)
  for (let round = 0; round < 200; round++) {
    const columns = 5 + (random() % 12)
    const rows = 2 + (random() % 5)
    const screen = new Screen(columns, rows)
    const editor = new LineEditor({ size: { columns, rows, reflows: true }, history: ['one'], isIncomplete: () => false })
    screen.write(editor.begin({ first: '$ ', further: '> ' }).screen)
    for (let step = 0; step < 40; step++) {
      screen.write(editor.feed(encoder.encode(parts[random() % parts.length] as string)).screen)
      const layout = layOut({ prompt: '$ ', continuation: '> ', ...editor.buffer }, columns)
      const whole = new Screen(columns)
      whole.write(layout.rows.join(''))
      const [row, column] = screen.cursor
      const top = layout.row - (row - screen.top)
      expect(column).toBe(layout.column)
      expect(screen.visible).toEqual(trimmed(whole.rows.slice(top, top + rows)))
    }
  }
})

/** Without the rows at the end that hold nothing, the last one apart. */
function trimmed(rows: readonly string[]): readonly string[] {
  const kept = [...rows]
  while (kept.length > 1 && kept.at(-1) === '') kept.pop()
  return kept
}

function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return state >>> 8
  }
}
