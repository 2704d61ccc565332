import { afterEach, describe, expect, it } from 'vitest'
import { DiskStore } from '../../../platforms/node/disk-store.ts'
import { decode, encode } from '../../../src/bytes.ts'
import { webHost } from '../../../src/host.ts'
import { openSessions } from '../../../src/state/sessions.ts'
import { StoredStateStore } from '../../../src/state/stored-state-store.ts'
import { decodeBase64, encodeBase64 } from '../../../src/store/base64.ts'
import type { StoreEncryption } from '../../../src/store/encryption.ts'
import { MemoryStore } from '../../../src/store/memory.ts'
import { SealedStore } from '../../../src/store/sealed-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { Workspace } from '../../../src/workspace.ts'
import { encryption } from '../../contract/encryption.ts'
import { FaultyStore } from '../../contract/faulty-store.ts'
import { newFolder, removeFolders } from './subjects.ts'

afterEach(removeFolders)

const { keys } = encryption
const old: StoreEncryption = { keyId: 'k1', keys }
const key = 'workspaces/w/history/s/00000001.jsonl'

async function stored(store: Store, at: string): Promise<string> {
  const value = await store.get(at)
  if (value === null || value === 'same') throw new Error(`${at} has no value`)
  return decode(value.bytes)
}

/** A value of three frames, as it is stored. */
async function threeFrames(store: Store, at: string): Promise<readonly [string, string, string]> {
  const sealed = new SealedStore(store, encryption)
  await sealed.put(at, encode('one '))
  await sealed.append(at, encode('two '))
  await sealed.append(at, encode('three'))
  const lines = (await stored(store, at)).split('\n')
  expect([lines.length, lines[3]]).toEqual([4, ''])
  return [`${lines[0]}\n`, `${lines[1]}\n`, `${lines[2]}\n`]
}

describe('what an encrypted store has', () => {
  it('is lines of text with the name of the key, and nothing of what is in it', async () => {
    const store = new MemoryStore()
    const secret = 'hunter2 \u00fc'
    const sealed = new SealedStore(store, encryption)
    await sealed.put(key, encode(secret))
    await sealed.append(key, encode(secret))
    const text = await stored(store, key)
    expect(text).toMatch(/^mirage-sealed 1 put k2 [A-Za-z0-9+/]+=*\nmirage-sealed 1 add k2 [A-Za-z0-9+/]+=*\n$/)
    expect(await stored(sealed, key)).toBe(secret + secret)
    for (const line of text.trimEnd().split('\n')) expect(atob(line.split(' ')[4] ?? '')).not.toContain('hunter2')
  })

  it('is never the same twice', async () => {
    const store = new MemoryStore()
    const sealed = new SealedStore(store, encryption)
    const texts = new Set<string>()
    for (let i = 0; i < 50; i++) {
      await sealed.put(key, encode('same'))
      texts.add((await stored(store, key)).slice(0, 40))
    }
    expect(texts.size).toBe(50)
  })

  it('is no workspace in any of its parts', async () => {
    const root = newFolder()
    const raw = new DiskStore(root)
    const store = new StoredStateStore(new DiskStore(root), { encryption })
    const ws = new Workspace({}, { workspaceId: 'w', store, ownsStore: true })
    await ws.shell('export TOKEN=hunter2; alias hunter2=ls; f() { echo hunter2; }; cd /tmp; echo hunter2')
    await ws.close()
    const all = await Promise.all(raw.list('').map((at) => stored(raw, at)))
    expect(all.length).toBe(3)
    for (const text of all) expect(text).not.toMatch(/hunter2|TOKEN|\/tmp|"version"/)
    const again = new Workspace({}, { workspaceId: 'w', store: new StoredStateStore(raw, { encryption }), ownsStore: true })
    expect((await again.shell('echo $TOKEN; pwd; history')).stdoutText).toMatch(/^hunter2\n\/tmp\n +1 +export TOKEN=hunter2;/)
    await again.close()
  })
})

describe('keys', () => {
  it('change: what is written has the new one, what is read its own, and who lacks it is told which', async () => {
    const store = new MemoryStore()
    await new SealedStore(store, old).put('a', encode('first'))
    await new SealedStore(store, old).append('log', encode('1'))
    const sealed = new SealedStore(store, encryption)
    expect(await stored(sealed, 'a')).toBe('first')
    expect(await sealed.append('log', encode('2'), 1)).toEqual({ state: 'written', size: 2 })
    expect(await stored(sealed, 'log')).toBe('12')
    expect((await stored(store, 'log')).match(/ k\d /g)).toEqual([' k1 ', ' k2 '])
    const without = new SealedStore(store, { keyId: 'k2', keys: { k2: keys.k2 } })
    await expect(without.get('a')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: 'cannot read a: it is encrypted with the key "k1", which encryption.keys lacks; there are "k2"',
    })
    await sealed.put('a', encode('second'))
    expect(await stored(without, 'a')).toBe('second')
  })

  it('may be CryptoKeys, also ones that only decrypt, and functions, which are asked again where they failed', async () => {
    const store = new MemoryStore()
    await new SealedStore(store, old).put('a', encode('first'))
    const imported = await crypto.subtle.importKey('raw', keys.k1, 'AES-GCM', false, ['decrypt'])
    let asked = 0
    const vault = async (): Promise<Uint8Array> => {
      asked += 1
      if (asked === 1) throw new Error('sealed vault')
      return keys.k2
    }
    const sealed = new SealedStore(store, { keyId: 'k2', keys: { k1: imported, k2: vault } })
    expect(await stored(sealed, 'a')).toBe('first')
    expect(asked).toBe(0)
    const expected = { code: 'STORE_UNAVAILABLE', message: 'encryption.keys.k2 gave no key', cause: new Error('sealed vault') }
    await expect(sealed.put('b', encode('x'))).rejects.toMatchObject(expected)
    await sealed.put('b', encode('x'))
    await sealed.put('b', encode('y'))
    expect(asked).toBe(2)
    const none = new SealedStore(store, { keyId: 'k2', keys: { k2: () => new Uint8Array(5) } })
    await expect(none.get('b')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(
        /^cannot read b: what encryption\.keys\.k2 gave is a Uint8Array of 5 bytes; it may be a Uint8Array of 32/,
      ),
    })
  })

  it('are the caller\u2019s own: changing the array changes nothing', async () => {
    const store = new MemoryStore()
    const mine = new Uint8Array(32).fill(2)
    const sealed = new SealedStore(store, { keyId: 'k2', keys: { k2: mine } })
    mine.fill(0)
    await sealed.put('a', encode('x'))
    expect(await stored(new SealedStore(store, encryption), 'a')).toBe('x')
  })

  it('that are none are refused at once, and not shown', async () => {
    const aes128 = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 128 }, false, ['encrypt', 'decrypt'])
    const onlyReads = await crypto.subtle.importKey('raw', keys.k1, 'AES-GCM', false, ['decrypt'])
    const may = 'it may be a Uint8Array of 32 bytes, an AES-GCM CryptoKey of 256 bits, or a function that gives one'
    const cases: readonly [unknown, string][] = [
      [{ keyId: 'k', keys: { k: new Uint8Array(16) } }, `encryption.keys.k is a Uint8Array of 16 bytes; ${may}`],
      [{ keyId: 'k', keys: { k: 'c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0IHNlY3I=' } }, `encryption.keys.k is a string; ${may}`],
      [{ keyId: 'k', keys: { k: null } }, `encryption.keys.k is null; ${may}`],
      [{ keyId: 'k', keys: { k: aes128 } }, `encryption.keys.k is a CryptoKey of AES-GCM with 128 bits; ${may}`],
      [{ keyId: 'k', keys: { k: onlyReads } }, `encryption.keys.k is a CryptoKey that may not encrypt; ${may}`],
      [{ keyId: 'x', keys }, 'encryption.keyId is "x"; it may be one of the names in keys: k1, k2'],
      [{ keyId: 'a b', keys: { 'a b': keys.k1 } }, 'a name in encryption.keys is "a b"; it may be 1 to 200 visible ASCII characters'],
      [{ keyId: 'k2', keys, plaintext: 'yes' }, 'encryption.plaintext is "yes"; it may be "refuse" or "accept"'],
      [{ keyId: 'k2', keys, key: keys.k1 }, 'encryption: unknown key "key"; there are keyId, keys, plaintext'],
      [{ keyId: 'k2' }, 'encryption.keys is undefined; it may be keys by name'],
    ]
    for (const [given, message] of cases) {
      expect(() => new SealedStore(new MemoryStore(), given as StoreEncryption)).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID', message }),
      )
    }
  })
})

describe('what was changed in the store', () => {
  it('is found, wherever it is, and nothing of it shown', async () => {
    const store = new MemoryStore()
    await threeFrames(store, key)
    const whole = encode(await stored(store, key))
    const sealed = new SealedStore(store, encryption)
    const end = whole.lastIndexOf(10, whole.length - 2) + 1
    for (let at = 0; at < whole.length; at++) {
      const changed = whole.slice()
      changed[at] = (changed[at] ?? 0) ^ 1
      await store.put(key, changed)
      const read = await Promise.resolve(sealed.get(key)).catch((error) => error)
      // The last newline alone makes the last append one that was torn.
      if (at === whole.length - 1) expect(decode(read.bytes)).toBe('one two ')
      else {
        const isKeyId = [20, 21].includes(at - whole.lastIndexOf(10, at - 1) - 1)
        expect([at, read.code]).toEqual([at, isKeyId ? 'CONFIG_INVALID' : 'CORRUPT'])
        if (at >= end)
          expect(read.message).toMatch(
            new RegExp(`^${key}: what is at byte ${end} (is not encrypted|was changed)|is encrypted with the key "`),
          )
      }
    }
  })

  it.each<[string, (frames: readonly [string, string, string]) => string]>([
    ['its frames in another order', ([one, two, three]) => one + three + two],
    ['a frame dropped before others', ([one, , three]) => one + three],
    ['a frame twice', ([one, two, three]) => one + two + two + three],
    ['its first frame dropped', ([, two, three]) => two + three],
    ['a frame said to be torn', ([one, two, three]) => `${one}${two.slice(0, -1)}!\n${three}`],
    ['its first frame said to be torn', ([one, two]) => `${one.slice(0, -1)}!\n${two}`],
    ['its only frame said to be torn', ([one]) => `${one.slice(0, -1)}!\n`],
    ['a value begun again in it', ([one, two]) => one + two + one],
    ['its first frame cut', ([one]) => one.slice(0, -2)],
    ['something else after it', (frames) => `${frames.join('')}{"type":"clear"}\n`],
  ])('is found: %s', async (_, change) => {
    const store = new MemoryStore()
    const changed = change(await threeFrames(store, key))
    await store.put(key, encode(changed))
    await expect(new SealedStore(store, encryption).get(key)).rejects.toMatchObject({
      code: 'CORRUPT',
      message: expect.stringContaining(key),
    })
  })

  it('is found: the value of another key', async () => {
    const store = new MemoryStore()
    await threeFrames(store, 'a')
    await store.put('b', encode(await stored(store, 'a')))
    await expect(new SealedStore(store, encryption).get('b')).rejects.toMatchObject({ code: 'CORRUPT' })
  })

  it('is found: encrypted with another key of the same name', async () => {
    const store = new MemoryStore()
    await new SealedStore(store, { keyId: 'k2', keys: { k2: keys.k1 } }).put('a', encode('x'))
    await expect(new SealedStore(store, encryption).get('a')).rejects.toMatchObject({
      code: 'CORRUPT',
      message: 'a: what is at byte 0 was changed, was moved there, or is encrypted with another key than "k2"',
    })
  })

  it('is not found where frames are missing at the end, or all is as it once was', async () => {
    const store = new MemoryStore()
    const [one, two] = await threeFrames(store, key)
    await store.put(key, encode(one + two))
    expect(await stored(new SealedStore(store, encryption), key)).toBe('one two ')
  })

  it('is of a later version', async () => {
    const store = new MemoryStore()
    await store.put('a', encode('mirage-sealed 2 put k2 AAAA\n'))
    await expect(new SealedStore(store, encryption).get('a')).rejects.toMatchObject({
      code: 'VERSION_UNSUPPORTED',
      message: 'a: is encrypted in format version 2, this build reads up to 1',
    })
  })
})

describe('a value that is read again and again', () => {
  it('is what is stored, whatever happened to it in between, and each time the caller\u2019s own', async () => {
    const store = new MemoryStore()
    const [sealed, other] = [new SealedStore(store, encryption), new SealedStore(store, encryption)]
    await other.put(key, encode('1'))
    let text = '1'
    for (let i = 2; i < 9; i++) {
      const read = await sealed.get(key)
      if (read !== null && read !== 'same') read.bytes.fill(0)
      expect(await stored(sealed, key)).toBe(text)
      await other.append(key, encode(String(i)))
      text += i
    }
    const grown = await stored(store, key)
    await other.put(key, encode('anew'))
    expect(await stored(sealed, key)).toBe('anew')
    await store.put(key, encode(grown))
    expect(await stored(sealed, key)).toBe(text)
    await store.put(key, encode(grown.replace(/.(?=\n$)/, '')))
    await expect(sealed.get(key)).rejects.toMatchObject({ code: 'CORRUPT' })
    await store.put(key, encode(`${grown}${grown.split('\n')[1]}\n`))
    await expect(sealed.get(key)).rejects.toMatchObject({ code: 'CORRUPT' })
  })
})

describe('appends', () => {
  it('that a crash tore are passed over, wherever it cut, and the next ones follow', async () => {
    const store = new MemoryStore()
    const frames = await threeFrames(store, key)
    const torn = frames.join('')
    const start = frames[0].length + frames[1].length
    for (let cut = start; cut < torn.length; cut++) {
      await store.put(key, encode(torn.slice(0, cut)))
      const sealed = new SealedStore(store, encryption)
      expect(await stored(sealed, key)).toBe('one two ')
      expect(await sealed.append(key, encode('3'), 8)).toEqual({ state: 'written', size: 9 })
      expect(await sealed.append(key, encode('4'), 9)).toEqual({ state: 'written', size: 10 })
      expect(await stored(new SealedStore(store, encryption), key)).toBe('one two 34')
    }
  })

  it('that made the value and were torn leave an empty one', async () => {
    const store = new MemoryStore()
    await new SealedStore(store, encryption).append('made', encode('x'))
    const whole = await stored(store, 'made')
    for (let cut = 0; cut < whole.length; cut++) {
      await store.put('made', encode(whole.slice(0, cut)))
      const sealed = new SealedStore(store, encryption)
      expect(await stored(sealed, 'made')).toBe('')
      expect(await sealed.append('made', encode('y'), 0)).toEqual({ state: 'written', size: 1 })
      expect(await stored(sealed, 'made')).toBe('y')
    }
  })

  it('read nothing while this instance knows the end, and once where others have appended', async () => {
    const store = new MemoryStore()
    const calls: string[] = []
    const counted = new FaultyStore(store)
    counted.plan = (operation) => {
      calls.push(operation)
      return null
    }
    const [one, two] = [new SealedStore(counted, encryption), new SealedStore(store, encryption)]
    await one.put(key, encode('1'))
    await one.append(key, encode('2'), 1)
    await one.append(key, encode('3'))
    expect(calls.splice(0)).toEqual(['put', 'append', 'append'])
    await two.append(key, encode('4'))
    await one.append(key, encode('5'))
    expect(calls.splice(0)).toEqual(['append', 'get', 'append'])
    expect(await one.append(key, encode('6'), 4)).toEqual({ state: 'conflict' })
    expect(calls.splice(0)).toEqual(['get'])
    expect(await stored(two, key)).toBe('12345')
  })

  it('of a value that was deleted and made anew with as many bytes are good', async () => {
    const store = new MemoryStore()
    const [one, two] = [new SealedStore(store, encryption), new SealedStore(store, encryption)]
    await one.put(key, encode('1'))
    await two.delete(key)
    await two.put(key, encode('x'))
    expect(await one.append(key, encode('2'), 1)).toEqual({ state: 'written', size: 2 })
    expect(await stored(two, key)).toBe('x2')
  })

  it('of many at once are all there, each once', async () => {
    const store = new MemoryStore()
    const stores = [new SealedStore(store, encryption), new SealedStore(store, encryption), new SealedStore(store, old)]
    await Promise.all(Array.from({ length: 30 }, (_, i) => stores[i % 3]?.append(key, encode(`${i},`))))
    const found = (await stored(new SealedStore(store, encryption), key)).split(',').filter((text) => text !== '')
    expect(found.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => i))
  })
})

describe('values that are not encrypted', () => {
  const accepting: StoreEncryption = { ...encryption, plaintext: 'accept' }

  it('are refused unless they are accepted, then encrypted when they are next written', async () => {
    const store = new MemoryStore()
    await store.put('a', encode('{"plain":1}'))
    await store.put('log', encode('{"line":1}\n'))
    await expect(new SealedStore(store, encryption).get('a')).rejects.toMatchObject({
      code: 'CORRUPT',
      message: "a: is not encrypted; encryption.plaintext: 'accept' reads such values, and encrypts each when it is next written",
    })
    const sealed = new SealedStore(store, accepting)
    expect(await stored(sealed, 'a')).toBe('{"plain":1}')
    expect(await sealed.append('log', encode('{"line":2}\n'), 3)).toEqual({ state: 'conflict' })
    expect(await sealed.append('log', encode('{"line":2}\n'), 11)).toEqual({ state: 'written', size: 22 })
    expect(await stored(store, 'log')).toMatch(/^mirage-sealed 1 put k2 \S+\n$/)
    expect(await stored(new SealedStore(store, encryption), 'log')).toBe('{"line":1}\n{"line":2}\n')
  })

  it('keep what is said of other keys', async () => {
    const store = new MemoryStore()
    const sealed = new SealedStore(store, accepting)
    await store.put('log', encode('1'))
    await store.put('next', encode('1'))
    const change = { type: 'append', key: 'log', bytes: encode('2'), unless: 'next' } as const
    expect(await sealed.write?.([change])).toEqual({ state: 'conflict', at: 0 })
    await store.delete('next')
    expect(await sealed.write?.([change])).toMatchObject({ state: 'written', values: [{ size: 2 }] })
  })

  it('are a workspace that goes on', async () => {
    const store = new MemoryStore()
    const open = (given?: StoreEncryption): Workspace =>
      new Workspace({}, { workspaceId: 'w', store: new StoredStateStore(store, given && { encryption: given }) })
    await open().shell('a=1')
    await expect(open(encryption).shell('echo $a')).rejects.toMatchObject({ code: 'CORRUPT' })
    expect((await open(accepting).shell('echo $a; b=2')).stdoutText).toBe('1\n')
    const state = new StoredStateStore(store, { encryption: accepting })
    await state.reseal('w')
    const ws = open(encryption)
    expect((await ws.shell('echo $a$b; history')).stdoutText).toBe('12\n    1  a=1\n    2  echo $a; b=2\n    3  echo $a$b; history\n')
    await expect(open().shell('echo')).rejects.toMatchObject({
      code: 'CORRUPT',
      message: 'workspaces/w/workspace.json: is encrypted, and the store was given no encryption',
    })
  })
})

describe('reseal', () => {
  it('encrypts all of a workspace with the current key, while others use it', async () => {
    const store = new MemoryStore()
    const before = openSessions({ store: new StoredStateStore(store, { encryption: old }), workspaceId: 'w', host: webHost })
    const other = new Workspace({}, { workspaceId: 'other', store: new StoredStateStore(store, { encryption: old }) })
    await other.shell('x=1')
    await before.close()
    const ws = new Workspace({}, { workspaceId: 'w', store: new StoredStateStore(store, { encryption: old }) })
    await ws.shell('a=1')
    await ws.shell('b=2')
    const state = new StoredStateStore(store, { encryption })
    expect(await state.reseal('w')).toBe(3)
    expect(await state.reseal('w')).toBe(0)
    for (const at of store.list('workspaces/w/')) expect(await stored(store, at)).toMatch(/^mirage-sealed 1 put k2 \S+\n+$/)
    for (const at of store.list('workspaces/other/')) expect(await stored(store, at)).toMatch(/ k1 /)
    // It still knows where the history ended before.
    const both = new Workspace({}, { workspaceId: 'w', store: new StoredStateStore(store, { encryption: { keyId: 'k1', keys } }) })
    expect((await ws.shell('echo $a$b; c=3')).durability).toBe('committed')
    expect((await both.shell('echo $a$b$c; history 2')).stdoutText).toBe('123\n    3  echo $a$b; c=3\n    4  echo $a$b$c; history 2\n')
  })

  it('needs an encryption', async () => {
    await expect(new StoredStateStore(new MemoryStore()).reseal('w')).rejects.toMatchObject({
      code: 'CAPABILITY_UNSUPPORTED',
      message: 'cannot encrypt the state: the store was given no encryption',
    })
  })

  it('never makes a value that others take for the one they know', async () => {
    const store = new MemoryStore()
    const knows = new SealedStore(store, old)
    await knows.put(key, encode('1'))
    for (let i = 0; i < 5; i++) await knows.append(key, encode('1'))
    const before = (await stored(store, key)).length
    expect(await new SealedStore(store, encryption).reseal(key)).toBe(true)
    expect((await stored(store, key)).length).toBe(before + 1)
    await knows.append(key, encode('2'), 6)
    expect(await stored(new SealedStore(store, encryption), key)).toBe('1111112')
  })
})

it('the room for values is that of the store, less what encryption takes', async () => {
  const store = new MemoryStore()
  const narrow = new FaultyStore(store, { maxValueBytes: 1000 })
  const sealed = new SealedStore(narrow, encryption)
  const { maxValueBytes } = sealed.capabilities
  expect(maxValueBytes).toBe(700)
  await sealed.put('a', new Uint8Array(maxValueBytes))
  expect((await stored(store, 'a')).length).toBeLessThanOrEqual(1000)
  expect(new SealedStore(store, encryption).capabilities.maxValueBytes).toBe(Number.POSITIVE_INFINITY)
})

describe('base64', () => {
  it('is that of btoa, and comes back', () => {
    for (let length = 0; length < 300; length++) {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 89 + length * 31) & 255)
      const text = encodeBase64(bytes)
      expect(decode(text)).toBe(btoa(String.fromCharCode(...bytes)))
      expect(decodeBase64(text)).toEqual(bytes)
    }
  })

  it.each(['A', 'AA', 'AAA', 'AB==', 'AAB=', 'A===', '====', '=AAA', 'AA=A', 'AA==AA==', 'A A=', 'AA-_', 'AA=\n', '\u00c1AA='])(
    'is not %j',
    (text) => {
      expect(decodeBase64(encode(text))).toBe(null)
    },
  )
})
