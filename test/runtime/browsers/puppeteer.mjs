import { launchBrowser } from '../../browsers/launch.mjs'

/** Opens a page in Chromium. `died` rejects when the browser ends by itself, and `loaded` is given the page. */
export function openChromium(place, loaded) {
  return open('chromium', place, loaded)
}

/** Opens a page in Firefox. */
export function openFirefox(place) {
  return open('firefox', place)
}

async function open(name, { url, profile }, loaded = () => undefined) {
  const { browser, close } = await launchBrowser(name, profile)
  const died = new Promise((_, reject) => {
    browser.on('disconnected', () => reject(new Error('the browser ended')))
  })
  died.catch(() => undefined)
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
