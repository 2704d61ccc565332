import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'puppeteer-core'
import { launchBrowser } from '../browsers/launch.mjs'

export type BrowserName = 'chromium' | 'firefox'

export interface OpenedBrowser {
  readonly browser: Browser
  close(): Promise<void>
  /** Ends all of its processes at once, as a crash does; the profile stays. */
  kill(): Promise<void>
}

/** A browser of the machine. Its profile is its own, and goes with it, unless one is given. */
export async function openBrowser(name: BrowserName, given?: string): Promise<OpenedBrowser> {
  const profile = given ?? mkdtempSync(join(tmpdir(), `${name}-`))
  const opened = await launchBrowser(name, profile)
  const close = async (): Promise<void> => {
    await opened.close()
    if (given === undefined) rmSync(profile, { recursive: true, force: true, maxRetries: 3 })
  }
  return { ...opened, close }
}
