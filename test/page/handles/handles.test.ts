import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveFolder } from '../../browsers/serve-folder.mjs'
import { bundlePage } from '../bundle-page.ts'
import { type BrowserName, type OpenedBrowser, openBrowser } from '../open-browser.ts'

// OPFSFileSystem used by tabs and workers at the same time, and folders of this machine that are dropped on Chromium.

let server: Awaited<ReturnType<typeof serveFolder>>

beforeAll(async () => {
  server = await serveFolder(await bundlePage('handles'))
})

afterAll(() => server?.close())

async function openPage({ browser }: OpenedBrowser): Promise<Page> {
  const page = await browser.newPage()
  page.on('pageerror', (error) => console.error(String(error)))
  await page.goto(`${server.origin}/index.html`)
  await page.waitForFunction(() => window.handles !== undefined)
  return page
}

describe.each<BrowserName>(['chromium', 'firefox'])('in %s', (name) => {
  let opened: OpenedBrowser
  let one: Page
  let other: Page

  beforeAll(async () => {
    opened = await openBrowser(name)
    one = await openPage(opened)
    other = await openPage(opened)
  })

  afterAll(() => opened?.close())

  test('two pages and two workers add to one file and lose nothing', async () => {
    const count = 40
    await Promise.all([
      one.evaluate((n) => window.handles.append('shared', 'page one', n), count),
      other.evaluate((n) => window.handles.append('shared', 'page two', n), count),
      one.evaluate((n) => window.handles.inWorker('append', 'shared', 'worker one', n), count),
      other.evaluate((n) => window.handles.inWorker('append', 'shared', 'worker two', n), count),
    ])
    const lines = (await one.evaluate(() => window.handles.text('shared', '/log'))).trimEnd().split('\n')
    expect(lines.length).toBe(4 * count)
    for (const who of ['page one', 'page two', 'worker one', 'worker two'])
      expect(lines.filter((line) => line.startsWith(`${who}:`))).toEqual(Array.from({ length: count }, (_, i) => `${who}:${i}`))
  })

  test('who reads a file that is being written anew sees the old content or the new one', async () => {
    const size = 300_000
    await one.evaluate((n) => window.handles.writeWhole('whole', n, 1), size)
    const [faults] = await Promise.all([
      other.evaluate((n) => window.handles.readWhole('whole', n, 60), size),
      one.evaluate((n) => window.handles.inWorker('writeWhole', 'whole', n, 30), size),
      one.evaluate((n) => window.handles.writeWhole('whole', n, 30), size),
    ])
    expect(faults).toEqual([])
  })

  test('nothing is left behind', async () => {
    expect(await one.evaluate(() => window.handles.everything())).toEqual(['shared', 'whole'])
  })
})

describe('in Chromium', () => {
  test('a file that something else writes to is EBUSY after a while, and free again afterwards', async () => {
    const opened = await openBrowser('chromium')
    const page = await openPage(opened)
    await page.evaluate(() => window.handles.occupy('busy', 'file'))
    expect(await page.evaluate(() => window.handles.write('busy', '/file', 10))).toBe('EBUSY')
    expect(await page.evaluate(() => window.handles.inWorker('write', 'busy', '/file', 10))).toBe('EBUSY')
    const waiting = page.evaluate(() => window.handles.write('busy', '/file', 10))
    await page.evaluate(() => window.handles.free())
    expect(await waiting).toBe('')
    await opened.close()
  })

  test('a full quota is ENOSPC, and the file holds what it held', async () => {
    const opened = await openBrowser('chromium')
    const page = await openPage(opened)
    const session = await page.createCDPSession()
    await page.evaluate(() => window.handles.append('full', 'a', 1))
    await session.send('Storage.overrideQuotaForOrigin', { origin: server.origin, quotaSize: 100_000 })
    expect(await page.evaluate(() => window.handles.write('full', '/log', 1_000_000))).toBe('ENOSPC')
    expect(await page.evaluate(() => window.handles.inWorker('write', 'full', '/log', 1_000_000))).toBe('ENOSPC')
    const [added, first, second, size] = await page.evaluate(() => window.handles.add('full', '/log', 10_000, 100))
    expect([added, first, second]).toEqual(['ENOSPC', 'ENOSPC', ''])
    // What was added before the quota was full, in pieces of 10,000 bytes: none, unless the page was slow.
    expect(Number(size) % 10_000).toBe(4)
    const text = await page.evaluate(() => window.handles.text('full', '/log'))
    expect([text.length, text.slice(0, 4)]).toEqual([size, 'a:0\n'])
    expect(await page.evaluate(() => window.handles.add('full', '/log', 1, 3))).toEqual(['', '', '', Number(size) + 3])
    await opened.close()
  })

  test('a picker that the user closes is an AbortError', async () => {
    const opened = await openBrowser('chromium')
    const page = await openPage(opened)
    expect(await page.evaluate(() => window.handles.pick())).toMatch(/^AbortError/)
    await opened.close()
  })
})

test('in Firefox there is no picker', async () => {
  const opened = await openBrowser('firefox')
  const page = await openPage(opened)
  expect(await page.evaluate(() => window.handles.pick())).toBe('CAPABILITY_UNSUPPORTED')
  await opened.close()
})

describe('a folder of this machine, dropped on Chromium', () => {
  const seen = { names: ['a.txt file', 'sub directory'], text: 'on the disk' }

  test('can be read at once, and not be written to', async () => {
    const folder = userFolder()
    const opened = await openBrowser('chromium')
    const page = await openPage(opened)
    await drop(page, folder)
    const refused = { write: 'EROFS', append: 'EROFS', mkdir: 'EROFS', rename: 'EROFS', unlink: 'ENOENT' }
    expect(await page.evaluate(() => window.handles.lookAtDropped('read'))).toEqual({
      ...{ ...seen, ...refused },
      permission: 'granted',
      readOnly: true,
    })
    expect(contentOf(folder)).toEqual(['a.txt', 'sub', 'sub/inner.txt'])
    await opened.close()
    rmSync(folder, { recursive: true })
  })

  test('is written to where the user allows it, and after a reload once he does so again', async () => {
    const folder = userFolder()
    const profile = mkdtempSync(join(tmpdir(), 'chromium-'))
    allowWriting(profile)
    const opened = await openBrowser('chromium', profile)
    const page = await openPage(opened)
    await drop(page, folder)
    const done = { write: '', append: '', mkdir: '', rename: '', unlink: 'ENOENT' }
    expect(await page.evaluate(() => window.handles.lookAtDropped('readwrite'))).toEqual({
      ...{ ...seen, ...done },
      permission: 'granted',
      readOnly: false,
    })
    const content = ['a.txt', 'made', 'moved', 'moved/inner.txt', 'new.txt']
    expect(contentOf(folder)).toEqual(content)
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('on the disk and more')
    expect(readFileSync(join(folder, 'moved/inner.txt'), 'utf8')).toBe('inner')

    await page.evaluate(() => window.handles.keepDropped())
    await page.reload()
    await page.waitForFunction(() => window.handles !== undefined)
    expect(await page.evaluate(() => window.handles.useKept())).toEqual(['prompt', 'EACCES', 'EACCES', 'EACCES'])
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('on the disk and more')
    await opened.close()
    for (const made of [folder, profile]) rmSync(made, { recursive: true })
  })

  function userFolder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'dropped-'))
    writeFileSync(join(folder, 'a.txt'), 'on the disk')
    mkdirSync(join(folder, 'sub'))
    writeFileSync(join(folder, 'sub/inner.txt'), 'inner')
    return folder
  }

  function contentOf(folder: string): string[] {
    return (readdirSync(folder, { recursive: true }) as string[]).sort()
  }

  /** What a user would answer, set before: headless Chromium shows no questions. */
  function allowWriting(profile: string): void {
    const exceptions = { file_system_write_guard: { [`${server.origin},*`]: { setting: 1 } } }
    mkdirSync(join(profile, 'Default'), { recursive: true })
    const preferences = { profile: { content_settings: { exceptions } }, safebrowsing: { enabled: false } }
    writeFileSync(join(profile, 'Default/Preferences'), JSON.stringify(preferences))
  }

  async function drop(page: Page, folder: string): Promise<void> {
    const session = await page.createCDPSession()
    const data = { items: [], files: [folder], dragOperationsMask: 1 }
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) await session.send('Input.dispatchDragEvent', { type, x: 5, y: 5, data })
  }
})
