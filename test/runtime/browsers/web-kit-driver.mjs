import { freePorts } from '../../browsers/free-ports.mjs'
import { processGroup } from '../../browsers/process-group.mjs'
import { miniBrowserPath, webKitEnvironment } from './web-kit.mjs'
import { startXServer } from './x-server.mjs'

/** Opens a page in WebKitGTK through WebDriver. Such a session keeps nothing and has no origin private file system. */
export async function openWebKit({ url, profile }) {
  const screen = await startXServer()
  const [port] = await freePorts(1)
  const driver = processGroup('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], {
    env: webKitEnvironment(profile, screen.display),
  })
  const close = () => {
    driver.kill()
    screen.kill()
  }
  const ask = async (path, body) => {
    const response = await fetch(
      `http://127.0.0.1:${port}${path}`,
      body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) },
    )
    const { value } = await response.json()
    if (!response.ok) throw new Error(`WebDriver ${path}: ${value.error}: ${value.message}`)
    return value
  }
  try {
    await Promise.race([answers(ask), driver.died])
    const options = { binary: miniBrowserPath(), args: ['--automation'] }
    const { sessionId } = await ask('/session', {
      capabilities: { alwaysMatch: { browserName: 'MiniBrowser', 'webkitgtk:browserOptions': options } },
    })
    await ask(`/session/${sessionId}/url`, { url })
    return { died: driver.died, close }
  } catch (error) {
    close()
    throw error
  }
}

async function answers(ask) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask('/status')
    } catch (error) {
      if (attempt === 100) throw error
      await new Promise((done) => setTimeout(done, 100))
    }
  }
}
