import assert from 'node:assert/strict'

const BACKENDS = ['indexeddb', 'opfs']
/** Tabs and workers that write at the same time. */
const WRITERS = [
  { tab: 'a', worker: false },
  { tab: 'b', worker: true },
  { tab: 'c', worker: false },
]

/** What holds for the state in a browser's storage. A case may say by `skip` why it can't run somewhere. */
export const cases = [
  ...BACKENDS.flatMap((backend) => [
    {
      name: `${backend}: tabs and workers that write one session at once lose nothing, and hear of each other`,
      run: (pages) => together(pages, backend, 'tabs', false),
    },
    {
      name: `${backend}: a browser that was closed finds sessions and history when it is opened again`,
      run: (pages) => reopened(pages, backend),
    },
    { name: `${backend}: a tab that is closed at any moment loses no line that was kept`, run: (pages) => cut(pages, backend, 'close') },
    {
      name: `${backend}: a tab that crashes at any moment loses no line that was kept`,
      skip: (name) => (name === 'chromium' ? null : 'no way to crash a tab'),
      run: (pages) => cut(pages, backend, 'crash'),
    },
    { name: `${backend}: a browser that is killed at any moment loses no line that was kept`, run: (pages) => cut(pages, backend, 'kill') },
    {
      name: `${backend}: no more room is told with numbers, and the line is kept when there is some`,
      own: true,
      run: (pages) => full(pages, backend),
    },
    {
      name: `${backend}: a page that may store nothing says so`,
      run: async (pages) => {
        const told = await pages.run('firstLine', { root: 'sandbox', backend, session: 's' }, { sandbox: true })
        assert.equal(told?.code, 'CAPABILITY_UNSUPPORTED', JSON.stringify(told))
        assert.match(told.message, backend === 'opfs' ? /RAMWorkspaceStateStore|use backend 'indexeddb'$/ : /RAMWorkspaceStateStore/)
      },
    },
  ]),
  {
    name: 'indexeddb: a line is one transaction that reads and one that writes, whether it changes the session or not',
    run: async (pages) => {
      for (const worker of [false, true]) {
        const { changing, plain } = await pages.run(
          'lineTimes',
          { root: 'counted', backend: 'indexeddb', session: 's', count: 20 },
          { worker },
        )
        for (const { transactions } of [changing, plain]) assert.deepEqual(transactions, { readonly: 20, readwrite: 20, versionchange: 0 })
      }
    },
  },
  {
    name: 'indexeddb: without Web Locks and BroadcastChannel nothing is lost',
    run: (pages) => together(pages, 'indexeddb', 'hidden', true),
  },
  {
    name: 'opfs: without Web Locks it says what to use',
    run: async (pages) => {
      const told = await pages.run('firstLine', { root: 'hidden', backend: 'opfs', session: 's' }, { hide: true })
      assert.equal(told?.code, 'CAPABILITY_UNSUPPORTED')
      assert.match(told.message, /no Web Locks.*use backend 'indexeddb'$/)
    },
  },
  {
    name: 'opfs: what was not written whole is passed over for what was there before',
    run: async (pages) => {
      for (const worker of [false, true]) {
        const found = await pages.run('torn', { root: `torn/${worker}`, backend: 'opfs', session: 's' }, { worker })
        assert.deepEqual(found, { values: ['2', '2', '2'], lines: ['x=1', 'x=2', 'last=1'] })
      }
    },
  },
  {
    name: 'indexeddb: a newer build may upgrade the database; this one then says that it is too old',
    run: async (pages) => {
      const { told, fresh } = await pages.run('upgraded', { root: 'upgraded', backend: 'indexeddb', session: 's' })
      for (const found of [told, fresh]) {
        assert.equal(found?.code, 'VERSION_UNSUPPORTED', JSON.stringify(found))
        assert.match(found.message, /"upgraded": a newer version of this library made it; this one knows layouts up to 1$/)
      }
    },
  },
  {
    name: 'indexeddb: a database that is deleted meanwhile is an error once, then a new one',
    run: async (pages) => {
      const { told, next } = await pages.run('deleted', { root: 'deleted', backend: 'indexeddb', session: 's' })
      assert.equal(told?.code, 'NOT_FOUND', JSON.stringify(told))
      assert.equal(next, 'committed unset')
    },
  },
  {
    name: 'indexeddb: an older page that blocks an upgrade is named within the limit of time',
    run: async (pages) => {
      const { told, later } = await pages.run('blocked', { root: 'blocked', backend: 'indexeddb', session: 's' })
      assert.equal(told?.code, 'STORE_UNAVAILABLE', JSON.stringify(told))
      assert.match(told.message, /"blocked": it did not open within 300 ms; another page keeps it open in an older layout/)
      assert.equal(later, null)
    },
  },
  {
    name: 'indexeddb: a database of something else stays as it is',
    run: async (pages) => {
      const told = await pages.run('foreign', { root: 'foreign', backend: 'indexeddb', session: 's' })
      assert.equal(told?.code, 'CORRUPT', JSON.stringify(told))
      assert.match(told.message, /made by something else \(it has no values, chunks, fences\); use another root$/)
    },
  },
]

async function together(pages, backend, root, hide) {
  const count = 12
  const place = { root, backend, session: 'shared' }
  const listening = hide ? null : pages.heard((message) => message.listening === true)
  const listener = hide
    ? null
    : await pages.begin('hear', { ...place, session: 'listener', sessions: ['shared', 'own_a', 'own_b', 'own_c'] })
  await listening
  const writers = []
  for (const { tab, worker } of WRITERS) {
    writers.push(await pages.begin('write', { ...place, tab, count }, { worker, hide }))
    writers.push(await pages.begin('write', { ...place, session: `own_${tab}`, tab, count }, { worker, hide }))
  }
  await Promise.all([...writers, ...(listener === null ? [] : [listener])].map(({ result }) => result))
  const found = await pages.run('read', place, { hide })
  assert.deepEqual(found.variables, { n_a: `${count}`, n_b: `${count}`, n_c: `${count}` })
  assert.deepEqual([...found.lines].sort(), WRITERS.flatMap(({ tab }) => linesOf(tab, count)).sort())
  for (const { tab } of WRITERS) {
    assert.deepEqual(
      found.lines.filter((line) => line.startsWith(`n_${tab}=`)),
      linesOf(tab, count),
    )
    const own = await pages.run('read', { ...place, session: `own_${tab}` }, { hide })
    assert.deepEqual(own.variables, { [`n_${tab}`]: `${count}` })
    assert.deepEqual(own.lines, linesOf(tab, count))
  }
  for (const { close } of writers) await close()
  await listener?.close()
}

async function reopened(pages, backend) {
  const place = { root: 'reopened', backend, session: 's' }
  await pages.run('write', { ...place, tab: 'a', count: 5 })
  await pages.close()
  const { variables, lines, sessions } = await pages.run('read', place, { worker: true })
  assert.deepEqual(
    { variables, lines, hasSession: sessions.includes('s') },
    { variables: { n_a: '5' }, lines: linesOf('a', 5), hasSession: true },
  )
}

/**
 * The browser threw away everything that the origin had stored, also what nobody touched any more: a database that was closed long before is gone with the one that was
 * written to. Chromium does so now and then with a profile of a browser that was killed; it is no loss of a write.
 */
export class StorageDiscarded extends Error {
  constructor(round) {
    super(`round ${round}: the browser discarded all that the origin had stored`)
  }
}

/** Lets tabs write and ends them, again and again, each time at another moment, and looks whether all that was told to be kept is there. */
async function cut(pages, backend, how) {
  const place = { root: `cut-${how}`, backend, session: 's' }
  const random = numbers(how.length * 1000 + backend.length)
  const kept = new Set()
  // Another database of the origin, whole and closed long before anything is ended.
  const witness = { root: `witness-${how}`, backend, session: 'w' }
  await pages.run('write', { ...witness, tab: 'w', count: 1 })
  pages.lines.length = 0
  for (let round = 0; round < pages.rounds; round++) {
    const writers = []
    for (const { tab, worker } of WRITERS.slice(0, 2)) {
      writers.push(await pages.begin('write', { ...place, tab: `${tab}${round}`, count: 1_000_000 }, { worker }))
    }
    // So that each round has something to lose; then a moment of chance.
    await Promise.race([pages.heard((message) => String(message.line).includes(`${round}=`)), ...writers.map(({ result }) => result)])
    await new Promise((done) => setTimeout(done, random() * 300))
    if (how === 'kill') await pages.kill()
    else await Promise.all(writers.map((writer) => writer[how]()))
    for (const line of pages.lines.splice(0)) kept.add(line)
    const { variables, lines } = await pages.run('read', place)
    if (how === 'kill' && lines.length === 0 && (await pages.run('read', witness)).lines.length === 0) throw new StorageDiscarded(round)
    const found = new Set(lines)
    const highest = new Map()
    for (const line of kept) {
      assert.ok(found.has(line), `round ${round}: the history has lost ${line}`)
      const [name, number] = line.split('=')
      highest.set(name, Math.max(Number(number), highest.get(name) ?? 0))
    }
    for (const [name, number] of highest) {
      assert.ok(Number(variables[name]) >= number, `round ${round}: ${name} is ${variables[name]}, and ${number} was kept`)
    }
    assert.equal(found.size, lines.length, `round ${round}: a line is there twice`)
    // Files have no transactions.
    if (backend === 'indexeddb') {
      const last = Object.fromEntries(lines.map((line) => line.split('=')))
      assert.deepEqual(pickOf(variables, Object.keys(last)), last, `round ${round}: session and history differ`)
    }
    for (const line of lines) assert.match(line, /^n_[ab]\d+=\d+$/)
    for (const writer of writers) void writer.close().catch(() => undefined)
  }
  assert.ok(kept.size >= pages.rounds, `only ${kept.size} lines were kept`)
}

function pickOf(variables, names) {
  return Object.fromEntries(names.map((name) => [name, variables[name]]))
}

async function full(pages, backend) {
  const place = { root: `full-${backend}`, backend, session: 's' }
  const bytes = pages.name === 'chromium' ? 8_000_000 : 60_000_000
  let watcher = null
  if (pages.name === 'chromium') {
    // On the other backend: Chromium remembers for a while how much room a database that is open has.
    watcher = await pages.begin('read', { ...place, backend: BACKENDS.find((other) => other !== backend) })
    await watcher.result
    await watcher.limit(1_000_000)
  }
  const { full: told, later } = await pages.run('fill', { ...place, bytes })
  await watcher?.limit(null)
  await watcher?.close()
  assert.equal(told?.code, 'ENOSPC', JSON.stringify(told))
  assert.match(
    told.message,
    /^cannot write workspaces\/w\/sessions\/.*: the browser gives this origin no more room \(it says that \d+ of \d+ bytes are used\)$/,
  )
  assert.equal(later, 'committed')
}

function linesOf(tab, count) {
  return Array.from({ length: count }, (_, n) => `n_${tab}=${n + 1}`)
}

/** Numbers from 0 to 1 that are the same in every run. */
function numbers(seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
