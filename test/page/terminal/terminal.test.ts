import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { BrowserName } from '../open-browser.ts'
import { openBrowser } from '../open-browser.ts'
import { serveFolder } from '../serve-folder.ts'
import { bundlePage } from './bundle-page.ts'

// The interactive shell on xterm.js in a real page: keys go in by the browser's own events, and what xterm.js shows is read back. What is
// bundled is the built package: `npm run build` first.

let server: Awaited<ReturnType<typeof serveFolder>>

beforeAll(async () => {
  server = await serveFolder(await bundlePage())
})

afterAll(() => server?.close())

describe.each<BrowserName>(['chromium', 'firefox'])('in %s', (name) => {
  let opened: Awaited<ReturnType<typeof openBrowser>>
  let page: Page

  beforeAll(async () => {
    opened = await openBrowser(name)
  })
  afterAll(() => opened?.close())

  beforeEach(async () => {
    page = await opened.browser.newPage()
    page.on('pageerror', (error) => console.error(String(error)))
    await page.goto(`${server.origin}/index.html`)
    await shows('main:/$')
    return () => page.close()
  })

  const text = (): Promise<string> => page.evaluate(() => window.page.text())

  /** Waits until the terminal shows exactly this, or what matches. */
  async function shows(wanted: string | RegExp): Promise<void> {
    const source = typeof wanted === 'string' ? null : wanted.source
    await page
      .waitForFunction(
        (exact, pattern) => {
          const shown = window.page?.text() ?? ''
          return pattern === null ? shown === exact : new RegExp(pattern).test(shown)
        },
        { timeout: 10_000, polling: 20 },
        typeof wanted === 'string' ? wanted : '',
        source,
      )
      .catch(async () => expect(await text()).toEqual(wanted))
  }

  const type = (keys: string): Promise<void> => page.keyboard.type(keys)
  const enter = (): Promise<void> => page.keyboard.press('Enter')
  async function control(key: string): Promise<void> {
    await page.keyboard.down('Control')
    await page.keyboard.press(key as 'a')
    await page.keyboard.up('Control')
  }

  test('a line is typed, edited and run', async () => {
    await type('echo ac')
    await page.keyboard.press('ArrowLeft')
    await type('b')
    await enter()
    await shows('main:/$ echo abc\nabc\nmain:/$')
  })

  test('^C ends a busy loop', async () => {
    await type('while :; do :; done')
    await enter()
    await shows('main:/$ while :; do :; done')
    await control('c')
    await shows('main:/$ while :; do :; done\n^C\nmain:/$')
    await type('echo $?')
    await enter()
    await shows('main:/$ while :; do :; done\n^C\nmain:/$ echo $?\n130\nmain:/$')
  })

  test('^C ends a flood', async () => {
    await type('yes')
    await enter()
    await shows(/(y\n){1000}/)
    const started = performance.now()
    await control('c')
    await shows(/\^C\n+main:\/\$$/)
    console.log(name, 'flood interrupted after', performance.now() - started)
    await type('echo $?')
    await enter()
    await shows(/130\nmain:\/\$$/)
  })
})
