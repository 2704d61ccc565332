import fs from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { DiskWorkspaceStateStore } from '../../../platforms/node/disk-state-store.ts'
import { decode, encode } from '../../../src/bytes.ts'
import { webHost } from '../../../src/host.ts'
import { decodeSegment, encodeEnd, encodeEvents, encodeHeader, entriesOf, idsOf } from '../../../src/state/history-segment.ts'
import { decodeId, encodeId } from '../../../src/state/id.ts'
import type { SessionRecord } from '../../../src/state/session-record.ts'
import { decodeRecord, encodeRecord } from '../../../src/state/session-record.ts'
import type { Sessions } from '../../../src/state/sessions.ts'
import { openSessions } from '../../../src/state/sessions.ts'
import { StoredStateStore } from '../../../src/state/stored-state-store.ts'
import { MemoryStore } from '../../../src/store/memory.ts'
import { FaultyStore } from '../../contract/faulty-store.ts'
import { allFields, initialFields } from '../../contract/session.ts'
import { newFolder, removeFolders } from './subjects.ts'

afterEach(removeFolders)

/** Texts as version 1 wrote them. They never change: what reads them must do so for ever. */
function golden(name: string): Uint8Array {
  return new Uint8Array(fs.readFileSync(path.join(import.meta.dirname, 'fixtures', name)))
}

const record: SessionRecord = {
  fields: allFields,
  createdAt: 1_700_000_000_123,
  generation: 7,
  operations: new Map([
    ['0011223344556677', 3],
    ['8899aabbccddeeff', 12],
  ]),
  unknown: { later: { kept: [1, null, 'x'] }, commands: { ask: ['cp'] } },
}

describe('session record', () => {
  it('is written as version 1 is', () => {
    expect(decode(encodeRecord('a/b \u00e9', record))).toBe(decode(golden('session-1.json')))
  })

  it('reads version 1', () => {
    expect(decodeRecord('a/b \u00e9', golden('session-1.json'), 'x')).toEqual(record)
  })

  it('takes a bare environment for exported variables', () => {
    const text = '{"session_id":"s","cwd":"/","env":{"A":"1"},"created_at":1.5,"generation":2}'
    const { fields, createdAt } = decodeRecord('s', encode(text), 'x')
    expect(fields.variables).toEqual(new Map([['A', { attributes: 'x', value: '1' }]]))
    expect(createdAt).toBe(1500)
    expect(fields.umask).toBe(0o22)
  })

  it.each([
    ['', 'CORRUPT', 'x: is not JSON'],
    ['{"version":1', 'CORRUPT', 'x: is not JSON'],
    ['[]', 'CORRUPT', 'x: is not a JSON object'],
    ['{"version":2,"session_id":5}', 'VERSION_UNSUPPORTED', 'x: has format version 2, this build reads up to 1'],
    ['{"session_id":"other","cwd":"/"}', 'CORRUPT', 'x: is the record of another session, "other"'],
    ['{"session_id":"s","cwd":5}', 'CORRUPT', 'x: "cwd" is not a text'],
    ['{"session_id":"s","cwd":"/","env":{"a":1}}', 'CORRUPT', 'x: "env" of "a" is not among texts'],
    ['{"session_id":"s","cwd":"/","umask":"9"}', 'CORRUPT', 'x: "umask" is not an octal number'],
    ['{"session_id":"s","cwd":"/","mount_modes":{"/":"w"}}', 'CORRUPT', 'x: "mount_modes" of "/" is not a mode'],
    ['{"session_id":"s","cwd":"/","arrays":{"a":[["0"]]}}', 'CORRUPT', 'x: "arrays" of "a" is not among lists of pairs'],
    ['{"session_id":"s","cwd":"/","commands":{"deny":[{}]}}', 'CORRUPT', 'x: "commands": "deny" is not a list of texts'],
  ])('refuses %s', (text, code, message) => {
    const read = (): unknown => decodeRecord('s', encode(text), 'x')
    expect(read).toThrow(expect.objectContaining({ code, message }))
  })
})

describe('history segment', () => {
  const entry = {
    session: 's',
    agent: null,
    timestamp: 1_700_000_000_123.5,
    cwd: '/',
    command: 'echo \udc80\n#1',
    exitCode: 0,
    durationMs: 0.5,
  }
  const events = [
    { type: 'command', id: 'i-1', entry: { ...entry, id: 'i-1' }, hidden: false },
    { type: 'command', id: 'i-2', entry: { ...entry, id: 'i-2', agent: 'a' }, hidden: true },
    { type: 'command', id: 'i-3', entry: { ...entry, id: 'i-3' }, hidden: false },
    { type: 'delete', id: 'i-4', from: 0, to: 1 },
    { type: 'clear', id: 'i-5' },
  ] as const

  it('is written as version 1 is', () => {
    const header = encodeHeader({ first: 0, next: 4, cleared: 1, deleted: [[2, 3]], ended: true, size: 0, items: [], where: '' })
    const text = [header.bytes, encodeEvents(header.after, events).bytes, encodeEnd()].map(decode).join('')
    expect(text).toBe(decode(golden('history-1.jsonl')))
  })

  it('reads version 1', () => {
    const segment = decodeSegment(golden('history-1.jsonl'), 'x')
    expect(segment).toMatchObject({ first: 4, next: 6, cleared: 6, deleted: [], ended: true })
    expect(idsOf(segment)).toEqual(['i-1', 'i-2', 'i-3', 'i-4', 'i-5'])
    expect(segment.items.map(({ ordinal }) => ordinal)).toEqual([4, null, 5, null, null, null])
    expect(entriesOf(segment, 's')).toEqual(events.slice(0, 3).map((event) => 'entry' in event && event.entry))
  })

  it('leaves a torn last line out, and says which whole line is corrupt', () => {
    const whole = golden('history-1.jsonl')
    const third = decode(whole).split('\n').slice(0, 3).join('\n').length + 1
    for (const cut of [third + 1, third + 20])
      expect(decodeSegment(whole.subarray(0, cut), 'x')).toMatchObject({ size: encode(decode(whole).slice(0, third)).length })
    const spoilt = encode(decode(whole).replace('"command","id":"i-3"', '"command","id":3'))
    expect(() => entriesOf(decodeSegment(spoilt, 'x'), 's')).toThrow(
      expect.objectContaining({ code: 'CORRUPT', message: 'x: line 4: is not a line of history' }),
    )
    expect(() => decodeSegment(encode('{"type":"segment","version":2}\n'), 'x')).toThrow(
      expect.objectContaining({ code: 'VERSION_UNSUPPORTED' }),
    )
  })
})

describe('a session file', () => {
  const file = (root: string): string => `${root}/workspaces/w/sessions/s.json`
  const open = (root: string): Sessions => openSessions({ store: new DiskWorkspaceStateStore({ root }), workspaceId: 'w', host: webHost })

  it('keeps what it holds of another version, line by line', async () => {
    const root = newFolder()
    await open(root).open('s', initialFields)
    const held = JSON.parse(fs.readFileSync(file(root), 'utf8')) as Record<string, unknown>
    fs.writeFileSync(file(root), JSON.stringify({ ...held, decisions: [{ id: 1 }], __proto__x: 1 }))
    const { session } = await open(root).open('s', initialFields)
    const given = await session.begin()
    await session.commit({ ...given, cwd: '/moved' }, null)
    expect(JSON.parse(fs.readFileSync(file(root), 'utf8'))).toMatchObject({ cwd: '/moved', decisions: [{ id: 1 }], __proto__x: 1 })
  })

  it.each([
    ['{"version":1,', 'CORRUPT'],
    ['{"version":99,"session_id":"s"}', 'VERSION_UNSUPPORTED'],
  ])('that can not be read stays as it is: %s', async (text, code) => {
    const root = newFolder()
    const { session } = await open(root).open('s', initialFields)
    fs.writeFileSync(file(root), text)
    await expect(open(root).open('s', initialFields)).rejects.toMatchObject({
      code,
      message: expect.stringContaining('workspaces/w/sessions/s.json'),
    })
    await expect(Promise.resolve(session.begin())).rejects.toMatchObject({ code })
    expect(fs.readFileSync(file(root), 'utf8')).toBe(text)
    expect(fs.readdirSync(path.dirname(file(root)))).toEqual(['s.json'])
  })

  it('is on the disk where the ids say', async () => {
    const root = newFolder()
    const sessions = openSessions({ store: new DiskWorkspaceStateStore({ root }), workspaceId: '..', host: webHost })
    const { session } = await sessions.open("it's a/b", initialFields)
    await sessions.defaultSession('d')
    await session.history.add([{ agent: null, timestamp: 1, cwd: '/', command: 'x', exitCode: 0, durationMs: 0 }])
    const found = fs.readdirSync(root, { recursive: true, encoding: 'utf8' })
    expect(found.filter((name) => name.includes('.json')).sort()).toEqual([
      'workspaces/%2E%2E/history/it%27s%20a%2Fb/00000001.jsonl',
      'workspaces/%2E%2E/sessions/it%27s%20a%2Fb.json',
      'workspaces/%2E%2E/workspace.json',
    ])
  })
})

describe('large records', () => {
  const large = (size: number) => ({
    ...initialFields,
    variables: new Map([
      ['small', { attributes: '', value: 'x' }],
      ['LARGE', { attributes: '', value: 'x'.repeat(size) }],
    ]),
  })

  it('are warned of once', async () => {
    const warnings: string[] = []
    const store = new StoredStateStore(new MemoryStore())
    const sessions = openSessions({ store, workspaceId: 'w', host: webHost, warn: (message) => warnings.push(message) })
    const { session } = await sessions.open('s', initialFields)
    for (const size of [1_100_000, 1_200_000]) {
      await session.begin()
      await session.commit(large(size), null)
    }
    expect(warnings).toEqual([
      expect.stringMatching(/^the record of session "s" has grown to 11002\d\d bytes; every change writes all of it$/),
    ])
  })

  it('beyond what the store takes stay pending, name the largest variables, and go on when they are smaller', async () => {
    const store = new StoredStateStore(new FaultyStore(new MemoryStore(), { maxValueBytes: 2000 }))
    const sessions = openSessions({ store, workspaceId: 'w', host: webHost })
    const { session } = await sessions.open('s', initialFields)
    await session.begin()
    const result = await session.commit(large(3000), null)
    expect(result).toMatchObject({
      durability: 'pending',
      cause: { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('its largest variables are LARGE, small') },
    })
    const given = await session.begin()
    expect(given.variables.get('LARGE')?.value).toHaveLength(3000)
    expect(await session.commit(large(10), null)).toEqual({ durability: 'committed', conflicts: [] })
  })
})

describe('ids', () => {
  it.each([
    ['plain-1._~', 'plain-1._~'],
    ['.', '%2E'],
    ['..', '%2E%2E'],
    ['...', '...'],
    ["a/b c!'()*", 'a%2Fb%20c%21%27%28%29%2A'],
    ['\u00e9\u{1f642}', '%C3%A9%F0%9F%99%82'],
    ['\udc80', '%80'],
    ['%2E', '%252E'],
    ['\0+', '%00%2B'],
  ])('%j is encoded as %s', (id, name) => {
    expect(encodeId(id)).toBe(name)
    expect(decodeId(name)).toBe(id)
  })
})
