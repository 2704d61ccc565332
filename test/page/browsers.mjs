import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launchBrowser } from '../browsers/launch.mjs'

const DOWNLOADS = {
  'browser.download.folderList': 2,
  'browser.download.useDownloadDir': true,
  'browser.download.always_ask_before_handling_new_types': false,
  'browser.helperApps.neverAsk.saveToDisk': 'application/octet-stream',
}

/** How each browser is started: with a profile, a folder for downloads, and where asked with storage refused, or little of it. */
export const browsers = {
  chromium: async ({ profile, downloads, refusesStorage }) => {
    if (refusesStorage) writePreferences(profile)
    const started = await launchBrowser('chromium', made(profile), { args: ['--font-render-hinting=none'], hearsRequests: true })
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
  firefox: async ({ profile, downloads, refusesStorage, smallDisk }) => {
    const preferences = {
      ...DOWNLOADS,
      'browser.download.dir': downloads,
      'layout.css.prefers-color-scheme.content-override': 0,
      // Kilobytes.
      ...(smallDisk ? { 'dom.quotaManager.temporaryStorage.fixedLimit': 12_000 } : {}),
      ...(refusesStorage ? { 'network.cookie.cookieBehavior': 2 } : {}),
    }
    const started = await launchBrowser('firefox', made(profile), { preferences, hearsRequests: true })
    // Its preferences hold for every context.
    return { ...started, prepare: async () => undefined }
  },
}

function made(profile) {
  mkdirSync(profile, { recursive: true })
  return profile
}

/** What a person sets who lets no site keep data. */
function writePreferences(profile) {
  mkdirSync(join(profile, 'Default'), { recursive: true })
  const preferences = { profile: { default_content_setting_values: { cookies: 2 } } }
  writeFileSync(join(profile, 'Default/Preferences'), JSON.stringify(preferences))
}
