import { join, normalize } from 'node:path'
import { listen } from '../../browsers/listen.mjs'
import { sendFile, typeOf } from '../../browsers/serve-folder.mjs'

/** Nothing is compiled at run time, so the strictest policy holds. */
function policyFor({ servers }) {
  const remote = servers === null ? '' : ` ${servers.upstash.url} ${servers.s3.endpoint}`
  return `default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'${remote}; img-src 'self'`
}

/** Serves a bundle on an origin of its own, and takes the results that its page posts. `posts` answers other paths to which it posts JSON. */
export async function servePage(folder, column, report, posts = {}) {
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
  const { origin, close } = await listen(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://page')
    if (request.method === 'POST') {
      const message = JSON.parse(await textOf(request))
      if (posts[pathname] !== undefined) return response.end(await posts[pathname](message))
      for (const result of message.results) report(result)
      if (message.end !== null) end(message.end)
      response.end()
      return
    }
    const headers = { 'content-security-policy': policyFor(column) }
    const body = pages[pathname]
    if (body === undefined) await sendFile(response, join(folder, normalize(pathname)), headers)
    else response.writeHead(200, { 'content-type': typeOf(pathname), ...headers }).end(body)
  })
  return { origin, ended, close }
}

async function textOf(request) {
  let text = ''
  request.setEncoding('utf8')
  for await (const chunk of request) text += chunk
  return text
}
