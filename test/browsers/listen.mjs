import { createServer } from 'node:http'

/** Answers requests on an origin of its own. */
export async function listen(handle) {
  const server = createServer(handle)
  await new Promise((done, fail) => {
    server.on('error', fail)
    server.listen(0, '127.0.0.1', done)
  })
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { origin: `http://127.0.0.1:${server.address().port}`, close }
}
