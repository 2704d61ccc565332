// Real browsers whose profile outlives them.
import { spawnSync } from 'node:child_process'
import { launchBrowser } from '../browsers/launch.mjs'

const SETTINGS = {
  // One that waits for its page, and was killed with the others, would be given to the next page.
  chromium: { args: ['--disable-features=SpareRendererForSitePerProcess'] },
  // Firefox gives an origin a part of this many kilobytes; no other way to use up a quota without using up a disk.
  firefox: { preferences: { 'dom.quotaManager.temporaryStorage.fixedLimit': 204_800 } },
}

/** Starts a browser on a profile. A tab has `close`, and in Chromium `crash` and `limit` (bytes that the origin may store; null: as before). */
export async function launch(name, profile) {
  const { browser, close, kill } = await launchBrowser(name, profile, SETTINGS[name])
  const { pid } = browser.process()
  /** Kills what runs the pages, as the system does when memory runs short; the browser lives on. */
  const crash = () => {
    for (const renderer of processesOf(pid, '--type=renderer')) killProcess(renderer)
  }
  return {
    name,
    kill,
    close,
    async tab(url) {
      const page = await browser.newPage()
      const tab = { close: () => page.close() }
      if (name === 'chromium') {
        const noticed = new Promise((done) => page.once('error', done))
        // A page that is opened before the browser has noticed may be given to a process that is dead.
        tab.crash = () => {
          crash()
          return Promise.race([noticed, new Promise((done) => setTimeout(done, 5000).unref())])
        }
        tab.limit = async (bytes) => {
          // Made before the page is loaded it would limit nothing.
          tab.session ??= await page.createCDPSession()
          await tab.session.send('Storage.overrideQuotaForOrigin', {
            origin: new URL(url).origin,
            ...(bytes === null ? {} : { quotaSize: bytes }),
          })
        }
      }
      await page.goto(url, { waitUntil: 'domcontentloaded' })
      return tab
    },
  }
}

/** Processes of a group that have a word in their command. */
function processesOf(group, word) {
  const { stdout } = spawnSync('ps', ['-e', '-o', 'pid=,pgid=,args='], { encoding: 'utf8' })
  const rows = stdout.split('\n').map((row) => row.trim().split(/\s+/))
  return rows.filter(([, pgid, ...words]) => Number(pgid) === group && words.includes(word)).map(([id]) => Number(id))
}

function killProcess(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It has ended already.
    if (error.code !== 'ESRCH') throw error
  }
}
