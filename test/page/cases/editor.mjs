import { equal, match } from 'node:assert/strict'

const HOME = '/home/user'

export const editorCases = [
  {
    name: 'a text is edited and saved with Ctrl+S',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.runs('echo first > edit.txt')
      await person.click(`.tree-row[data-path="${HOME}/edit.txt"]`)
      await person.reads('.code-text', 'first\n')
      equal(await person.page.$eval('.code-gutter', (gutter) => gutter.textContent), '1\n2')
      await person.press('Control+End')
      await person.keys.type('second')
      await person.press('Enter')
      await person.sees('the mark of what is not saved', () => document.querySelector('#editor-area .tab-mark') !== null)
      equal(await person.page.$eval('.code-gutter', (gutter) => gutter.textContent), '1\n2\n3')
      await person.press('Control+s')
      await person.sees('no mark', () => document.querySelector('#editor-area .tab-mark') === null)
      equal(await person.runs('cat edit.txt'), 'first\nsecond')
    },
  },
  {
    name: 'what changes meanwhile is shown; where a person has changes, they decide',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.runs('echo one > c.txt')
      await person.click(`.tree-row[data-path="${HOME}/c.txt"]`)
      await person.reads('.code-text', 'one')
      await person.runs('echo two > c.txt')
      await person.reads('.code-text', 'two')
      await person.click('.code-text')
      await person.press('Control+Home')
      await person.keys.type('mine ')
      await person.runs('echo three > c.txt')
      await person.reads('.conflict', 'c.txt was changed meanwhile.')
      await person.click('.code-text')
      await person.press('Control+s')
      equal(await person.runs('cat c.txt'), 'three')
      await person.clickNamed('Keep mine')
      await person.sees('no mark', () => document.querySelector('#editor-area .tab-mark') === null)
      equal(await person.runs('cat c.txt'), 'mine two')
      await person.click('.code-text')
      await person.keys.type('x')
      await person.runs('echo four > c.txt')
      await person.clickNamed('Take the new one')
      await person.reads('.code-text', 'four')
      await person.click('.code-text')
      await person.keys.type('x')
      await person.clickNamed('Close c.txt')
      await person.reads('dialog', 'Save c.txt?')
      await person.clickNamed('Throw away')
      await person.sees('no editor', () => document.querySelector('#editor-area').getClientRects().length === 0)
      equal(await person.runs('cat c.txt'), 'four')
    },
  },
  {
    name: 'what an edit does not change stays as it is: line ends, and bytes that are no text',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.runs("printf 'a\\r\\nb\\r\\n' > crlf.txt; printf 'a\\r\\nb\\n' > mixed.txt; { seq 20000; printf '\\377'; } > late.txt")
      await person.click(`.tree-row[data-path="${HOME}/crlf.txt"]`)
      await person.reads('.code-text', 'a\nb\n')
      equal(await person.page.$('#editor-area .tab-mark'), null)
      await person.press('Control+End')
      await person.keys.type('c')
      await person.press('Control+s')
      await person.sees('it is saved', () => document.querySelector('#editor-area .tab-mark') === null)
      equal(await person.runs("wc -c < crlf.txt; grep -c $'\\r' crlf.txt"), '7\n2')
      await person.click(`.tree-row[data-path="${HOME}/mixed.txt"]`)
      await person.reads('.view-bar-line', 'one kind of line ends')
      await person.click(`.tree-row[data-path="${HOME}/late.txt"]`)
      await person.reads('.view-bar-line', 'Shown in parts')
    },
  },
  {
    name: 'a file that is renamed stays open; one that is no text any more is shown as it is',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.runs('echo text > old.txt')
      await person.click(`.tree-row[data-path="${HOME}/old.txt"]`)
      await person.reads('.code-text', 'text')
      await person.menu(`${HOME}/old.txt`, 'Rename')
      await person.names('new.txt')
      await person.reads('#editor-area .tab-label', 'new.txt')
      await person.readsNot('#editor-area .tab-label', 'old.txt')
      await person.reads('.code-text', 'text')
      await person.runs("printf '\\0' > new.txt")
      await person.reads('.part-text', '00000000  00')
    },
  },
  {
    name: 'images are shown, binary files as hex, large ones in parts',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.click(`.tree-row[data-path="${HOME}/notes"]`)
      await person.click(`.tree-row[data-path="${HOME}/notes/logo.svg"]`)
      await person.reads('.image-view', '256 × 256')
      await person.runs("printf 'MZ\\0\\1hello\\377' > bin; seq 400000 > large.txt")
      await person.click(`.tree-row[data-path="${HOME}/bin"]`)
      equal(await person.reads('.part-text', '00000000'), '00000000  4d 5a 00 01 68 65 6c 6c  6f ff                    MZ..hello.')
      await person.click(`.tree-row[data-path="${HOME}/large.txt"]`)
      match(await person.reads('.part-text', '1\n2\n3\n'), /^1\n2\n3\n/)
      await person.reads('.part-where', '0 B – 65.5 kB of 2.69 MB')
      await person.clickNamed('Later')
      await person.reads('.part-where', '65.5 kB – 131 kB of 2.69 MB')
      await person.click('.part-jump')
      await person.keys.type('2688800')
      await person.press('Enter')
      await person.reads('.part-text', '399999\n400000\n')
    },
  },
]
