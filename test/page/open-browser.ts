import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'puppeteer-core'
import puppeteer from 'puppeteer-core'

export type BrowserName = 'chromium' | 'firefox'

const CHROMIUM_ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'] // biome-ignore format: one list

/** A browser of the machine with a profile of its own, and what ends it. */
export async function openBrowser(name: BrowserName): Promise<{ readonly browser: Browser; close(): Promise<void> }> {
  const profile = mkdtempSync(join(tmpdir(), `${name}-`))
  const launch =
    name === 'chromium'
      ? ({ browser: 'chrome', executablePath: '/usr/bin/chromium', args: CHROMIUM_ARGS } as const)
      : ({ browser: 'firefox', executablePath: '/usr/bin/firefox-esr' } as const)
  const browser = await puppeteer.launch({ ...launch, headless: true, userDataDir: profile, env: { ...process.env, HOME: profile } })
  return {
    browser,
    close: async () => {
      await browser.close()
      rmSync(profile, { recursive: true, force: true })
    },
  }
}
