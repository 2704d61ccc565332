import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { serveFolder } from '../../browsers/serve-folder.mjs'
import { bundlePage } from '../bundle-page.ts'
import type { BrowserName } from '../open-browser.ts'
import { openBrowser } from '../open-browser.ts'

// The interactive shell on xterm.js in a real page: keys go in by the browser's own events, and what xterm.js shows is read back. What is
// bundled is the built package: `npm run build` first.

let server: Awaited<ReturnType<typeof serveFolder>>

beforeAll(async () => {
  server = await serveFolder(await bundlePage('terminal', '<div id="terminal"></div>'))
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

  const runs = async (): Promise<void> => {
    await page.waitForFunction(() => window.page.shell.busy, { polling: 10 })
  }
  /** Gives the terminal another width, once it shows all that it was given. */
  const resize = (columns: number): Promise<void> =>
    page.evaluate(async (cells) => {
      const { terminal } = window.page
      await new Promise<void>((shown) => terminal.write('', shown))
      terminal.resize(cells, 12)
    }, columns)
  /** Pastes as the clipboard does: by an event of the element that has the keyboard. */
  const paste = (pasted: string): Promise<void> =>
    page.evaluate((given) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', given)
      const event = new ClipboardEvent('paste', { bubbles: true, cancelable: true })
      // Firefox gives an event that a script makes no data of its own.
      Object.defineProperty(event, 'clipboardData', { value: clipboardData })
      window.page.terminal.textarea?.dispatchEvent(event)
    }, pasted)
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

  test('the arrow keys and ^R find earlier lines', async () => {
    for (const line of ['echo one', 'echo two', 'true']) {
      await type(line)
      await enter()
    }
    await shows('main:/$ echo one\none\nmain:/$ echo two\ntwo\nmain:/$ true\nmain:/$')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await shows(/\$ true\nmain:\/\$ echo two$/)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await shows(/\$ true\nmain:\/\$$/)
    await control('r')
    await type('one')
    await shows(/\$ true\n\(reverse-i-search\)`one': echo one$/)
    await enter()
    await shows(/\$ true\nmain:\/\$ echo one\none\nmain:\/\$$/)
  })

  test('Tab completes', async () => {
    await type('cd /da')
    await page.keyboard.press('Tab')
    await shows('main:/$ cd /data/')
    await enter()
    await shows('main:/$ cd /data/\nmain:/data$')
  })

  test('a line reads the keyboard', async () => {
    await type('read x; echo "<$x>"')
    await enter()
    await runs()
    await type('adx')
    await page.keyboard.press('Backspace')
    await type('a é漢')
    await enter()
    await shows('main:/$ read x; echo "<$x>"\nada é漢\n<ada é漢>\nmain:/$')
    await type('cat')
    await enter()
    await runs()
    await type('in')
    await enter()
    await shows(/cat\nin\nin$/)
    await control('d')
    await shows(/cat\nin\nin\nmain:\/\$$/)
  })

  test('a paste of several lines is edited before it runs', async () => {
    await paste('for i in 1 2; do\n  echo "$i 👍"\ndone')
    await shows('main:/$ for i in 1 2; do\n>   echo "$i 👍"\n> done')
    await enter()
    await shows('main:/$ for i in 1 2; do\n>   echo "$i 👍"\n> done\n1 👍\n2 👍\nmain:/$')
  })

  test('wide characters and combined ones are edited as they are seen', async () => {
    await paste("echo '漢字👩‍🚀e\u0301x'")
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Backspace')
    await type('!')
    await enter()
    await shows("main:/$ echo '漢字!e\u0301x'\n漢字!e\u0301x\nmain:/$")
  })

  test('emoji are as wide as the line editor takes them for', async () => {
    await paste('echo 👩‍🚀👍🏽🇫🇷❤️é漢|')
    await shows('main:/$ echo 👩‍🚀👍🏽🇫🇷❤️é漢|')
    expect(await page.evaluate(() => window.page.terminal.buffer.active.cursorX)).toBe(8 + 5 + 2 + 2 + 2 + 2 + 1 + 2 + 1)
    for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowLeft')
    await type('.')
    await shows('main:/$ echo 👩‍🚀.👍🏽🇫🇷❤️é漢|')
    expect(await page.evaluate(() => window.page.terminal.buffer.active.cursorX)).toBe(8 + 5 + 2 + 1)
  })

  test('bytes that are no text do no harm', async () => {
    await type("printf 'a\\377\\xe6\\xbcb\\n'; echo c")
    await enter()
    await shows(/\na.*b\nc\nmain:\/\$$/)
  })

  test('a line longer than the screen is edited at its end and at its start', async () => {
    const long = Array.from({ length: 200 }, (_, i) => `w${i}`).join(' ')
    await paste(`echo ${long} | wc -w`)
    await shows(/w199 \| wc -w$/)
    await control('a')
    await type('echo; ')
    await control('e')
    await type(' | cat')
    await shows(/w199 \| wc -w \| cat$/)
    await enter()
    await shows(/w199 \| wc -w \| cat\n\n200\nmain:\/\$$/)
  })

  test('a resize in the middle of editing leaves what is edited whole', async () => {
    await type(`echo ${'abcdefghi '.repeat(15)}`)
    for (let i = 0; i < 30; i++) await page.keyboard.press('ArrowLeft')
    for (const columns of [40, 25, 80, 60, 33]) {
      await resize(columns)
      await type('.')
    }
    await shows(`main:/$ echo ${'abcdefghi '.repeat(12)}.....${'abcdefghi '.repeat(3).trimEnd()}`)
    await resize(60)
    await type('.')
    await shows(`main:/$ echo ${'abcdefghi '.repeat(12)}......${'abcdefghi '.repeat(3).trimEnd()}`)
    await enter()
    await type('echo $COLUMNS $LINES')
    await enter()
    await shows(/\n60 12\nmain:\/\$$/)
  })

  test('^C ends a busy loop', async () => {
    await type('echo go; while :; do :; done')
    await enter()
    await shows('main:/$ echo go; while :; do :; done\ngo')
    await control('c')
    await shows('main:/$ echo go; while :; do :; done\ngo\n^C\nmain:/$')
    await type('echo $?')
    await enter()
    await shows('main:/$ echo go; while :; do :; done\ngo\n^C\nmain:/$ echo $?\n130\nmain:/$')
  })

  test('^C ends a flood', async () => {
    await type('yes')
    await enter()
    await shows(/(y\n){1000}/)
    // A page that kept the output, or let it pile up, would grow by hundreds of megabytes.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 3000)))
    const waiting = await page.evaluate(() => window.page.terminal.buffer.active.length)
    expect(waiting).toBeLessThanOrEqual(1012)
    if (name === 'chromium') expect((await page.metrics()).JSHeapUsedSize).toBeLessThan(150_000_000)
    const started = performance.now()
    await control('c')
    await shows(/\^C\n+main:\/\$$/)
    expect(performance.now() - started).toBeLessThan(3000)
    await type('echo $?')
    await enter()
    await shows(/130\nmain:\/\$$/)
  })
})
