import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentClient, TOKEN } from './agent-client.ts'
import { startAgentWorker } from './agent-worker.ts'
import type { RunningWorker } from './workerd.ts'
import { cleanUp, newFolder } from './workerd.ts'

const bindings = {
  MAX_BODY_BYTES: '2000',
  MAX_FILE_BYTES: '5000',
  MAX_TIMEOUT_MS: '5000',
  CORS_ORIGINS: 'https://a.example, https://b.example',
}
let worker: RunningWorker
let client: AgentClient

beforeAll(async () => {
  worker = await startAgentWorker(newFolder(), bindings)
  client = new AgentClient(worker.url)
})
afterAll(cleanUp)

interface Refusal {
  readonly error: { readonly code: string; readonly message: string }
}

async function refusal(response: Response): Promise<readonly [number, string, string]> {
  expect(response.headers.get('content-type')).toBe('application/json')
  const { error } = (await response.json()) as Refusal
  return [response.status, error.code, error.message]
}

test.each([
  [undefined, 'the request needs the header "Authorization: Bearer TOKEN"'],
  [TOKEN, 'the request needs the header "Authorization: Bearer TOKEN"'],
  [`Basic ${TOKEN}`, 'the request needs the header "Authorization: Bearer TOKEN"'],
  ['Bearer', 'the request needs the header "Authorization: Bearer TOKEN"'],
  ['Bearer wrong', 'the bearer token is wrong'],
  [`Bearer ${TOKEN}x`, 'the bearer token is wrong'],
  [`Bearer ${TOKEN.slice(0, -1)}`, 'the bearer token is wrong'],
])('a request with the authorization %j gets nothing', async (authorization, message) => {
  for (const [path, method] of [
    ['/agents/ada/shell', 'POST'],
    ['/agents/ada/history', 'GET'],
    ['/agents/ada', 'DELETE'],
    ['/nowhere', 'GET'],
  ] as const) {
    const response = await fetch(worker.url + path, { method, headers: authorization === undefined ? {} : { authorization } })
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await refusal(response)).toEqual([401, 'UNAUTHORIZED', message])
  }
})

test('the scheme of the token may be written in any case', async () => {
  const response = await fetch(`${worker.url}/agents/ada/sessions`, { headers: { authorization: `bearer ${TOKEN}` } })
  expect(response.status).toBe(200)
})

test('health needs no token, and says what is missing', async () => {
  const response = await fetch(`${worker.url}/health`)
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
  expect(await refusal(await fetch(`${worker.url}/health`, { method: 'POST' }))).toEqual([405, 'METHOD_NOT_ALLOWED', '/health answers GET'])
})

test('without a token the worker answers nobody', async () => {
  const open = await startAgentWorker(newFolder(), { TOKEN: '' })
  const message = 'the worker has no token and answers nobody: set one with "wrangler secret put TOKEN"'
  for (const path of ['/health', '/shell', '/agents/ada/sessions']) {
    for (const authorization of ['', 'Bearer ', 'Bearer undefined']) {
      expect(await refusal(await fetch(open.url + path, { headers: { authorization } }))).toEqual([503, 'MISCONFIGURED', message])
    }
  }
  await open.kill()
})

test('a limit that is no number is named', async () => {
  const wrong = await startAgentWorker(newFolder(), { MAX_LINES: 'many' })
  expect(await refusal(await new AgentClient(wrong.url).fetch('/sessions'))).toEqual([
    503,
    'MISCONFIGURED',
    'the variable MAX_LINES is "many"; it may be a whole number above 0',
  ])
  await wrong.kill()
})

test('an agent is named by the path or by the query', async () => {
  await client.run('x=ada')
  const headers = { authorization: `Bearer ${TOKEN}` }
  const run = (path: string): Promise<Response> =>
    fetch(worker.url + path, { method: 'POST', headers, body: '{"line": "echo ${x-unset}"}' })
  const [named] = (await (await run('/shell?agent=ada')).text()).split('\n')
  expect(named).toBe('{"stream":"stdout","text":"ada\\n"}')
  expect(await (await run('/shell')).text()).toContain('unset')
  expect(await refusal(await run('/agents/ada/shell?agent=ada'))).toEqual([
    400,
    'BAD_REQUEST',
    'the agent is named by the path and by the query; one is enough',
  ])
  for (const path of ['/shell?agent=', '/agents//shell', `/agents/${'a'.repeat(201)}/shell`, '/agents/a%00/shell']) {
    expect(await refusal(await run(path))).toEqual([
      400,
      'BAD_REQUEST',
      'the name of an agent has 1 to 200 characters, none of them a control character',
    ])
  }
  expect(await refusal(await run('/agents/%ff/shell'))).toEqual([400, 'BAD_REQUEST', '"%ff" in the path is not percent-encoded UTF-8'])
})

test.each([
  ['{', /^the body is not JSON: /],
  ['"x"', 'the body is JSON, but not an object'],
  ['[]', 'the body is JSON, but not an object'],
  ['{}', '"line" must be a text: the line to run'],
  ['{"line": 1}', '"line" must be a text: the line to run'],
  [
    '{"line": "", "sesion": "x"}',
    'unknown field "sesion" in the body: there are line, session, cwd, env, args, stdin, stdinBase64, record, timeoutMs',
  ],
  ['{"line": "", "session": ""}', '"session" must be a text that is not empty'],
  ['{"line": "", "cwd": 1}', '"cwd" must be a path'],
  ['{"line": "", "env": {"A": 1}}', '"env" must be an object of texts'],
  ['{"line": "", "args": "x"}', '"args" must be an array of texts'],
  ['{"line": "", "record": 1}', '"record" must be true or false'],
  ['{"line": "", "stdin": 1}', '"stdin" must be a text'],
  ['{"line": "", "stdinBase64": "*"}', '"stdinBase64" must be bytes in base64'],
  ['{"line": "", "stdin": "", "stdinBase64": ""}', '"stdin" and "stdinBase64" exclude each other'],
  ['{"line": "", "timeoutMs": 5001}', '"timeoutMs" is 5001; it may be a number from 1 to 5000'],
  ['{"line": "", "timeoutMs": "1"}', '"timeoutMs" is "1"; it may be a number from 1 to 5000'],
])('the body %s is refused', async (body, message) => {
  const [status, code, text] = await refusal(await client.fetch('/shell', { method: 'POST', body }))
  expect([status, code]).toEqual([400, 'BAD_REQUEST'])
  if (typeof message === 'string') expect(text).toBe(message)
  else expect(text).toMatch(message)
})

test('a body that is too long is refused, announced or not', async () => {
  const long = JSON.stringify({ line: `: ${'x'.repeat(2000)}` })
  expect(await refusal(await client.fetch('/shell', { method: 'POST', body: long }))).toEqual([
    413,
    'LIMIT_EXCEEDED',
    'the body has more than 2000 bytes',
  ])
  let left = 6
  const body = new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(new TextEncoder().encode(' '.repeat(500)))
      else controller.close()
    },
  })
  const chunked = { method: 'POST', body, duplex: 'half' } as RequestInit
  expect((await client.fetch('/shell', chunked)).status).toBe(413)
})

test('what the options of a line ask for is done', async () => {
  expect(await client.run('pwd; echo $A $0 $1; cat', { cwd: '/tmp', env: { A: 'a' }, args: ['n', 'one'], stdin: 'in\n' })).toMatchObject({
    stdout: '/tmp\na n one\nin\n',
  })
  expect(await client.run('wc -c; cat', { stdinBase64: 'AP8=' })).toMatchObject({ stdout: '2\n' })
  await client.run('echo unseen', { record: false })
  expect((await client.run('history 2', { record: false })).stdout).not.toContain('unseen')
  await expect(client.run(':', { cwd: '/nowhere' })).rejects.toMatchObject({ code: 'ENOENT' })
})

test('sessions are listed, shown and dropped', async () => {
  const own = new AgentClient(worker.url, 'sessions')
  await own.run('cd /tmp; x=1; a=(p q); f() { :; }; umask 027', { session: 's/1' })
  expect(await (await own.fetch('/sessions')).json()).toEqual({ sessions: ['s/1'] })
  const shown = (await (await own.fetch('/sessions/s%2F1')).json()) as { variables: object; functions: object }
  expect(shown).toMatchObject({ id: 's/1', cwd: '/tmp', umask: '0027', variables: { x: '1', HOME: '/home/user' } })
  expect(shown.variables).toMatchObject({
    a: [
      ['0', 'p'],
      ['1', 'q'],
    ],
  })
  expect(Object.keys(shown.functions)).toEqual(['f'])
  expect((await own.fetch('/sessions/s%2F1', { method: 'DELETE' })).status).toBe(204)
  for (const method of ['GET', 'DELETE']) expect((await refusal(await own.fetch('/sessions/s%2F1', { method })))[0]).toBe(404)
  expect(await (await own.fetch('/sessions')).json()).toEqual({ sessions: [] })
  const { entries } = (await (await own.fetch('/history')).json()) as { entries: unknown[] }
  expect(entries.length).toBe(1)
})

test('the history is limited', async () => {
  const own = new AgentClient(worker.url, 'history')
  for (const line of [': 1', ': 2', ': 3']) await own.run(line, { session: line === ': 2' ? 'two' : 'one' })
  const commands = async (query: string): Promise<unknown> => {
    const { entries } = (await (await own.fetch(`/history${query}`)).json()) as { entries: { command: string }[] }
    return entries.map(({ command }) => command)
  }
  expect(await commands('')).toEqual([': 1', ': 2', ': 3'])
  expect(await commands('?limit=2')).toEqual([': 2', ': 3'])
  expect(await commands('?session=one')).toEqual([': 1', ': 3'])
  expect(await commands('?session=one&limit=1')).toEqual([': 3'])
  const refusals: [string, number, string][] = [
    ['?limit=0', 400, 'limit is "0"; it may be a whole number from 1 to 10000'],
    ['?limit=1e1', 400, 'limit is "1e1"; it may be a whole number from 1 to 10000'],
    ['?limits=1', 400, 'unknown key "limits" in the query: there are agent, session, limit'],
    ['?limit=1&limit=2', 400, '"limit" stands in the query twice'],
    ['?session=none', 404, 'there is no session "none"'],
  ]
  for (const [query, status, message] of refusals) {
    const [found, , text] = await refusal(await own.fetch(`/history${query}`))
    expect([found, text]).toEqual([status, message])
  }
})

test('files are put, got in whole or in part, and removed', async () => {
  const own = new AgentClient(worker.url, 'files')
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)
  const at = '/files/data/caf%C3%A9/a%20b%25'
  expect((await own.fetch(at, { method: 'PUT', body: bytes })).status).toBe(201)
  expect((await own.fetch(at, { method: 'PUT', body: bytes })).status).toBe(204)
  const whole = await own.fetch(at)
  expect(new Uint8Array(await whole.arrayBuffer())).toEqual(bytes)
  expect([whole.headers.get('content-type'), whole.headers.get('x-content-type-options')]).toEqual(['application/octet-stream', 'nosniff'])
  expect((await own.run("wc -c < '/data/café/a b%'")).stdout).toBe('256\n')
  const ranges: [string, number, number, string][] = [
    ['bytes=0-3', 0, 4, 'bytes 0-3/256'],
    ['bytes=250-', 250, 256, 'bytes 250-255/256'],
    ['bytes=-2', 254, 256, 'bytes 254-255/256'],
    ['bytes=255-9999', 255, 256, 'bytes 255-255/256'],
  ]
  for (const [range, from, to, given] of ranges) {
    const part = await own.fetch(at, { headers: { range } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, given])
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(from, to))
  }
  expect((await refusal(await own.fetch(at, { headers: { range: 'bytes=256-' } })))[0]).toBe(416)
  expect(await (await own.fetch('/files/data')).json()).toEqual({ path: '/data', entries: [{ name: 'café', type: 'directory' }] })
  const root = (await (await own.fetch('/files')).json()) as { entries: { name: string }[] }
  expect(root.entries.map(({ name }) => name)).toEqual(expect.arrayContaining(['data', 'home', 'tmp']))
  expect((await own.fetch('/files/data', { method: 'DELETE' })).status).toBe(409)
  expect((await own.fetch('/files/data?recursive=true', { method: 'DELETE' })).status).toBe(204)
  expect(await refusal(await own.fetch(at))).toEqual([404, 'ENOENT', "No such file or directory: '/data/café/a b%'"])
})

test('what cannot be done with a file is refused with its reason', async () => {
  const own = new AgentClient(worker.url, 'files')
  await own.run('head -c 6000 /dev/zero > /big; mkdir -p /dir')
  const refusals: [string, RequestInit, number, string][] = [
    ['/files/big', {}, 413, '/big has 6000 bytes, of which 5000 are given at once: get it in parts, with a header "Range: bytes=FROM-TO"'],
    ['/files/big2', { method: 'PUT', body: 'x'.repeat(5001) }, 413, 'the body has more than 5000 bytes'],
    ['/files/dir', { method: 'PUT', body: 'x' }, 409, "Is a directory: '/dir'"],
    ['/files/big/below', { method: 'PUT', body: 'x' }, 409, "Not a directory: '/big/below'"],
    ['/files/none', { method: 'DELETE' }, 404, "No such file or directory: '/none'"],
    ['/files', { method: 'DELETE' }, 409, 'the root cannot be removed'],
    ['/files/a%2Fb', {}, 400, '"a/b" is no name of a file'],
    ['/files/a%00b', {}, 400, '"a\\u0000b" is no name of a file'],
    ['/files/dir?recursive=yes', { method: 'DELETE' }, 400, 'recursive is "yes"; it may be true or false'],
    ['/files/dev/null', {}, 409, '/dev/null is a character-device'],
  ]
  for (const [path, init, status, message] of refusals) {
    const [found, , text] = await refusal(await own.fetch(path, init))
    expect([found, text], path).toEqual([status, message])
  }
  expect((await own.fetch('/files/big', { headers: { range: 'bytes=0-4999' } })).status).toBe(206)
})

test('paths and methods that mean nothing are told what there is', async () => {
  expect(await refusal(await client.fetch('/shel', { method: 'POST' }))).toEqual([
    404,
    'NOT_FOUND',
    'there is nothing at /shel: there are /shell, /scripts, /sessions, /history and /files',
  ])
  const response = await client.fetch('/files/x', { method: 'PATCH' })
  expect(response.headers.get('allow')).toBe('GET, PUT, DELETE')
  expect(await refusal(response)).toEqual([405, 'METHOD_NOT_ALLOWED', 'PATCH means nothing here: there is GET, PUT, DELETE'])
  const other = await client.post({ line: ':' }, { headers: { accept: 'text/html' } })
  expect(await refusal(other)).toEqual([
    406,
    'NOT_ACCEPTABLE',
    'there is no text/html: a line answers with application/x-ndjson or text/event-stream',
  ])
})

test('pages of other origins are let in where they are listed', async () => {
  const ask = (origin: string): Promise<Response> =>
    fetch(`${worker.url}/agents/ada/shell`, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } })
  const allowed = await ask('https://b.example')
  expect([allowed.status, allowed.headers.get('access-control-allow-origin'), allowed.headers.get('access-control-allow-headers')]).toEqual(
    [204, 'https://b.example', 'authorization, content-type, range'],
  )
  const other = await ask('https://c.example')
  expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([401, null])
  const answer = await client.fetch('/sessions', { headers: { origin: 'https://a.example' } })
  expect([answer.status, answer.headers.get('access-control-allow-origin'), answer.headers.get('vary')]).toEqual([
    200,
    'https://a.example',
    'Origin',
  ])
})
