import { processGroup } from '../../browsers/process-group.mjs'
import { miniBrowserPath, webKitEnvironment } from './web-kit.mjs'
import { startXServer } from './x-server.mjs'

/** What Safari has switched on and WebKitGTK hasn't. */
const FEATURES = ['StorageAPI', 'FileSystem', 'AccessHandle', 'FileSystemWritableStream', 'StorageAPIEstimate']

/** Opens a page in WebKitGTK's small browser as a person would: its profile lasts, and there is an origin private file system. */
export async function openMiniBrowser({ url, profile }) {
  const screen = await startXServer()
  const features = `--features=${FEATURES.map((name) => `+${name}`).join(',')}`
  const browser = processGroup(miniBrowserPath(), [features, url], { env: webKitEnvironment(profile, screen.display) })
  const close = () => {
    browser.kill()
    screen.kill()
  }
  return { died: browser.died, close }
}
