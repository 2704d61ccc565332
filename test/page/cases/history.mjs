import { deepEqual, equal } from 'node:assert/strict'

export const historyCases = [
  {
    name: 'the history is searched, filtered, run again and inserted',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.runs('echo apple one')
      await person.runs('cat nowhere')
      await person.runs('echo pear two')
      await person.clickNamed('New session')
      await person.session('shell-2')
      await person.runs('echo apple three')
      await person.click('#inspector-history')
      await commands(person, ['echo apple three', 'echo pear two', 'cat nowhere', 'echo apple one'])
      await person.click('.history-search')
      await person.keys.type('apple echo')
      await commands(person, ['echo apple three', 'echo apple one'])
      await person.page.select('select[aria-label=Session]', 'main')
      await commands(person, ['echo apple one'])
      await person.press('Control+a', 'Backspace')
      await person.page.select('select[aria-label=Status]', 'failed')
      await commands(person, ['cat nowhere'])
      await person.reads('.history-status', 'exit 1')
      await person.page.select('select[aria-label=Status]', 'any')
      await person.page.select('select[aria-label=Session]', '')
      await person.page.select('select[aria-label=Time]', '3600000')
      await commands(person, ['echo apple three', 'echo pear two', 'cat nowhere', 'echo apple one'])
      await person.click('.history-search')
      await person.press('ArrowDown', 'ArrowDown', 'Enter')
      await person.shows('\npear two\n')
      await person.prompt()
      await person.reads('.history-foot', '5 of 5')
      await person.click('.history-row:last-child')
      await person.shows('$ echo apple one')
      await person.keys.type(' more')
      await person.press('Enter')
      await person.shows('\napple one more\n')
    },
  },
  {
    name: 'a line of many rows is found and run again as it was',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      for (const row of ['for n in 1 2; do', '  echo "row $n"']) {
        await person.keys.type(row)
        await person.press('Enter')
        await person.shows('\n>')
      }
      await person.keys.type('done')
      await person.press('Enter')
      await person.shows('\nrow 1\nrow 2\n')
      await person.prompt()
      await person.click('#inspector-history')
      await person.reads('.history-command', 'for n in 1 2; do\n  echo "row $n"\ndone')
      await person.clickNamed('Run again')
      const screen = await person.sees('it ran twice', () => {
        const { active } = document.querySelector('.terminal-view:not([hidden])').terminal.buffer
        let count = 0
        for (let row = 0; row < active.length; row += 1) if (active.getLine(row).translateToString(true) === 'row 2') count += 1
        return count === 2
      })
      equal(screen, true)
    },
  },
]

async function commands(person, wanted) {
  await person.sees(
    `the history shows ${JSON.stringify(wanted)}`,
    (texts) => JSON.stringify([...document.querySelectorAll('.history-command')].map((one) => one.textContent)) === JSON.stringify(texts),
    wanted,
  )
  deepEqual(await person.page.$$eval('.history-command', (all) => all.map((one) => one.textContent)), wanted)
}
