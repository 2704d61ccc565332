import puppeteer from 'puppeteer-core'

/** Opens a page in a browser that puppeteer drives, with a profile of its own. `died` rejects when the browser or the page ends by itself. */
export async function openWithPuppeteer(launch, { url, profile }) {
  const env = { ...process.env, HOME: profile }
  const browser = await puppeteer.launch({ ...launch, headless: true, userDataDir: profile, env, timeout: 60_000 })
  const died = new Promise((_, reject) => {
    browser.on('disconnected', () => reject(new Error('the browser ended')))
  })
  died.catch(() => undefined)
  const page = await browser.newPage()
  page.on('error', (error) => process.stderr.write(`${url}: ${error.message}\n`))
  page.on('pageerror', (error) => process.stderr.write(`${url}: ${error.message}\n`))
  await page.goto(url)
  const close = async () => {
    const { pid } = browser.process()
    await Promise.race([browser.close().catch(() => undefined), new Promise((done) => setTimeout(done, 3000).unref())])
    try {
      process.kill(-pid, 'SIGKILL')
    } catch (error) {
      if (error.code !== 'ESRCH') throw error
    }
  }
  return { died, close }
}
