import { listen } from '../browsers/listen.mjs'

/** Run before the library loads: a browser that has neither. */
const HIDE = `for (const owner of [globalThis.Navigator, globalThis.WorkerNavigator]) delete owner?.prototype.locks
delete globalThis.BroadcastChannel
`

/** Serves the page's script on an origin of its own. `hear` is called with all that pages report. */
export function serve(script, hear) {
  return listen(async (request, response) => {
    const { pathname, searchParams, search } = new URL(request.url, 'http://page')
    // A page in a sandbox is of another origin than its own server.
    response.setHeader('access-control-allow-origin', '*')
    if (request.method === 'POST') {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      response.end()
      hear(JSON.parse(body))
    } else if (pathname === '/page.js') {
      response.setHeader('content-type', 'text/javascript')
      response.end((searchParams.has('hide') ? HIDE : '') + script)
    } else {
      response.setHeader('content-type', 'text/html')
      const query = search.replaceAll('&', '&amp;')
      const inner = pathname === '/sandbox' ? `<iframe sandbox="allow-scripts" src="/${query}"></iframe>` : scriptTag(query)
      response.end(`<!doctype html><meta charset="utf-8"><title>test</title>${inner}`)
    }
  })
}

function scriptTag(query) {
  return `<script type="module" src="/page.js${query}"></script>`
}
