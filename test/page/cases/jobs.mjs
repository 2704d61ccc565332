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
