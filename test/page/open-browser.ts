import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'puppeteer-core'
import puppeteer from 'puppeteer-core'

export type BrowserName = 'chromium' | 'firefox'

const CHROMIUM_ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'] // biome-ignore format: one list

export interface OpenedBrowser {
  readonly browser: Browser
  close(): Promise<void>
  /** Ends all of its processes at once, as a crash does; the profile stays. */
  kill(): Promise<void>
}

/** A browser of the machine. Its profile is its own, and goes with it, unless one is given. */
export async function openBrowser(name: BrowserName, given?: string): Promise<OpenedBrowser> {
  const profile = given ?? mkdtempSync(join(tmpdir(), `${name}-`))
  const launch =
    name === 'chromium'
      ? ({ browser: 'chrome', executablePath: '/usr/bin/chromium', args: CHROMIUM_ARGS } as const)
      : ({ browser: 'firefox', executablePath: '/usr/bin/firefox-esr' } as const)
  const browser = await puppeteer.launch({ ...launch, headless: true, userDataDir: profile, env: { ...process.env, HOME: profile } })
  return {
    browser,
    close: async () => {
      await browser.close()
      if (given === undefined) rmSync(profile, { recursive: true, force: true })
    },
    kill: async () => {
      const program = browser.process()
      if (program?.pid === undefined) throw new Error('the browser has no process')
      const gone = once(program, 'exit')
      // It leads a group.
      process.kill(-program.pid, 'SIGKILL')
      await gone
    },
  }
}
