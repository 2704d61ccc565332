import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'

const TYPES = { '.css': 'text/css', '.html': 'text/html', '.js': 'text/javascript' }

/** Serves a folder below a path, as a host of static files does, and nothing else. */
export async function serveStatic(folder, path) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://page')
    if (!pathname.startsWith(path)) return response.writeHead(404).end()
    const name = normalize(`/${decodeURIComponent(pathname.slice(path.length))}`)
    const file = join(folder, name.endsWith('/') ? `${name}index.html` : name)
    try {
      const body = await readFile(file)
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise((done, fail) => {
    server.on('error', fail)
    server.listen(0, '127.0.0.1', done)
  })
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  const origin = `http://127.0.0.1:${server.address().port}`
  return { origin, url: `${origin}${path}`, close }
}
