import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveFolder } from '../../browsers/serve-folder.mjs'
import { bundlePage } from '../bundle-page.ts'
import { type BrowserName, type OpenedBrowser, openBrowser } from '../open-browser.ts'
import type { Options } from './page.ts'

// IndexedDBFileSystem in real browsers: killed while it writes, used by two tabs, without room.

let server: Awaited<ReturnType<typeof serveFolder>>

beforeAll(async () => {
  server = await serveFolder(await bundlePage('files'))
})

afterAll(() => server?.close())

async function openPage({ browser }: OpenedBrowser): Promise<Page> {
  const page = await browser.newPage()
  page.on('pageerror', (error) => console.error(String(error)))
  await page.goto(`${server.origin}/index.html`)
  await page.waitForFunction(() => window.files !== undefined)
  return page
}

describe.each<BrowserName>(['chromium', 'firefox'])('in %s', (name) => {
  test.each([
    ['relaxed', 1],
    ['relaxed', 2],
    ['relaxed', 3],
    ['strict', 4],
  ] as const)(
    'a browser that is killed while files are written leaves whole operations, and all acknowledged ones (%s, seed %i)',
    async (durability, seed) => {
      const options: Options = { root: `killed ${seed}`, durability }
      const profile = mkdtempSync(join(tmpdir(), `killed-${name}-`))
      try {
        let acknowledged = 0
        const killed = await openBrowser(name, profile)
        const page = await openPage(killed)
        await new Promise<void>((resolve, reject) => {
          page
            .exposeFunction('acknowledged', (done: number) => {
              acknowledged = done
              if (done >= 100 * seed) resolve()
            })
            .then(() => page.evaluate((...args) => window.files.write(...args), options, seed))
            .catch(reject)
        })
        await killed.kill()

        const opened = await openBrowser(name, profile)
        const after = await openPage(opened)
        const written = await after.evaluate((...args) => window.files.written(...args), options, seed, acknowledged)
        expect(written).toBeTypeOf('number')
        expect(await after.evaluate((given) => window.files.faults(given), options)).toEqual([])
        await opened.close()
      } finally {
        rmSync(profile, { recursive: true, force: true })
      }
    },
  )

  describe('in one browser', () => {
    let opened: OpenedBrowser

    beforeAll(async () => {
      opened = await openBrowser(name)
    })
    afterAll(() => opened?.close())

    test.each(['relaxed', 'strict'] as const)('two tabs lose nothing of each other (%s)', async (durability) => {
      const options: Options = { root: `shared ${durability}`, durability }
      const tabs = [await openPage(opened), await openPage(opened)]
      const claims = await Promise.all(
        tabs.map((tab, i) => tab.evaluate((...args) => window.files.share(...args), options, `tab${i}`, 100)),
      )
      expect(claims.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i))
      const [tab] = tabs as [Page]
      await tab.evaluate((given) => window.files.open(given), options)
      const lines = (await tab.evaluate(() => window.files.text('/log'))).trimEnd().split('\n')
      for (const i of [0, 1]) expect(lines.filter((line) => line.startsWith(`tab${i} `))).toEqual(numbered(`tab${i}`, 100))
      expect(lines).toHaveLength(200)
      expect(await tab.evaluate((given) => window.files.faults(given), options)).toEqual([])
    })

    test.each([1, 2, 3])('two instances in a page are one (seed %i)', async (seed) => {
      const page = await openPage(opened)
      const options: Options = { root: `alternate ${seed}`, durability: seed === 3 ? 'strict' : 'relaxed' }
      expect(await page.evaluate((...args) => window.files.alternate(...args), options, seed, 600)).toBe(null)
      expect(await page.evaluate((given) => window.files.faults(given), options)).toEqual([])
    })

    test('a tab sees at once what another one wrote, though it had read it before', async () => {
      const options: Options = { root: 'seen', durability: 'relaxed' }
      const [one, two] = [await openPage(opened), await openPage(opened)]
      for (const tab of [one, two]) await tab.evaluate((given) => window.files.open(given), options)
      for (let i = 0; i < 20; i++) {
        const [writer, reader] = i % 2 === 0 ? [one, two] : [two, one]
        await writer.evaluate((text) => window.files.put('/f', text), `text ${i}`)
        expect(await reader.evaluate(() => window.files.text('/f'))).toBe(`text ${i}`)
      }
    })

    test('the layout is the one that is documented', async () => {
      const page = await openPage(opened)
      const common = { uid: 1000, gid: 1000, target: '' }
      expect(await page.evaluate((given) => window.files.layout(given), { root: 'layout', durability: 'relaxed' } as const)).toEqual({
        version: 1,
        state: ['string', ['generation', 'lastIno'], 4],
        names: [
          [0, '1', { ...common, type: 'directory', ino: 1, mode: 0o755, size: 3, nlink: 3 }],
          [0, '4', { ...common, type: 'symlink', ino: 4, mode: 0o777, size: 1, nlink: 2, target: 'd' }],
          [1, 'd', { ...common, type: 'directory', ino: 2, mode: 0o755, size: 1, nlink: 2 }],
          [1, 'l', { type: 'linked', of: 'symlink', ino: 4 }],
          [1, 'm', { type: 'linked', of: 'symlink', ino: 4 }],
          [2, '%3Cff%3E', { ...common, type: 'file', ino: 3, mode: 0o644, size: 3, nlink: 1 }],
        ],
        chunks: [[[3, 0]], [[1, 2, 3]]],
      })
    })

    test('thousands of small operations take a few transactions', async () => {
      const page = await openPage(opened)
      const lines = [
        'cd /data; for i in {1..1000}; do echo $i > f$i; done; ls | wc -l',
        'for i in {1..5000}; do echo line $i; done >> log; wc -l < log',
        'cat f* | wc -l; find /data -type f | wc -l; ls -l | wc -l',
      ]
      const results = await page.evaluate((given) => window.files.shell({ root: 'many', durability: 'relaxed' }, given), lines)
      expect(results).toEqual([
        [0, '1000\n', ''],
        [0, '5000\n', ''],
        [0, '1000\n1001\n1002\n', ''],
      ])
      // Of some 12,000 operations.
      expect(await page.evaluate(() => window.files.transactions())).toBeLessThan(400)
    })
  })
})

test('a line that finds no room says so, and what was there stays (chromium)', async () => {
  const opened = await openBrowser('chromium')
  try {
    const page = await openPage(opened)
    const session = await page.createCDPSession()
    const options: Options = { root: 'full', durability: 'relaxed' }
    const shell = (...lines: string[]) => page.evaluate((...args) => window.files.shell(...args), options, lines)
    // Before the first write: the browser remembers how much room there was.
    await session.send('Storage.overrideQuotaForOrigin', { origin: server.origin, quotaSize: 3_000_000 })
    expect((await shell('echo kept > /data/kept'))[0]).toEqual([0, '', ''])
    const [full] = await shell('head -c 20000000 /dev/urandom > /data/big')
    expect(full?.[0]).toBe(1)
    expect(full?.[2]).toContain('No space left on device')
    await session.send('Storage.overrideQuotaForOrigin', { origin: server.origin })
    const [found, wrote] = await shell('cat /data/kept', 'rm -f /data/big; echo more > /data/more; cat /data/more; ls /data')
    expect([found, wrote]).toEqual([
      [0, 'kept\n', ''],
      [0, 'more\nkept\nmore\n', ''],
    ])
    expect(await page.evaluate((given) => window.files.faults(given), options)).toEqual([])
  } finally {
    await opened.close()
  }
})

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${name} ${i}`)
}
