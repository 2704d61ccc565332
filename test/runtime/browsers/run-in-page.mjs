import { servePage } from './page-server.mjs'

/** Runs the bundle in a browser's page, or in a worker of one, until it says that it is done. */
export async function runInPage(open, kind, { bundle, column, report, signal, posts }) {
  const server = await servePage(bundle, column, report, posts)
  let browser = null
  try {
    browser = await open({ url: `${server.origin}/${kind}.html`, profile: column.folder })
    await until(signal, server.ended, browser.died)
  } finally {
    await browser?.close()
    server.close()
  }
}

function until(signal, ...ends) {
  const cut = new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  return Promise.race([cut, ...ends])
}
