import { equal, match } from 'node:assert/strict'

const SETUP = 'cd data; x=7; names=(ada grace); greet() { echo "hello ${names[$1]}"; }; echo kept > kept.txt'

export const lastingCases = [
  {
    name: 'everything is there after a reload',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.runs(SETUP)
      await person.click('.tree-row[data-path="/home/user/README.md"]')
      await person.reads('.code-text', '# Your workspace')
      await person.reload()
      await person.reads('.code-text', '# Your workspace')
      await person.shows('kept > kept.txt')
      await expectAll(person)
    },
  },
  {
    name: 'everything is there when the browser was closed and opened again',
    run: async ({ own, url }) => {
      const first = await own('reopened')
      const person = await first.open()
      await person.open(url)
      await person.runs(SETUP)
      await first.close()
      const second = await own('reopened')
      try {
        const again = await second.open()
        await again.open(url)
        await expectAll(again)
      } finally {
        await second.close()
      }
    },
  },
  {
    name: 'two tabs share the workspace live',
    run: async ({ fresh, url }) => {
      const browser = await fresh()
      const one = await browser.open()
      await one.open(url)
      const two = await browser.open()
      await two.open(url)
      await one.page.bringToFront()
      await one.runs('cd data; shared=yes; echo new > from-one.txt; cd ..')
      await two.page.bringToFront()
      await two.reads('.state-row', 'sharedyes')
      await two.click('.tree-row[data-path="/home/user/data"]')
      await two.row('/home/user/data/from-one.txt')
      await two.click('#inspector-history')
      await two.reads('.history-command', 'shared=yes')
      equal(await two.runs('echo $shared; cat data/from-one.txt; rm data/from-one.txt; cd notes'), 'yes\nnew')
      await one.page.bringToFront()
      await one.reads('.state-cwd', '/home/user/notes')
      await one.shows('main:~/notes$')
      await one.clickNamed('New session')
      await one.reads('#session-bar .tab-label', 'shell-2')
      await two.page.bringToFront()
      await two.reads('#session-bar .tab-label', 'shell-2')
      await two.row('/home/user/data/from-one.txt', true)
    },
  },
  {
    name: 'a reset begins anew, in every tab',
    run: async ({ fresh, url }) => {
      const browser = await fresh()
      const one = await browser.open()
      await one.open(url)
      const two = await browser.open()
      await two.open(url)
      await one.page.bringToFront()
      await one.runs('x=1; echo > mine.txt; rm README.md')
      await one.click('.storage-button')
      await one.clickNamed('Reset workspace …')
      await one.clickNamed('Delete everything')
      await one.shows('Try:')
      await one.row('/home/user/README.md')
      await one.row('/home/user/mine.txt', true)
      await one.prompt()
      equal(await one.runs('echo "[$x]"'), '[]')
      await two.page.bringToFront()
      await two.row('/home/user/README.md')
      await two.click('#inspector-history')
      await two.readsNot('.history-command', 'mine.txt')
    },
  },
]

async function expectAll(person) {
  await person.reads('.state-cwd', '/home/user/data')
  await person.reads('.state-row', 'x7')
  await person.reads('.state-row', 'greet()')
  match(
    await person.runs('pwd; echo $x; greet 1; cat kept.txt; history | tail -2 | head -1'),
    /^\/home\/user\/data\n7\nhello grace\nkept\n +1 {2}cd data; x=7/,
  )
  await person.click('#inspector-history')
  await person.reads('.history-command', 'cd data; x=7')
  await person.row('/home/user/README.md')
}
