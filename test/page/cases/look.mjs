import { deepEqual, equal, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'

export const lookCases = [
  {
    name: 'the keyboard alone is enough',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      const area = () => person.page.evaluate(() => document.activeElement.closest('.area')?.id)
      const seen = []
      for (let step = 0; step < 3; step += 1) {
        await person.press('F6')
        seen.push(await area())
      }
      deepEqual(seen, ['inspector-area', 'files-area', 'terminal-area'])
      await person.press('Shift+F6')
      equal(await area(), 'files-area')
      equal(await person.page.evaluate(outline), 'solid')
      await person.press('ArrowDown', 'ArrowDown', 'ArrowRight')
      await person.row('/home/user/notes/moons.md')
      await person.press('ArrowDown', 'ArrowDown', 'Enter')
      await person.reads('.code-text', '# Notes')
      await person.sees('the text has the focus', () => document.activeElement.classList.contains('code-text'))
      await person.press('Control+End')
      await person.keys.type('- typed')
      await person.press('Control+s')
      await person.sees('it is saved', () => document.querySelector('#editor-area .tab-mark') === null)
      await person.press('Escape', 'Tab')
      equal(await person.page.evaluate(() => document.activeElement.classList.contains('code-text')), false)
      await person.press('Alt+Shift+KeyF')
      equal(await area(), 'files-area')
      await person.press('r')
      equal(await person.page.evaluate(() => document.activeElement.dataset.path), '/home/user/README.md')
      await person.press('Shift+F10')
      await person.sees('the menu', () => document.activeElement.getAttribute('role') === 'menuitem')
      await person.press('Escape')
      equal(await person.page.evaluate(() => document.activeElement.dataset.path), '/home/user/README.md')
      await person.press('F1')
      await person.reads('dialog', 'Alt+Shift+N')
      await person.press('Escape')
      await person.press('Alt+Shift+KeyH')
      await person.sees('the search has the focus', () => document.activeElement.classList.contains('history-search'))
      await person.press('Alt+Shift+KeyS')
      equal(await person.page.evaluate(() => document.activeElement.textContent), 'State')
      await person.press('ArrowRight')
      equal(await person.page.evaluate(() => document.activeElement.textContent), 'History')
      await person.press('Alt+Shift+KeyT')
      equal(await person.runs('tail -1 notes/moons.md'), '- typed')
    },
  },
  {
    name: 'roles and names are there for those who listen',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      const found = await person.page.evaluate(namesAndRoles)
      deepEqual(found, { nameless: [], broken: [], twice: [], tabs: 2, rows: 1, language: 'en' })
    },
  },
  {
    name: 'a terminal tells a screen reader what it shows, when asked to',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.press('Alt+Shift+KeyR')
      await person.reads('.toast', 'Terminals for screen readers: on')
      await person.runs('echo said')
      await person.reads('.xterm-accessibility', 'said')
      await person.reload()
      await person.runs('echo again')
      await person.reads('.xterm-accessibility', 'again')
    },
  },
  {
    name: 'on a narrow screen there is one panel at a time and nothing is wider than it',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open({ width: 360, height: 640 })
      await person.open(url)
      equal(await person.runs('echo narrow'), 'narrow')
      for (const [index, view] of ['terminal', 'files', 'editor', 'state', 'history', 'jobs'].entries()) {
        await person.click(`.view-button:nth-child(${index + 1})`)
        const shown = await person.page.evaluate(() => ({
          view: document.body.dataset.view,
          areas: [...document.querySelectorAll('.area')].filter((area) => area.getClientRects().length > 0).length,
          over: document.documentElement.scrollWidth - innerWidth,
          wide: [...document.querySelectorAll('button, input, select, .area, .tree-row')]
            .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
            .map((one) => one.className),
        }))
        deepEqual(shown, { view, areas: 1, over: 0, wide: [] })
      }
      await person.reads('#history-panel', 'echo narrow')
      await person.click('.view-button:nth-child(2)')
      await person.click('.tree-row[data-path="/home/user/README.md"]')
      await person.reads('.code-text', '# Your workspace')
      equal(await person.page.evaluate(() => document.body.dataset.view), 'editor')
    },
  },
  {
    name: 'dark and light, as the system or as chosen, with enough contrast',
    run: async ({ fresh, url, name }) => {
      const person = await (await fresh()).open()
      // Firefox is started with a dark system; it can't be changed while it runs.
      if (name === 'chromium') await person.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
      await person.open(url)
      const dark = await person.page.evaluate(colours)
      equal(dark.theme, 'dark')
      ok(dark.ground < 0.1, 'dark is dark')
      deepEqual(dark.faint, [])
      if (name === 'chromium') {
        await person.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }])
        await person.sees('light follows the system', () => document.documentElement.dataset.theme === 'light')
      }
      await person.clickNamed('Colours: as the system')
      const light = await person.page.evaluate(colours)
      equal(light.theme, 'light')
      ok(light.ground > 0.7, 'light is light')
      deepEqual(light.faint, [])
      await person.reload()
      equal((await person.page.evaluate(colours)).theme, 'light')
      await person.clickNamed('Colours: light')
      await person.clickNamed('Colours: dark')
      await person.named('Colours: as the system')
    },
  },
  {
    name: 'nothing moves while the page is put together',
    only: 'chromium',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.page.evaluateOnNewDocument(() => {
        globalThis.moved = 0
        globalThis.movers = []
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            globalThis.moved += entry.value
            globalThis.movers.push(...entry.sources.map(({ node }) => node?.id || node?.className || node?.nodeName))
          }
        }).observe({ type: 'layout-shift', buffered: true })
      })
      await person.open(url)
      await person.reads('.storage-text', 'B of ')
      const moved = await person.page.evaluate(() => globalThis.moved)
      ok(moved < 0.02, `layout shift ${moved}: ${await person.page.evaluate(() => globalThis.movers.join(', '))}`)
    },
  },
  {
    name: 'the picture of the README',
    only: 'chromium',
    run: async ({ fresh, url, screenshot }) => {
      const person = await (await fresh()).open()
      await person.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
      await person.open(url)
      await person.press('Control+l')
      await person.sees('a clean screen', () => !document.querySelector('.xterm-rows').textContent.includes('Try:'))
      await person.runs('bash scripts/report.sh')
      await person.runs("names=(ada grace alan); declare -i visits=3; alias ll='ls -l'")
      await person.runs('greet() { echo "hello ${names[$1]}"; }')
      await person.runs('for i in 0 1 2; do greet $i; done | sort -r')
      await person.click('.tree-row[data-path="/home/user/data"]')
      await person.click('.tree-row[data-path="/home/user/scripts"]')
      await person.click('.tree-row[data-path="/home/user/scripts/report.sh"]')
      await person.reads('.code-text', '#!/bin/bash')
      await person.clickNamed('New session')
      await person.session('shell-2')
      await person.press('Alt+PageUp')
      await person.shows('hello grace')
      await person.page.evaluate(() => {
        document.querySelector('.storage-text').textContent = '48 kB of 10.7 GB'
        document.querySelector('details[data-name="names"]').open = true
        document.querySelector('details[data-name="greet()"]').open = true
      })
      await person.sees('nothing flashes', () => document.getAnimations().every(({ playState }) => playState !== 'running'))
      await person.page.screenshot({ path: screenshot })
      const picture = readFileSync(screenshot)
      deepEqual([picture.readUInt32BE(16), picture.readUInt32BE(20)], [1280, 800])
      ok(picture.length > 40_000 && picture.length < 400_000, `${picture.length} bytes: neither blank nor heavy`)
    },
  },
]

function outline() {
  return getComputedStyle(document.activeElement).outlineStyle
}

/** The theme, how bright the ground is, and texts whose contrast is below 4.5. */
export function colours() {
  const parse = (text) => (text.match(/[\d.]+/g) ?? []).map(Number)
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((value) => {
      const part = value / 255
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * x + 0.7152 * y + 0.0722 * z
  }
  const groundOf = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const [r, g, b, alpha = 1] = parse(getComputedStyle(at).backgroundColor)
      if (alpha > 0.9) return [r, g, b]
    }
    return [255, 255, 255]
  }
  const faint = []
  for (const element of document.querySelectorAll('button, h1, h2, h3, span, p, summary, output, div, td, th, mark, code, pre')) {
    const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== '')
    if (!own || element.closest('.xterm') !== null || element.getClientRects().length === 0 || element.disabled) continue
    const a = luminance(parse(getComputedStyle(element).color))
    const b = luminance(groundOf(element))
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    if (contrast < 4.5) faint.push(`${element.className}: ${element.textContent.slice(0, 30)} ${contrast.toFixed(2)}`)
  }
  return { theme: document.documentElement.dataset.theme, ground: luminance(groundOf(document.body)), faint: [...new Set(faint)] }
}

/** What has no name, leads nowhere or is there twice, and how many rows a key would reach. */
export function namesAndRoles() {
  const nameless = [...document.querySelectorAll('button, input, select, textarea, [role=tab], [role=treeitem], [role=separator]')].filter(
    (one) =>
      one.getClientRects().length > 0 &&
      !(one.getAttribute('aria-label') || one.getAttribute('title') || one.textContent.trim() || one.labels?.length > 0),
  )
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
  const broken = [...document.querySelectorAll('[aria-controls], [aria-labelledby]')].flatMap((one) =>
    [one.getAttribute('aria-controls'), one.getAttribute('aria-labelledby')].filter((id) => id && !document.getElementById(id)),
  )
  return {
    nameless: nameless.map((one) => one.outerHTML),
    broken,
    twice: ids.filter((id, index) => ids.indexOf(id) !== index),
    tabs: document.querySelectorAll('[role=tablist] [role=tab][tabindex="0"]').length,
    rows: document.querySelectorAll('[role=tree] > [role=treeitem][tabindex="0"]').length,
    language: document.documentElement.lang,
  }
}
