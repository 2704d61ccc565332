import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openChromium } from './puppeteer.mjs'

/**
 * Opens a page in Chromium and drops a folder of this machine on it, which the page may write to: a picker can't be answered without a screen,
 * but a dropped folder is of the same kind, and what a user would answer to the question for permission can be set before.
 */
export async function openChromiumWithFolder({ url, profile }) {
  allowWriting(profile, new URL(url).origin)
  // Not below the profile, of which Chromium gives nothing away.
  const folder = mkdtempSync(join(tmpdir(), 'dropped-'))
  try {
    const browser = await openChromium({ url, profile }, (page) => drop(page, folder))
    const close = async () => {
      await browser.close()
      rmSync(folder, { recursive: true, force: true })
    }
    return { died: browser.died, close }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

function allowWriting(profile, origin) {
  const exceptions = { file_system_write_guard: { [`${origin},*`]: { setting: 1 } } }
  mkdirSync(join(profile, 'Default'), { recursive: true })
  // Else each file that is written waits for a service that isn't reached.
  const preferences = { profile: { content_settings: { exceptions } }, safebrowsing: { enabled: false } }
  writeFileSync(join(profile, 'Default/Preferences'), JSON.stringify(preferences))
}

async function drop(page, folder) {
  const session = await page.createCDPSession()
  const data = { items: [], files: [folder], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop']) await session.send('Input.dispatchDragEvent', { type, x: 5, y: 5, data })
}
