import { programPath } from './program-path.mjs'
import { openWithPuppeteer } from './puppeteer.mjs'

/** Opens a page in Chromium. `loaded` is given the page. */
export function openChromium(options, loaded) {
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-dev-shm-usage',
  ]
  return openWithPuppeteer({ browser: 'chrome', executablePath: programPath('chromium'), args }, options, loaded)
}
