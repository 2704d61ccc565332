import { deepEqual, equal, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { colours, namesAndRoles } from './look.mjs'

export const jobCases = [
  {
    name: 'a line runs as a Job, and what it would change is looked at',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.press('Alt+Shift+KeyJ')
      await person.reads('.job-empty', 'No Job yet')
      await runStaged(person, 'sed -i s/moon/MOON/ notes/moons.md; echo "# new" > made.txt; rm data/planets.csv; echo told')
      await person.reads('.job-state', 'completed')
      await person.reads('.job-output', 'told')
      deepEqual(await changes(person, 3), ['D planets.csv', 'M moons.md', 'A made.txt'])
      equal(await person.runs('ls; cat notes/moons.md | grep -c MOON'), 'README.md  data  notes  scripts\n0')
      await person.click('.change-row[data-path="home/user/notes/moons.md"]')
      await person.sees('both sides', () => document.querySelectorAll('.diff-table mark').length === 4)
      deepEqual(await rows(person), [
        '1 # Notes| 1 # Notes',
        '2 | 2 ',
        '3 - The moon of Earth has no name of its own.| 3 - The MOON of Earth has no name of its own.',
        '4 - Saturn has the most moons; see data/planets.csv.| 4 - Saturn has the most MOONs; see data/planets.csv.',
      ])
      await person.reads('.diff-counts', '+2−2')
      await person.reload()
      await person.reads('.job-row', '3 changes')
    },
  },
  {
    name: 'a Job that runs is watched and stopped, from another tab, too',
    run: async ({ fresh, url }) => {
      const browser = await fresh()
      const person = await browser.open()
      await person.open(url)
      await person.press('Alt+Shift+KeyJ')
      await runStaged(person, 'n=0; while :; do : $((n += 1)); echo "row $n" | tee -a rows.txt; sleep 0.1; done')
      await person.reads('.job-output', 'row 3')
      await person.reads('.job-state', 'running')
      const other = await browser.open()
      await other.open(url)
      await other.press('Alt+Shift+KeyJ')
      await other.reads('.job-row', 'running')
      await other.click('.job-row')
      await other.clickNamed('Stop the Job')
      await other.reads('.job-head', 'stopped')
      deepEqual(await changes(other, 1), ['A rows.txt'])
      await person.page.bringToFront()
      await person.reads('.job-head', 'stopped')
      equal(await person.runs('ls rows.txt'), "ls: cannot access 'rows.txt': No such file or directory")
    },
  },
  {
    name: 'a Job whose page went away is named as lost, until it is stopped',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.press('Alt+Shift+KeyJ')
      await runStaged(person, 'echo begun; sleep 600')
      await person.reads('.job-output', 'begun')
      await person.reload()
      await person.reads('.job-row', 'lost')
      await person.click('.job-row')
      await person.clickNamed('Stop the Job')
      await person.reads('.job-head', 'ended')
      await person.reads('.job-outcome', 'was not there at its end')
    },
  },
  {
    name: 'a Job is looked through with the keyboard alone',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.press('Alt+Shift+KeyJ')
      await person.keys.type('seq 3 > one.txt; seq 90 | sed "1d;80d" > notes/two.txt; ln -s one.txt link')
      await person.press('Enter')
      await person.reads('.job-state', 'completed')
      deepEqual(await changes(person, 3), ['A two.txt', 'A link', 'A one.txt'])
      const focused = () =>
        person.page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent)
      equal(await focused(), 'All Jobs')
      await person.press('Tab')
      while (!(await focused()).startsWith('home')) await person.press('Tab')
      equal(await focused(), 'home/user, 3 changes')
      await person.press('ArrowLeft')
      await changes(person, 0)
      await person.press('ArrowRight', 'ArrowRight', 'ArrowDown')
      equal(await focused(), 'two.txt, added, 256 B')
      await person.press('Enter')
      await person.sees('the comparison has the focus', () => document.activeElement.classList.contains('diff-scroll'))
      await person.reads('.diff-counts', '+88−0')
      await person.press('Alt+Shift+KeyJ')
      equal(await focused(), 'All Jobs')
      await person.press('Enter')
      await person.sees('the Job has the focus', () => document.activeElement.classList.contains('job-row'))
    },
  },
  {
    name: 'changes of a Job are applied by file, by folder and all, or dropped',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.press('Alt+Shift+KeyJ')
      await runStaged(person, 'echo one > one; echo two > two; mkdir new; echo three > new/three; echo four > new/four; rm README.md')
      deepEqual(await changes(person, 6), ['A new', 'A four', 'A three', 'D README.md', 'A one', 'A two'])
      await person.click('.change-row[data-path="home/user/one"]')
      await person.reads('.diff-table', 'one')
      await person.clickNamed('Apply this file')
      await person.reads('.toast', 'Applied one')
      await changes(person, 5)
      await person.sees('the comparison is closed', () => document.querySelector('.change-view') === null)
      await person.row('/home/user/one')
      equal(await person.runs('cat one; ls'), 'one\nREADME.md  data  notes  one  scripts')
      await person.menu('home/user/new', 'Apply this folder')
      deepEqual(await changes(person, 2), ['D README.md', 'A two'])
      equal(await person.runs('cat new/*'), 'four\nthree')
      await person.clickNamed('Apply all')
      await person.reads('.job-empty', 'All of them are applied.')
      await person.reads('.moment-title', 'Applied 2 changes')
      equal(await person.runs('ls'), 'data  new  notes  one  scripts  two')
      await person.clickNamed('All Jobs')
      await runStaged(person, 'rm -r *')
      await person.clickNamed('Drop')
      await person.reads('dialog', 'Drop the changes?')
      await person.press('Tab', 'Enter')
      await person.reads('.job-empty', 'They were dropped.')
      equal(await person.runs('ls'), 'data  new  notes  one  scripts  two')
    },
  },
  {
    name: 'what a person changed meanwhile is kept: the Job is refused',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.press('Alt+Shift+KeyJ')
      await runStaged(person, 'echo agent > README.md; echo more > more')
      await changes(person, 2)
      await person.runs('echo person > README.md')
      await person.clickNamed('Apply all')
      await person.reads('.toast-error', 'Could not apply the changes')
      await person.reads('.toast-error', 'README.md')
      equal(await person.runs('cat README.md more'), 'person\ncat: more: No such file or directory')
      await changes(person, 2)
      await person.click('.change-row[data-path="home/user/README.md"]')
      await person.reads('.diff-table', 'agent')
      deepEqual(await rows(person), ['1 person| 1 agent'])
    },
  },
  {
    name: 'checkpoints of a Job are made, looked at, forked and restored',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.press('Alt+Shift+KeyJ')
      await runStaged(person, 'echo seed > seed; echo first > first')
      await changes(person, 2)
      await person.clickNamed('Make a checkpoint')
      await person.sees('the checkpoint', () => document.querySelectorAll('.moment').length === 3)
      await person.menu('home/user/seed', 'Apply this')
      deepEqual(await changes(person, 1), ['A first'])
      await person.click('.moment:nth-child(3) [data-action$=Look]')
      deepEqual(await changes(person, 2), ['A first', 'A seed'])
      await person.reads('.job-title', '2 changes at the checkpoint')
      await person.clickNamed('Back to now')
      deepEqual(await changes(person, 1), ['A first'])
      await person.click('.moment:nth-child(3) [data-action$=Fork]')
      await person.reads('dialog', 'Fork the Job')
      await person.keys.type('cat seed first; echo child > child')
      await person.press('Enter')
      await person.reads('.job-output', 'seed\nfirst')
      deepEqual(await changes(person, 3), ['A child', 'A first', 'A seed'])
      await person.reads('.moment-title', 'Forked from run-')
      await person.click('.moment:last-child [data-action="start Open the Job"]')
      deepEqual(await changes(person, 1), ['A first'])
      await person.click('.moment:nth-child(3) [data-action$=Delete]')
      await person.clickNamed('Delete')
      await person.reads('.toast-error', 'CHECKPOINT_REFERENCED')
      await person.click('.moment:nth-child(3) [data-action$="Restore as a new Job"]')
      await person.reads('.job-state', 'completed')
      deepEqual(await changes(person, 2), ['A first', 'A seed'])
    },
  },
  {
    name: 'a Job that runs is suspended, resumed after a reload, and goes on twice',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.press('Alt+Shift+KeyJ')
      await runStaged(
        person,
        'for n in {1..12}; do echo "row $n"; echo $n >> rows; until [[ -e /tmp/go || $n -lt 4 ]]; do sleep 0.05; done; done',
      )
      await person.reads('.job-output', 'row 4')
      await person.clickNamed('Make a checkpoint')
      await person.reads('.moment-title', 'Kept as it ran')
      await person.clickNamed('Suspend')
      await person.reads('.job-head', 'suspended')
      deepEqual(await changes(person, 1), ['A rows'])
      await person.reload()
      await person.reads('.job-row', 'suspended')
      await person.click('.job-row')
      await person.reads('.job-output', 'row 4')
      await person.runs('touch /tmp/go')
      await person.clickNamed('Resume')
      await person.reads('.job-head', 'completed')
      const output = await person.reads('.job-output', 'row 12')
      deepEqual(
        output.trimEnd().split('\n'),
        Array.from({ length: 12 }, (_, n) => `row ${n + 1}`),
      )
      await person.click('.change-row[data-path="home/user/rows"]')
      await person.reads('.diff-counts', '+12−0')
      await person.click('.moment:nth-last-child(2) [data-action$="Go on from here as a new Job"]')
      await person.reads('.moment-title', 'Forked from run-')
      await person.reads('.job-head', 'completed')
      deepEqual(await changes(person, 1), ['A rows'])
      await person.reads('.job-output', 'row 12')
    },
  },
  {
    name: 'the workspace is kept, and restored with its files and sessions, in every tab',
    run: async ({ fresh, url }) => {
      const browser = await fresh()
      const person = await browser.open()
      await person.open(url)
      await person.runs('where=then; cd data; echo then > then.txt; chmod 640 then.txt; ln -s then.txt link')
      await person.press('Alt+Shift+KeyJ')
      await person.clickNamed('Keep the workspace as it is')
      await person.reads('.workspace-timeline .history-facts', '1 session')
      await person.runs('where=now; rm -r then.txt ../notes; mkdir new; cd new; alias hi="echo hi"')
      await person.clickNamed('New session')
      await person.session('shell-2')
      await person.press('Alt+PageUp')
      await person.session('main')
      const other = await browser.open()
      await other.open(url)
      await person.page.bringToFront()
      await person.click('.workspace-timeline [data-action$=Restore]')
      await person.reads('dialog', 'Restore the workspace')
      await person.press('Tab', 'Enter')
      await person.reads('.toast', 'Restored the workspace')
      await person.sees('one session', () => document.querySelectorAll('#session-bar [role=tab]').length === 1)
      await person.row('/home/user/notes')
      equal(
        await person.runs('echo $where; pwd; ls; stat -c "%a %s" then.txt; readlink link; type hi'),
        ['then', '/home/user/data', 'link  planets.csv  then.txt', '640 5', 'then.txt', 'bash: line 1: type: hi: not found'].join('\n'),
      )
      await other.page.bringToFront()
      await other.sees('one session', () => document.querySelectorAll('#session-bar [role=tab]').length === 1)
      equal(await other.runs('cat then.txt'), 'then')
    },
  },
  {
    name: 'a Job and a comparison have names for those who listen, and enough contrast, dark and light',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.press('Alt+Shift+KeyJ')
      await runStaged(person, 'sed -i s/moon/MOON/ notes/moons.md; rm README.md; echo new > new; cat nowhere')
      await changes(person, 3)
      await person.clickNamed('Make a checkpoint')
      await person.sees('the checkpoint', () => document.querySelectorAll('.moment').length === 3)
      await person.click('.change-row[data-path="home/user/notes/moons.md"]')
      await person.reads('.diff-table', 'MOON')
      const { nameless, broken, twice } = await person.page.evaluate(namesAndRoles)
      deepEqual({ nameless, broken, twice }, { nameless: [], broken: [], twice: [] })
      deepEqual((await person.page.evaluate(colours)).faint, [])
      await person.clickNamed('Colours: as the system')
      deepEqual((await person.page.evaluate(colours)).faint, [])
      await person.clickNamed('Colours: light')
      deepEqual((await person.page.evaluate(colours)).faint, [])
    },
  },
  {
    name: 'the picture of a review in the README',
    only: 'chromium',
    run: async ({ fresh, url, screenshot }) => {
      const person = await (await fresh()).open()
      await person.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
      await person.open(url)
      await person.press('Control+l')
      await person.sees('a clean screen', () => !document.querySelector('.xterm-rows').textContent.includes('Try:'))
      await person.runs('ls data notes')
      await person.press('Alt+Shift+KeyJ')
      const edits = '"s/^Jupiter,95/Jupiter,97/; s/^Saturn,146/Saturn,274/; /^Neptune/a Pluto,5,1188"'
      await runStaged(
        person,
        `sed -i ${edits} data/planets.csv; echo "- Pluto is here again." >> notes/moons.md; bash scripts/report.sh > report.txt`,
      )
      await changes(person, 3)
      await person.clickNamed('Make a checkpoint')
      await person.sees('the checkpoint', () => document.querySelectorAll('.moment').length === 3)
      await person.click('.change-row[data-path="home/user/data/planets.csv"]')
      await person.reads('.diff-table', 'Pluto')
      await person.sees('nothing flashes', () => document.getAnimations().every(({ playState }) => playState !== 'running'))
      await person.page.evaluate(() => {
        document.querySelector('.storage-text').textContent = '48 kB of 10.7 GB'
        document.querySelector('.job-id').textContent = 'run-5c0b7e52-6d4c-4e0e-9d0c-0a6c2f9f7b1e'
      })
      const path = join(dirname(screenshot), 'review.png')
      await person.page.screenshot({ path })
      const picture = readFileSync(path)
      deepEqual([picture.readUInt32BE(16), picture.readUInt32BE(20)], [1280, 800])
      ok(picture.length > 40_000 && picture.length < 400_000, `${picture.length} bytes: neither blank nor heavy`)
    },
  },
]

async function runStaged(person, line) {
  await person.click('.job-line')
  await person.keys.type(line)
  await person.press('Enter')
}

/** Rows of the tree that are changes, with their letters. */
async function changes(person, count) {
  await person.sees(`${count} changes`, (wanted) => document.querySelectorAll('.change-row .change-kind').length === wanted, count)
  return person.page.$$eval('.change-row', (all) =>
    all
      .filter((row) => row.querySelector('.change-kind') !== null)
      .map((row) => `${row.querySelector('.change-kind').textContent} ${row.querySelector('.tree-name').textContent}`),
  )
}

/** The rows of the comparison: `NUMBER TEXT|NUMBER TEXT`. */
function rows(person) {
  return person.page.$$eval('.diff-table tbody tr', (all) =>
    all.map((row) => {
      const cells = [...row.children].map((cell) => {
        const copy = cell.cloneNode(true)
        for (const hidden of copy.querySelectorAll('.unseen')) hidden.remove()
        return copy.textContent
      })
      return `${cells[0]} ${cells[1]}| ${cells[2]} ${cells[3]}`
    }),
  )
}
