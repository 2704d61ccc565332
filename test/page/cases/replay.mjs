import { deepEqual, equal, ok } from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { colours, namesAndRoles } from './look.mjs'
import { drop } from './tree.mjs'

/** What an agent did with the page's files, and was shown: three of it come out the same here. */
const TURNS = [
  ['The notes first.', 'head -n 1 notes/moons.md', '# Notes\n'],
  ['Moons are written small.', 'sed -i s/moon/MOON/ notes/moons.md && grep -c MOON notes/moons.md', '2\n'],
  ['How many planets are there?', 'python3 -c \'print(sum(1 for _ in open("data/planets.csv")))\'', '9\n'],
  ['The folder as it is now.', 'echo "by the agent" > made.txt; ls; date +%Y', 'README.md\ndata\nmade.txt\nnotes\nscripts\n1999\n'],
  ['Done.', 'echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT', ''],
]

export const replayCases = [
  {
    name: 'a trajectory is replayed, looked through step by step, and forked',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await openTrajectory(person)
      await person.reads('dialog', 'mini-swe-agent 2.4.6, 5 steps')
      await person.reads('dialog', 'only 4 can be replayed')
      await person.clickNamed('Replay')
      await person.reads('.replay-head', '2 exact1 differs1 unsupported')
      await person.reads('.replay-head', 'missing: python3 (1)')
      deepEqual(
        await person.page.$$eval('.replay-row', (rows) =>
          rows.map((row) =>
            [...row.children]
              .map((part) => part.textContent)
              .slice(0, 3)
              .join(' '),
          ),
        ),
        ['1 = exact: ', '2 = exact: ', '3 ? unsupported: ', '4 ≠ differs: '],
      )
      // With the keyboard alone.
      await person.sees('the steps at hand', () => document.activeElement?.classList.contains('replay-slider'))
      await person.press('ArrowRight')
      await person.reads('.replay-title', 'Step 2')
      await person.reads('.replay-text', 'Moons are written small.')
      await person.reads('.replay-files .change-row', 'moons.md')
      await person.press('ArrowRight')
      await person.reads('.replay-call', 'there is no python3 here')
      await person.press('ArrowRight')
      await person.reads('.replay-call .diff-table', '1999')
      await person.sees('both changes', () => document.querySelectorAll('.replay-files .change-row .change-kind').length === 2)
      // To the next that came out so, and along the list.
      await person.click('.replay-head .replay-unsupported')
      await person.reads('.replay-title', 'Step 3')
      await person.click('.replay-row:nth-child(3)')
      await person.press('Home')
      await person.reads('.replay-title', 'Step 1')
      await person.press('ArrowDown')
      await person.reads('.replay-title', 'Step 2')
      equal(
        await person.page.$$eval('.replay-row[tabindex="0"]', (rows) => rows.map(({ textContent }) => textContent).join()),
        await rowInFocus(person),
      )
      await person.clickNamed('Review the Job')
      await person.reads('.job-view', 'replay mini.traj.json')
      // What was done there is not done here.
      equal(await person.runs('grep -c MOON notes/moons.md; ls made.txt'), "0\nls: cannot access 'made.txt': No such file or directory")
      await person.click('.replay-row:nth-child(2)')
      await person.reads('.replay-title', 'Step 2')
      await person.clickNamed('Fork a workspace from here')
      await person.sees('its line', () => document.activeElement?.closest('.fork-form') !== null)
      await person.keys.type('cd /home/user; grep -c MOON notes/moons.md; ls made.txt; echo mine > only-here.txt; ls')
      await person.press('Enter')
      await person.reads('.fork-output pre', 'only-here.txt')
      const said = await person.page.$eval('.fork-output', (one) => one.textContent)
      ok(said.includes('2\n') && said.includes("cannot access 'made.txt'"), said)
      equal(await person.runs('ls only-here.txt'), "ls: cannot access 'only-here.txt': No such file or directory")
      // It is there for the next time.
      await person.reload()
      await person.click('.job-row')
      await person.clickNamed('Show the replay')
      await person.reads('.replay-head', '2 exact1 differs1 unsupported')
    },
  },
  {
    name: 'a file that is no trajectory is refused with the place where it is wrong',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      const cut = '{"trajectory_format":"mini-swe-agent-1.1",\n"info":{"mini_version":"2.4.6"},"messages":[{"role":1'
      await openTrajectory(person, '.toast', 'line 2, column', cut)
      const wrong = { trajectory_format: 'mini-swe-agent-1.1', info: { mini_version: '2.4.6' }, messages: [1] }
      await openTrajectory(person, '.toast', 'messages[0] is 1', JSON.stringify(wrong))
    },
  },
  {
    name: 'a trajectory is dropped on the panel, and what it needs of the workspace is told',
    only: 'chromium',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.press('Alt+Shift+KeyJ')
      await person.named('Open a trajectory…')
      await drop(person, '.replay-starter', 'elsewhere.json', trajectory('/testbed'))
      await person.reads('dialog', 'worked in /testbed, which this workspace does not have')
      await person.click('#replay-folder')
      await person.press('Enter')
      await person.reads('.replay-head', '2 exact1 differs1 unsupported')
    },
  },
  {
    name: 'a replay is seen with little room, and read by those who listen',
    only: 'chromium',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await openTrajectory(person)
      await person.clickNamed('Replay')
      await person.click('.replay-row:nth-child(4)')
      await person.reads('.diff-table', '1999')
      for (const scheme of ['dark', 'light']) {
        await person.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
        await person.sees('nothing flashes', () => document.getAnimations().every(({ playState }) => playState !== 'running'))
        deepEqual((await person.page.evaluate(colours)).faint, [])
      }
      const { broken, nameless, twice } = await person.page.evaluate(namesAndRoles)
      deepEqual([broken, nameless, twice], [[], [], []])
      await person.page.setViewport({ width: 390, height: 800 })
      await person.sees('steps above the step', () => {
        const [list, detail] = ['.replay-list', '.replay-detail'].map((one) => document.querySelector(one).getBoundingClientRect())
        return list.height > 60 && detail.top >= list.bottom - 2 && detail.right <= innerWidth + 1
      })
    },
  },
  {
    name: 'the picture of a replay in the README',
    only: 'chromium',
    run: async ({ fresh, url, screenshot }) => {
      const person = await (await fresh()).open()
      await person.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
      await person.open(url)
      await person.press('Control+l')
      await person.sees('a clean screen', () => !document.querySelector('.xterm-rows').textContent.includes('Try:'))
      await person.runs('ls data notes')
      await openTrajectory(person)
      await person.clickNamed('Replay')
      await person.click('.replay-row:nth-child(4)')
      await person.reads('.diff-table', '1999')
      await person.sees('nothing flashes', () => document.getAnimations().every(({ playState }) => playState !== 'running'))
      await person.page.evaluate(() => {
        document.querySelector('.storage-text').textContent = '48 kB of 10.7 GB'
        document.documentElement.style.setProperty('--editor', '640px')
      })
      const path = join(dirname(screenshot), 'replay.png')
      await person.page.screenshot({ path })
      const picture = readFileSync(path)
      deepEqual([picture.readUInt32BE(16), picture.readUInt32BE(20)], [1280, 800])
      ok(picture.length > 40_000 && picture.length < 400_000, `${picture.length} bytes: neither blank nor heavy`)
    },
  },
]

/** Opens a file as a trajectory, the one above or another text, and waits until what comes of it is seen: the file is gone then. */
async function openTrajectory(person, selector = 'dialog', wanted = 'Replay mini.traj.json', text = trajectory()) {
  const folder = mkdtempSync(join(tmpdir(), 'trajectory-'))
  try {
    const path = join(folder, 'mini.traj.json')
    writeFileSync(path, text)
    await person.press('Alt+Shift+KeyJ')
    await person.named('Open a trajectory…')
    await (await person.page.$('#trajectory-chooser')).uploadFile(path)
    await person.reads(selector, wanted)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function rowInFocus({ page }) {
  return page.evaluate(() => document.activeElement.textContent)
}

function trajectory(cwd = '/home/user') {
  const messages = TURNS.flatMap(([content, command, output], i) => [
    { role: 'assistant', content, extra: { response: {}, actions: [{ tool_call_id: `call-${i + 1}`, command }] } },
    { role: 'tool', tool_call_id: `call-${i + 1}`, content: output, extra: { raw_output: output, returncode: 0 } },
  ])
  const config = { environment: { cwd } }
  return JSON.stringify({
    trajectory_format: 'mini-swe-agent-1.1',
    info: { mini_version: '2.4.6', config },
    messages: [{ role: 'system', content: 'You use a shell.' }, { role: 'user', content: 'Look after the notes.' }, ...messages],
  })
}
