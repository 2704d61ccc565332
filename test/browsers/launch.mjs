import puppeteer from 'puppeteer-core'
import { groupGone, killGroup } from './process-group.mjs'
import { programPath } from './program-path.mjs'

/** The browsers that puppeteer drives. */
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
    ],
  },
  firefox: { browser: 'firefox', program: 'firefox-esr', args: [] },
}

export const browserNames = Object.keys(BROWSERS)

/**
 * Starts a browser on a profile, which outlives it. `close` ends it as a person does, `kill` all of its processes at once, as a crash does.
 * @param {string} name
 * @param {string} profile
 * @param {{ args?: readonly string[], preferences?: Record<string, unknown>, hearsRequests?: boolean }} options further arguments of Chromium,
 *   preferences of Firefox, whether pages tell of their requests, which costs much where there are thousands
 */
export async function launchBrowser(name, profile, { args = [], preferences = {}, hearsRequests = false } = {}) {
  const known = BROWSERS[name]
  if (known === undefined) throw new Error(`unknown browser ${name}: there are ${browserNames.join(', ')}`)
  const browser = await start({
    browser: known.browser,
    executablePath: programPath(known.program),
    args: [...known.args, ...args],
    extraPrefsFirefox: preferences,
    headless: true,
    networkEnabled: hearsRequests,
    userDataDir: profile,
    env: { ...process.env, HOME: profile },
    timeout: 60_000,
  })
  const program = browser.process()
  const kill = async () => {
    const isOver = program.exitCode !== null || program.signalCode !== null
    const over = isOver ? undefined : new Promise((done) => program.once('exit', done))
    killGroup(program.pid)
    await over
    // A browser that finds the storage of its profile still locked begins with an empty one.
    await groupGone(program.pid)
  }
  const close = async () => {
    await Promise.race([browser.close().catch(() => undefined), new Promise((done) => setTimeout(done, 5000).unref())])
    await kill()
  }
  return { browser, close, kill }
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
