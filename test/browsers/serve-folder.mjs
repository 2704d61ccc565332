import { readFile } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'
import { listen } from './listen.mjs'

const TYPES = { '.css': 'text/css', '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json' }

/**
 * Serves a folder below a path, as a host of static files does, and nothing else.
 * @param {string} folder
 * @param {string} path
 */
export async function serveFolder(folder, path = '/') {
  const { origin, close } = await listen(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://page')
    if (!pathname.startsWith(path)) return response.writeHead(404).end()
    const name = normalize(`/${decodeURIComponent(pathname.slice(path.length))}`)
    await sendFile(response, join(folder, name.endsWith('/') ? `${name}index.html` : name))
  })
  return { origin, url: `${origin}${path}`, close }
}

/** Answers with a file, or with 404. */
export async function sendFile(response, file, headers = {}) {
  try {
    const body = await readFile(file)
    response.writeHead(200, { 'content-type': typeOf(file), ...headers }).end(body)
  } catch {
    response.writeHead(404).end()
  }
}

export function typeOf(file) {
  return TYPES[extname(file)] ?? 'application/octet-stream'
}
