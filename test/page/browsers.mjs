import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import puppeteer from 'puppeteer-core'
import { programPath } from '../runtime/browsers/program-path.mjs'
import { killGroup } from '../runtime/process-group.mjs'

const CHROMIUM = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--font-render-hinting=none',
]
const DOWNLOADS = {
  'browser.download.folderList': 2,
  'browser.download.useDownloadDir': true,
  'browser.download.always_ask_before_handling_new_types': false,
  'browser.helperApps.neverAsk.saveToDisk': 'application/octet-stream',
}

/** How each browser is started: with a profile, a folder for downloads, and where asked with storage refused. */
export const browsers = {
  chromium: async ({ profile, downloads, refusesStorage }) => {
    if (refusesStorage) writePreferences(profile)
    const started = await launch({ browser: 'chrome', executablePath: programPath('chromium'), args: CHROMIUM }, profile)
    const session = await started.browser.target().createCDPSession()
    const prepare = ({ id }) =>
      session.send('Browser.setDownloadBehavior', {
        behavior: 'allow',
        downloadPath: downloads,
        browserContextId: id,
        eventsEnabled: false,
      })
    return { ...started, prepare }
  },
  firefox: async ({ profile, downloads, refusesStorage }) => {
    const extraPrefsFirefox = {
      ...DOWNLOADS,
      'browser.download.dir': downloads,
      'layout.css.prefers-color-scheme.content-override': 0,
      ...(refusesStorage ? { 'network.cookie.cookieBehavior': 2 } : {}),
    }
    const started = await launch({ browser: 'firefox', executablePath: programPath('firefox-esr'), extraPrefsFirefox }, profile)
    // Its preferences hold for every context.
    return { ...started, prepare: async () => undefined }
  },
}

async function launch(options, profile) {
  mkdirSync(profile, { recursive: true })
  const env = { ...process.env, HOME: profile }
  const browser = await puppeteer.launch({ ...options, headless: true, userDataDir: profile, env, timeout: 60_000 })
  const { pid } = browser.process()
  const close = async () => {
    await Promise.race([browser.close().catch(() => undefined), new Promise((done) => setTimeout(done, 5000).unref())])
    killGroup(pid)
  }
  return { browser, close }
}

/** What a person sets who lets no site keep data. */
function writePreferences(profile) {
  mkdirSync(join(profile, 'Default'), { recursive: true })
  const preferences = { profile: { default_content_setting_values: { cookies: 2 } } }
  writeFileSync(join(profile, 'Default/Preferences'), JSON.stringify(preferences))
}
