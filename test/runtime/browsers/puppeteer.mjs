import puppeteer from 'puppeteer-core'
import { killGroup } from '../process-group.mjs'

/** Opens a page in a browser that puppeteer drives, with a profile of its own. `died` rejects when the browser ends by itself, and `loaded` is given the page. */
export async function openWithPuppeteer(launch, { url, profile }, loaded = () => undefined) {
  const env = { ...process.env, HOME: profile }
  const browser = await puppeteer.launch({ ...launch, headless: true, userDataDir: profile, env, timeout: 60_000 })
  const died = new Promise((_, reject) => {
    browser.on('disconnected', () => reject(new Error('the browser ended')))
  })
  died.catch(() => undefined)
  const close = async () => {
    const { pid } = browser.process()
    await Promise.race([browser.close().catch(() => undefined), new Promise((done) => setTimeout(done, 3000).unref())])
    killGroup(pid)
  }
  try {
    const page = await browser.newPage()
    for (const event of ['error', 'pageerror']) page.on(event, ({ message }) => process.stderr.write(`${url}: ${message}\n`))
    await page.goto(url)
    await loaded(page)
    return { died, close }
  } catch (error) {
    await close()
    throw error
  }
}
