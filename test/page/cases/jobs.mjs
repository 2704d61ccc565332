import { deepEqual, equal } from 'node:assert/strict'

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
