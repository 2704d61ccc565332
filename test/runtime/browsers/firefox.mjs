import { programPath } from './program-path.mjs'
import { openWithPuppeteer } from './puppeteer.mjs'

/** Opens a page in Firefox. */
export function openFirefox(options) {
  return openWithPuppeteer({ browser: 'firefox', executablePath: programPath('firefox-esr') }, options)
}
