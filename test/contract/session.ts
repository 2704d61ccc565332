import type { CommitResult, SessionState } from '../../src/state/session.ts'
import type { SessionFields, StoredVariable } from '../../src/state/session-fields.ts'
import type { Sessions } from '../../src/state/sessions.ts'
import { deepEqual, equal, ok, rejects } from './assert.ts'
import type { ContractCase } from './case.ts'
import type { FaultyStore } from './faulty-store.ts'
import { ids, longIds } from './ids.ts'

/** Two instances of one workspace that has no state yet. */
export interface SessionSubject {
  readonly one: Sessions
  readonly two: Sessions
  /** One more instance of the workspace, or of another one on the same store. */
  again(workspaceId?: string): Sessions
  /** The store under `one`; null where it can't be made to fail. */
  readonly faults: FaultyStore | null
}

export const initialFields: SessionFields = {
  cwd: '/',
  umask: 0o22,
  variables: new Map([
    ['PATH', { attributes: 'x', value: '/usr/bin' }],
    ['old', { attributes: '', value: '1' }],
  ]),
  functions: new Map([['f', { source: 'f() { echo f; }', exported: false, readonly: false }]]),
  aliases: new Map([['ll', 'ls -l']]),
  rules: {
    profile: null,
    mountModes: new Map(),
    paths: { hide: [], deny: [] },
    commands: { allow: null, deny: [] },
  },
}

/** Fields that have everything that fields can have. */
export const allFields: SessionFields = {
  cwd: '/caf\u00e9/\udcff/tab\t',
  umask: 0o777,
  variables: new Map<string, StoredVariable>([
    ['plain', { attributes: '', value: 'x' }],
    ['empty', { attributes: '', value: '' }],
    ['exported', { attributes: 'x', value: 'two\nlines' }],
    ['unset', { attributes: 'ir', value: null }],
    ['stray', { attributes: '', value: '\udc80\udcff ok \u{1f642}' }],
    ['__proto__', { attributes: '', value: 'polluted' }],
    ['constructor', { attributes: 'x', value: '' }],
    [
      'array',
      {
        attributes: 'a',
        value: [
          ['0', 'a'],
          ['2', 'c \udc81'],
          ['10', ''],
        ],
      },
    ],
    ['none', { attributes: 'a', value: [] }],
    [
      'map',
      {
        attributes: 'Ax',
        value: [
          ['z', '1'],
          ['__proto__', '2'],
          ['1', '3'],
          ['', '4'],
        ],
      },
    ],
    ['declared', { attributes: 'A', value: null }],
  ]),
  functions: new Map([
    ['__proto__', { source: '__proto__() { :; }', exported: true, readonly: false }],
    ['g', { source: 'g () \n{ \n    cat <<E\n\udcfe\nE\n\n}', exported: false, readonly: true }],
  ]),
  aliases: new Map([
    ['1', 'one'],
    ['__proto__', 'two'],
    ['..', 'cd ..'],
  ]),
  rules: {
    profile: 'reader',
    mountModes: new Map([
      ['/data', 'read'],
      ['/bin', 'exec'],
    ]),
    paths: { hide: ['/a/*.key', '*.pem'], deny: ['/secret', 'id_*'] },
    commands: { allow: ['ls', 'cat'], deny: ['rm'] },
  },
}

export const sessionContract: readonly ContractCase<SessionSubject>[] = [
  {
    name: 'a new session has the fields it is given',
    async run({ one }) {
      const { session, created } = await one.open('s', initialFields)
      equal(created, true)
      equal(await session.begin(), initialFields)
      session.abandon()
      equal((await one.open('s', allFields)).session, session)
    },
  },
  {
    name: 'fields keep their identity while nothing moves',
    async run({ one, two }) {
      const session = await opened(one)
      const fields = { ...(await session.begin()), cwd: '/x' }
      await committed(session.commit(fields, null))
      equal(await session.begin(), fields)
      session.abandon()
      await change(await opened(two), (given) => ({ ...given, umask: 0 }))
      const moved = await session.begin()
      session.abandon()
      ok(moved !== fields)
      equal(moved.variables, fields.variables)
      equal(moved.rules, fields.rules)
      equal(moved.umask, 0)
      equal(moved.cwd, '/x')
    },
  },
  {
    name: 'everything survives, in another instance too',
    async run({ one, two, again }) {
      const { session } = await one.open('s', allFields)
      sameFields((await two.open('s', initialFields)).session.fields, allFields)
      await change(session, () => initialFields)
      await change(session, () => allFields)
      sameFields((await again().open('s', initialFields)).session.fields, allFields)
    },
  },
  {
    name: 'state is taken and given by value',
    async run({ one, two }) {
      const elements: [string, string][] = [['0', 'a']]
      const variables = new Map<string, StoredVariable>([['a', { attributes: 'a', value: elements }]])
      const session = await opened(one)
      await change(session, (given) => ({ ...given, variables }))
      elements.push(['1', 'b'])
      variables.clear()
      const other = await opened(two)
      deepEqual(Array.from(other.fields.variables), [['a', { attributes: 'a', value: [['0', 'a']] }]])
      const handed = other.fields.variables as Map<string, StoredVariable>
      handed.clear()
      const third = await one.inspect('s')
      equal(third?.fields.variables.size, 1)
    },
  },
  {
    name: 'instances see each other line by line',
    async run({ one, two }) {
      const [a, b] = [await opened(one), await opened(two)]
      for (let i = 0; i < 5; i++) {
        await change(a, (given) => withVariable(given, 'n', `a${i}`))
        equal((await b.begin()).variables.get('n')?.value, `a${i}`)
        b.abandon()
        await change(b, (given) => withVariable(given, 'n', `b${i}`))
        equal((await a.begin()).variables.get('n')?.value, `b${i}`)
        a.abandon()
      }
      equal(a.generation, 11)
      equal(b.generation, a.generation)
      equal(b.createdAt, a.createdAt)
    },
  },
  {
    name: 'a line that changes nothing leaves the record alone',
    async run({ one, two }) {
      const session = await opened(one)
      await change(session, (given) => ({ ...given, variables: new Map(given.variables), aliases: new Map(given.aliases) }))
      equal(session.generation, 1)
      const fields = await (await opened(two)).begin()
      sameFields(fields, initialFields)
    },
  },
  {
    name: 'lines take turns in one instance, first come, first served',
    async run({ one }) {
      const session = await opened(one)
      const order: number[] = []
      const lines = [1, 2, 3].map(async (n) => {
        const given = await session.begin()
        order.push(n)
        await Promise.resolve()
        order.push(n)
        await session.commit(withVariable(given, `v${n}`, 'x'), null)
      })
      await Promise.all(lines)
      deepEqual(order, [1, 1, 2, 2, 3, 3])
      equal(session.fields.variables.size, initialFields.variables.size + 3)
    },
  },
  {
    name: 'lines take turns among instances',
    needs: 'turns',
    async run({ one, two }) {
      const [a, b] = [await opened(one), await opened(two)]
      const given = await a.begin()
      let begun = false
      const waiting = Promise.resolve(b.begin()).then((fields) => {
        begun = true
        return fields
      })
      await new Promise((resolve) => setTimeout(resolve, 20))
      equal(begun, false)
      await committed(a.commit(withVariable(given, 'n', '1'), null))
      const seen = await waiting
      equal(seen.variables.get('n')?.value, '1')
      b.abandon()
    },
  },
  {
    name: 'a waiting line leaves when its signal fires, and the next goes on',
    async run({ one }) {
      const session = await opened(one)
      await session.begin()
      const controller = new AbortController()
      const waiting = Promise.resolve(session.begin(controller.signal))
      const next = Promise.resolve(session.begin())
      controller.abort()
      await rejects(waiting, 'AbortError')
      session.abandon()
      await next
      session.abandon()
      await rejects(async () => session.begin(controller.signal), 'AbortError')
      await session.begin()
      session.abandon()
    },
  },
  {
    name: 'many lines of two instances keep every change',
    async run({ one, two }) {
      const [a, b] = [await opened(one), await opened(two)]
      const many = async (session: SessionState, name: string): Promise<void> => {
        for (let i = 0; i < 25; i++) await change(session, (given) => withVariable(given, `${name}${i}`, String(i)))
      }
      await Promise.all([many(a, 'a'), many(b, 'b')])
      await a.begin()
      a.abandon()
      equal(a.fields.variables.size, initialFields.variables.size + 50)
    },
  },
  {
    name: 'a session that another instance closed is missed once',
    async run({ one, two }) {
      const [a, b] = [await opened(one), await opened(two)]
      await change(a, (given) => ({ ...given, cwd: '/x' }))
      equal(await two.remove('s'), true)
      equal(await two.remove('s'), false)
      equal(await two.exists('s'), false)
      await rejects(async () => a.begin(), 'NOT_FOUND')
      sameFields(await a.begin(), initialFields)
      await committed(a.commit({ ...a.fields, cwd: '/y' }, null))
      await rejects(async () => b.begin(), 'NOT_FOUND')
      equal((await two.open('s', initialFields)).session.fields.cwd, '/y')
      equal((await two.open('s', initialFields)).session === b, false)
    },
  },
  {
    name: 'a line of a session that is closed meanwhile still has its result',
    async run({ one, two }) {
      const session = await opened(one)
      const given = await session.begin()
      await two.remove('s')
      const result = await session.commit({ ...given, cwd: '/x' }, null)
      equal(result.durability, 'pending')
      equal(result.cause?.code, 'NOT_FOUND')
      await rejects(async () => session.begin(), 'NOT_FOUND')
      equal(await two.exists('s'), false)
      sameFields(await session.begin(), initialFields)
      session.abandon()
      await one.flush()
    },
  },
  {
    name: 'a line of a session that is being closed here changes it no more, and is in the history',
    async run({ one, two }) {
      const session = await opened(one)
      const given = await session.begin()
      const removed = one.remove('s')
      const result = await session.commit({ ...given, cwd: '/x' }, line('last'))
      deepEqual([result.durability, result.cause?.code], ['pending', 'NOT_FOUND'])
      equal(await removed, true)
      equal(await two.exists('s'), false)
      await rejects(async () => session.begin(), 'NOT_FOUND')
      await rejects(async () => session.begin(), 'NOT_FOUND')
      deepEqual(
        (await two.history()).map(({ command }) => command),
        ['last'],
      )
    },
  },
  {
    name: 'the default session is found again',
    async run({ one, two, again }) {
      const ids = await Promise.all([one.defaultSession(), two.defaultSession()])
      equal(ids[0], ids[1])
      equal(await again().defaultSession(), ids[0])
      equal(await again().defaultSession('mine'), 'mine')
      equal(await again().defaultSession(), ids[0])
      equal(await again('other').defaultSession('mine'), 'mine')
      equal(await again('other').defaultSession(), 'mine')
    },
  },
  {
    name: 'any text is an id',
    async run({ one, two }) {
      for (const [at, id] of ids.entries()) equal((await one.open(id, { ...initialFields, cwd: `/${at}` })).created, true)
      deepEqual(await two.list(), [...ids].sort())
      for (const [at, id] of ids.entries()) equal((await two.inspect(id))?.fields.cwd, `/${at}`, JSON.stringify(id))
      for (const id of ids.slice(0, 8)) equal(await two.remove(id), true)
      deepEqual(await one.list(), ids.slice(8).sort())
      await rejects(one.open('', initialFields), 'EINVAL')
    },
  },
  {
    name: 'any text is the id of a workspace',
    async run({ again }) {
      for (const [at, id] of ids.entries()) {
        equal((await again(id).open('s', { ...initialFields, cwd: `/${at}` })).created, true, JSON.stringify(id))
      }
      for (const [at, id] of ids.entries()) equal((await again(id).inspect('s'))?.fields.cwd, `/${at}`, JSON.stringify(id))
      for (const id of ids.slice(0, 8)) await again(id).delete()
      for (const [at, id] of ids.slice(0, 16).entries()) equal((await again(id).list()).length, at < 8 ? 0 : 1, JSON.stringify(id))
      await rejects(async () => again('').list(), 'EINVAL')
    },
  },
  {
    name: 'an id for which there is no room is ENAMETOOLONG, and none is taken for another',
    async run({ one, two, again }) {
      const kept: string[] = []
      for (const id of longIds) {
        const opened = await one.open(id, { ...initialFields, cwd: `/${kept.length}` }).catch((error: unknown) => error)
        if (opened instanceof Error) await rejects(Promise.reject(opened), 'ENAMETOOLONG')
        else kept.push(id)
        const elsewhere = await again(id)
          .open('s', initialFields)
          .catch((error: unknown) => error)
        if (elsewhere instanceof Error) await rejects(Promise.reject(elsewhere), 'ENAMETOOLONG')
        else deepEqual(await again(id).list(), ['s'])
      }
      ok(kept.includes(longIds[0] ?? ''), 'an id of 200 letters')
      deepEqual(await two.list(), [...kept].sort())
      for (const [at, id] of kept.entries()) equal((await two.inspect(id))?.fields.cwd, `/${at}`)
    },
  },
  {
    name: 'workspaces on one store are apart',
    async run({ one, again }) {
      await opened(one)
      for (const workspace of ['../other', 'other', '..']) {
        const sessions = again(workspace)
        deepEqual(await sessions.list(), [])
        await change((await sessions.open('s', initialFields)).session, (given) => ({ ...given, cwd: workspace }))
      }
      equal((await again('..').inspect('s'))?.fields.cwd, '..')
      equal((await one.inspect('s'))?.fields.cwd, '/')
      equal(await one.inspect('t'), null)
    },
  },
  {
    name: 'two that open a session at once make one',
    async run({ one, two }) {
      const both = await Promise.all([one.open('s', initialFields), two.open('s', allFields)])
      equal(both.filter(({ created }) => created).length, 1)
      sameFields(both[0].session.fields, both[1].session.fields)
    },
  },
  {
    name: 'delete drops everything, close keeps it',
    async run({ one, two, again }) {
      await change(await opened(one), (given) => ({ ...given, cwd: '/kept' }))
      await one.close()
      await rejects(one.list(), 'CLOSED')
      equal((await again().inspect('s'))?.fields.cwd, '/kept')
      await two.delete()
      deepEqual(await again().list(), [])
    },
  },
  {
    name: 'both changed: another field each is merged, the same field goes to the later and is named',
    needs: 'faults',
    async run({ one, two, faults }) {
      const [a, b] = [await opened(one), await opened(two)]
      const given = await a.begin()
      if (faults !== null) faults.plan = () => 'fail'
      const mine = { ...withVariable(withVariable(given, 'mine', '1'), 'both', 'a'), cwd: '/a', umask: 0 }
      const result = await a.commit({ ...mine, rules: { ...given.rules, paths: { hide: ['*.a'], deny: [] } } }, null)
      equal(result.durability, 'pending')
      equal(result.cause?.code, 'STORE_UNAVAILABLE')
      if (faults !== null) faults.plan = () => null
      await change(b, (theirs) => {
        const changed = { ...withVariable(withVariable(theirs, 'theirs', '2'), 'both', 'b'), cwd: '/b', umask: 0 }
        return { ...changed, rules: { ...theirs.rules, paths: { hide: ['*.b'], deny: [] } } }
      })
      const merged = await a.begin()
      deepEqual(
        ['mine', 'theirs', 'both', 'old'].map((name) => merged.variables.get(name)?.value),
        ['1', '2', 'a', '1'],
      )
      equal(merged.cwd, '/a')
      deepEqual([...merged.rules.paths.hide].sort(), ['*.a', '*.b'])
      const done = await a.commit(merged, null)
      equal(done.durability, 'committed')
      deepEqual(done.conflicts, ['cwd', 'variable both'])
      sameFields((await two.inspect('s'))?.fields, merged)
    },
  },
  {
    name: 'whatever call fails, the line has its result and its change comes through once',
    needs: 'faults',
    async run(subject) {
      for (const fault of ['fail', 'lose answer'] as const) await throughFaults(subject, fault)
    },
  },
  {
    name: 'a store that is down holds no line back, and gets all of them later in order',
    needs: 'faults',
    async run({ one, two, faults }) {
      const session = await opened(one)
      if (faults !== null) faults.plan = () => 'fail'
      for (let i = 0; i < 5; i++) {
        const given = await session.begin()
        equal(given.variables.get('n')?.value ?? '-1', String(i - 1))
        const result = await session.commit(withVariable(given, 'n', String(i)), line(`n=${i}`))
        equal(result.durability, 'pending')
      }
      await rejects(one.flush(), 'STORE_UNAVAILABLE')
      if (faults !== null) faults.plan = () => null
      await one.flush()
      equal((await two.inspect('s'))?.fields.variables.get('n')?.value, '4')
      const { entries } = await (await opened(two)).history.tail(10)
      deepEqual(
        entries.map(({ command }) => command),
        ['n=0', 'n=1', 'n=2', 'n=3', 'n=4'],
      )
    },
  },
  {
    name: 'a line whose lease is lost takes its turn again and comes through once',
    needs: 'faults',
    async run({ one, two, faults }) {
      const session = await opened(one)
      for (const operation of ['put', 'append'] as const) {
        let hits = 0
        if (faults !== null) faults.plan = (called) => (called === operation && hits++ === 0 ? 'lose lease' : null)
        const given = await session.begin()
        await committed(session.commit(withVariable(given, operation, '1'), line(operation)))
      }
      const stored = (await two.inspect('s'))?.fields.variables
      equal(stored?.get('put')?.value, '1')
      equal(stored?.get('append')?.value, '1')
      equal((await session.history.tail(9)).total, 2)
    },
  },
  {
    name: 'a line that ran on what others changed meanwhile says so, once',
    needs: 'no turns',
    async run({ one, two }) {
      const [a, b] = [await opened(one), await opened(two)]
      const mine = await a.begin()
      await change(b, (given) => withVariable(given, 'theirs', '2'))
      deepEqual(await a.commit(withVariable(mine, 'mine', '1'), line('a')), { durability: 'committed', conflicts: [], outdated: true })
      deepEqual(await a.commit(withVariable(await a.begin(), 'mine', '2'), line('a')), { durability: 'committed', conflicts: [] })
    },
  },
  {
    name: 'lines that run at the same time are merged',
    needs: 'no turns',
    async run({ one, two }) {
      const [a, b] = [await opened(one), await opened(two)]
      const [mine, theirs] = [await a.begin(), await b.begin()]
      await committed(b.commit(withVariable(withVariable(theirs, 'theirs', '2'), 'both', 'b'), line('b')))
      const result = await a.commit(withVariable(withVariable(mine, 'mine', '1'), 'both', 'a'), line('a'))
      deepEqual(result, { durability: 'committed', conflicts: ['variable both'], outdated: true })
      for (const fields of [await a.begin(), await b.begin()]) {
        const values = ['mine', 'theirs', 'both'].map((name) => fields.variables.get(name)?.value)
        deepEqual(values, ['1', '2', 'a'])
      }
      a.abandon()
      b.abandon()
      equal((await a.history.tail(9)).total, 2)
    },
  },
  {
    name: 'what came through without an answer is no conflict with what the same instance did next',
    needs: 'faults',
    async run({ one, two, faults }) {
      const session = await opened(one)
      const set = async (value: string): Promise<CommitResult> =>
        session.commit(withVariable(await session.begin(), 'n', value), line(`n=${value}`))
      if (faults !== null) faults.plan = (operation) => (operation === 'put' || operation === 'write' ? 'lose answer' : null)
      equal((await set('1')).durability, 'pending')
      if (faults !== null) faults.plan = () => 'fail'
      equal((await set('2')).durability, 'pending')
      if (faults !== null) faults.plan = () => null
      deepEqual(await set('3'), { durability: 'committed', conflicts: [] })
      equal((await two.inspect('s'))?.fields.variables.get('n')?.value, '3')
      equal((await session.history.tail(9)).total, 3)
    },
  },
  {
    name: 'and is one with what another instance did after it',
    needs: 'faults',
    async run({ one, two, faults }) {
      const [session, other] = [await opened(one), await opened(two)]
      const set = async (value: string): Promise<CommitResult> =>
        session.commit(withVariable(await session.begin(), 'n', value), line(`n=${value}`))
      if (faults !== null) faults.plan = (operation) => (operation === 'put' || operation === 'write' ? 'lose answer' : null)
      equal((await set('1')).durability, 'pending')
      if (faults !== null) faults.plan = () => 'fail'
      equal((await set('2')).durability, 'pending')
      if (faults !== null) faults.plan = () => null
      await change(other, (given) => withVariable(given, 'n', 'theirs'))
      deepEqual(await set('3'), { durability: 'committed', conflicts: ['variable n'], outdated: true })
      equal((await two.inspect('s'))?.fields.variables.get('n')?.value, '3')
    },
  },
  {
    name: 'a line that keeps nothing says where the store could not be asked what the session is',
    needs: 'faults',
    async run({ one, faults }) {
      const session = await opened(one)
      if (faults !== null) faults.plan = () => 'fail'
      const { durability, cause } = await session.commit(await session.begin(), null)
      deepEqual([durability, cause?.code], ['pending', 'STORE_UNAVAILABLE'])
      if (faults !== null) faults.plan = () => null
      await one.flush()
      deepEqual(await session.commit(await session.begin(), null), { durability: 'committed', conflicts: [] })
    },
  },
  {
    name: 'a line that finds the store down at its begin runs on what is known',
    needs: 'faults',
    async run({ one, faults }) {
      const session = await opened(one)
      if (faults !== null) faults.plan = () => 'fail'
      equal(await session.begin(), session.fields)
      session.abandon()
      await rejects(one.open('t', initialFields), 'STORE_UNAVAILABLE')
      if (faults !== null) faults.plan = () => null
      equal((await one.open('t', initialFields)).created, true)
    },
  },
]

/** Runs three lines for each call that can be hit, hits that one, and looks at what came of it. */
async function throughFaults({ again, faults }: SessionSubject, fault: 'fail' | 'lose answer'): Promise<void> {
  if (faults === null) return
  for (let hit = 1; ; hit++) {
    const id = `${fault} ${hit}`
    faults.plan = () => null
    const one = again('through faults')
    const { session } = await one.open(id, initialFields)
    let calls = 0
    faults.plan = () => (++calls === hit ? fault : null)
    const commands: string[] = []
    for (let n = 0; n < 3; n++) {
      const given = await session.begin()
      equal(given.variables.get('n')?.value ?? '-1', String(n - 1), `${id}, line ${n}`)
      await session.commit(withVariable(given, 'n', String(n)), line(`n=${n}`))
      commands.push(`n=${n}`)
    }
    const wasHit = calls >= hit
    faults.plan = () => null
    await one.flush()
    const fresh = (await again('through faults').open(id, initialFields)).session
    equal(fresh.fields.variables.get('n')?.value, '2', id)
    const { entries } = await fresh.history.tail(10)
    deepEqual(
      entries.map(({ command }) => command),
      commands,
      id,
    )
    if (!wasHit) break
  }
}

async function opened(sessions: Sessions): Promise<SessionState> {
  return (await sessions.open('s', initialFields)).session
}

async function change(session: SessionState, edit: (given: SessionFields) => SessionFields): Promise<void> {
  const given = await session.begin()
  await committed(session.commit(edit(given), null))
}

async function committed(commit: CommitResult | Promise<CommitResult>): Promise<void> {
  const result = await commit
  if (result.cause !== undefined) throw result.cause
  deepEqual([result.durability, result.conflicts], ['committed', []])
}

function withVariable(fields: SessionFields, name: string, value: string): SessionFields {
  return { ...fields, variables: new Map(fields.variables).set(name, { attributes: '', value }) }
}

function line(command: string): { agent: null; timestamp: number; cwd: string; command: string; exitCode: number; durationMs: number } {
  return { agent: null, timestamp: 1_700_000_000_000, cwd: '/', command, exitCode: 0, durationMs: 1 }
}

function sameFields(actual: SessionFields | undefined, expected: SessionFields): void {
  deepEqual(actual && inOrder(actual), inOrder(expected))
}

/** The fields with names in order: a store keeps which there are, not their order. */
function inOrder(fields: SessionFields): unknown {
  const sorted = <T>(names: ReadonlyMap<string, T>): [string, T][] => Array.from(names).sort(([a], [b]) => (a < b ? -1 : 1))
  const { hide, deny } = fields.rules.paths
  return {
    ...fields,
    variables: sorted(fields.variables),
    functions: sorted(fields.functions),
    aliases: sorted(fields.aliases),
    rules: { ...fields.rules, mountModes: sorted(fields.rules.mountModes), paths: { hide: [...hide].sort(), deny: [...deny].sort() } },
  }
}
