import { deepEqual, equal, match, ok } from 'node:assert/strict'

export const terminalCases = [
  {
    name: 'a flood of output ends at Ctrl+C',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.keys.type('yes flood')
      await person.press('Enter')
      await person.shows('\nflood\nflood\n')
      const pressed = performance.now()
      await person.press('Control+c')
      await person.prompt()
      ok(performance.now() - pressed < 5000, 'it ends at once')
      await person.keys.type('echo after')
      await person.press('Enter')
      await person.shows('\nafter\n')
    },
  },
  {
    name: 'text is copied from the terminal and pasted into it',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.click('#inspector-history')
      await person.click('.history-search')
      await person.keys.type('echo pasted')
      await person.press('Control+a', 'Control+x')
      await person.focusTerminal()
      await person.press('Control+v')
      await person.shows('$ echo pasted')
      await person.press('Enter')
      await person.shows('\npasted\n')
      await person.prompt()
    },
  },
  {
    name: 'a new workspace has a welcome, examples and a session in the home folder',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.shows('bash scripts/report.sh')
      for (const name of ['data', 'notes', 'scripts', 'README.md']) await person.row(`/home/user/${name}`)
      equal(await person.page.title(), 'mirage · workspace')
      await person.reads('.state-cwd', '/home/user')
      await person.reads('.storage-text', 'B of ')
      equal(await person.page.evaluate(() => document.activeElement.closest('.terminal-view') !== null), true)
    },
  },
  {
    name: 'what the welcome says to try works',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      equal(await person.runs('seq 10 | sort -nr | head -3'), '10\n9\n8')
      equal(await person.runs('for n in 1 2 3; do echo $((n * n)); done'), '1\n4\n9')
      equal(await person.runs('greet() { echo "hello $1"; }; greet you'), 'hello you')
      equal(
        await person.runs('grep -rn moon . | sort | head -2'),
        ['./README.md:12:    grep -rn moon . | sort', './data/planets.csv:1:name,moons,radius_km'].join('\n'),
      )
      deepEqual((await person.runs("find . -name '*.md' -size -2k")).split('\n').sort(), ['./README.md', './notes/moons.md'])
      match(await person.runs('bash scripts/report.sh'), /^moons in all: 288\n {2}Saturn {4}146 {2}#+\n/)
    },
  },
  {
    name: 'lines are edited, completed and found again in the history',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.keys.type('cat REA')
      await person.press('Tab')
      await person.shows('$ cat README.md')
      await person.press('Control+c')
      await person.prompt()
      equal(await person.runs('echo one two'), 'one two')
      await person.press('ArrowUp', 'Control+w')
      await person.keys.type('three')
      await person.press('Enter')
      await person.shows('\none three\n')
      await person.prompt()
      await person.press('Control+r')
      await person.keys.type('one tw')
      await person.press('Enter')
      await person.sees('the found line ran', () => {
        const { active } = document.querySelector('.terminal-view:not([hidden])').terminal.buffer
        let count = 0
        for (let row = 0; row < active.length; row += 1) if (active.getLine(row).translateToString(true) === 'one two') count += 1
        return count === 2
      })
    },
  },
  {
    name: 'Ctrl+C ends a loop that never does, and the page stays alive meanwhile',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.keys.type('while :; do :; done')
      await person.press('Enter')
      await person.sees('the tab says that a line runs', () => document.querySelector('#session-bar .tab-mark') !== null)
      await person.click('#inspector-history')
      await person.reads('#history-panel', 'Nothing was run yet')
      await person.focusTerminal()
      const pressed = performance.now()
      await person.press('Control+c')
      await person.prompt()
      ok(performance.now() - pressed < 5000, 'the loop ends at once')
      equal(await person.runs('echo $?'), '130')
    },
  },
  {
    name: 'what a line prints comes while it runs, and it reads what is typed',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.keys.type('echo first; read name; echo "got $name"')
      await person.press('Enter')
      await person.shows('\nfirst\n')
      await person.keys.type('ada')
      await person.press('Enter')
      await person.shows('\ngot ada\n')
      await person.prompt()
    },
  },
  {
    name: 'the state beside it follows each line',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.runs('cd data; declare -i count=3; names=(ada grace); declare -A ages=([ada]=36)')
      await person.reads('.state-cwd', '/home/user/data')
      await person.reads('.state-row', 'countinteger3')
      await person.reads('.state-row', 'namesarray2 elements[0] ada[1] grace')
      await person.reads('.state-row', 'agesmap1 element[ada] 36')
      await person.runs('greet() { echo "hello $1"; }; alias ll="ls -l"; export WHO=me; readonly FIXED=1')
      await person.reads('.state-row', 'greet()')
      await person.reads('.state-source', 'echo "hello $1"')
      await person.reads('.state-row', 'llls -l')
      await person.reads('.state-row', 'WHOme')
      await person.reads('.state-row', 'FIXEDreadonly1')
      await person.runs('unset count; cd ..')
      await person.readsNot('.state-row', 'count')
      await person.reads('.state-cwd', '/home/user')
    },
  },
]
