import { equal } from 'node:assert/strict'

export const sessionCases = [
  {
    name: 'sessions are tabs, each with a shell and a terminal of its own',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.runs('where=first; cd data')
      await person.clickNamed('New session')
      await person.session('shell-2')
      equal(await person.runs('echo "[$where]"; pwd; where=second'), '[]\n/home/user')
      await person.reads('.state-row', 'wheresecond')
      await person.press('Alt+PageUp')
      await person.session('main')
      equal(await person.runs('echo $where; pwd'), 'first\n/home/user/data')
      await person.press('Alt+PageDown')
      await person.session('shell-2')
      await person.reload()
      await person.sees('both tabs', () => document.querySelectorAll('#session-bar [role=tab]').length === 2)
      equal(await person.runs('echo $where'), 'second')
    },
  },
  {
    name: 'a session is closed when that is confirmed, and its history stays',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.clickNamed('New session')
      await person.session('shell-2')
      await person.runs('gone=1')
      await person.press('Alt+Shift+KeyW')
      await person.reads('dialog', 'Close session shell-2?')
      await person.press('Escape')
      await person.sees('the dialog is away', () => document.querySelector('dialog') === null)
      equal(await person.runs('echo $gone'), '1')
      await person.clickNamed('Close shell-2')
      await person.clickNamed('Close session')
      await person.session('main')
      await person.sees('one tab', () => document.querySelectorAll('#session-bar [role=tab]').length === 1)
      await person.click('#inspector-history')
      await person.reads('.history-command', 'gone=1')
      await person.press('Alt+Shift+KeyN')
      await person.session('shell-2')
      equal(await person.runs('echo "[$gone]"'), '[]')
    },
  },
  {
    name: 'exit begins another shell on the same session',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.runs('x=5')
      await person.keys.type('exit')
      await person.press('Enter')
      await person.shows('The shell ended')
      await person.prompt()
      equal(await person.runs('echo $x'), '5')
    },
  },
]
