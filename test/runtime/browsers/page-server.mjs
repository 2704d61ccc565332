import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'

const TYPES = { '.js': 'text/javascript', '.html': 'text/html', '.json': 'application/json' }
/** Nothing is compiled at run time, so the strictest policy holds. */
const POLICY = "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; img-src 'self'"

/** Serves a bundle on an origin of its own, and takes the results that its page posts. */
export async function servePage(folder, column, report) {
  let end
  const ended = new Promise((done, fail) => {
    end = (message) => (message === '' ? done() : fail(new Error(message)))
  })
  ended.catch(() => undefined)
  const pages = {
    '/page.html': '<!doctype html><meta charset="utf-8"><title>page</title><script type="module" src="/cases.js"></script>',
    '/worker.html': '<!doctype html><meta charset="utf-8"><title>worker</title><script type="module" src="/start-worker.js"></script>',
    '/start-worker.js': `const worker = new Worker('/cases.js', { type: 'module' })
worker.onerror = (event) => fetch('/results', { method: 'POST', body: JSON.stringify({ results: [], end: 'worker: ' + event.message }) })
`,
    '/column.json': JSON.stringify(column),
  }
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://page')
    if (request.method === 'POST') {
      const message = JSON.parse(await textOf(request))
      for (const result of message.results) report(result)
      if (message.end !== null) end(message.end)
      response.end()
      return
    }
    try {
      const body = pages[pathname] ?? (await readFile(join(folder, normalize(pathname))))
      response.writeHead(200, { 'content-type': TYPES[extname(pathname)] ?? 'application/octet-stream', 'content-security-policy': POLICY })
      response.end(body)
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
  return { origin: `http://127.0.0.1:${server.address().port}`, ended, close }
}

async function textOf(request) {
  let text = ''
  request.setEncoding('utf8')
  for await (const chunk of request) text += chunk
  return text
}
