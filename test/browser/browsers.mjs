// Real browsers whose profile outlives them.
import { spawnSync } from 'node:child_process'
import puppeteer from 'puppeteer-core'
import { programPath } from '../runtime/browsers/program-path.mjs'
import { killGroup } from '../runtime/process-group.mjs'

const BROWSERS = {
  chromium: {
    browser: 'chrome',
    program: 'chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-dev-shm-usage',
      // One that waits for its page, and was killed with the others, would be given to the next page.
      '--disable-features=SpareRendererForSitePerProcess',
    ],
  },
  // Firefox gives an origin a part of this many kilobytes; no other way to use up a quota without using up a disk.
  firefox: {
    browser: 'firefox',
    program: 'firefox-esr',
    args: [],
    extraPrefsFirefox: { 'dom.quotaManager.temporaryStorage.fixedLimit': 204_800 },
  },
}

export const browserNames = Object.keys(BROWSERS)

/** Starts a browser on a profile. A tab has `close`, and in Chromium `crash` and `limit` (bytes that the origin may store; null: as before). */
export async function launch(name, profile) {
  const { program, ...options } = BROWSERS[name]
  const browser = await start({
    ...options,
    executablePath: programPath(program),
    userDataDir: profile,
    headless: true,
    env: { ...process.env, HOME: profile },
    timeout: 60_000,
  })
  const { pid } = browser.process()
  const kill = async () => {
    const ended = new Promise((done) => browser.process().once('exit', done))
    if (browser.process().exitCode !== null || browser.process().signalCode !== null) return
    killGroup(pid)
    await ended
  }
  /** Kills what runs the pages, as the system does when memory runs short; the browser lives on. */
  const crash = () => {
    for (const renderer of processesOf(pid, '--type=renderer')) killProcess(renderer)
  }
  return {
    name,
    kill,
    async close() {
      await Promise.race([browser.close().catch(() => undefined), new Promise((done) => setTimeout(done, 5000).unref())])
      await kill()
    },
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

/** Tries again while puppeteer still puts the profile of a Firefox that was killed in order: it moves files meanwhile. */
async function start(options) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await puppeteer.launch(options)
    } catch (error) {
      if (error.code !== 'ENOENT' || attempt === 20) throw error
      await new Promise((done) => setTimeout(done, 100))
    }
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
