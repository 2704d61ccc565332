import { describe, expect, test } from 'vitest'
import { decode, encode } from '../../../src/bytes.ts'
import { codeOf } from '../../../src/errors.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'

function code(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return codeOf(error)
  }
  return 'no error'
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(a.length + b.length)
  whole.set(a)
  whole.set(b, a.length)
  return whole
}

describe('RAMFileSystem', () => {
  test('starts with the files it is given', () => {
    const fs = new RAMFileSystem({ files: { '/a/b/c.txt': 'text', '/raw': Uint8Array.of(255), '/empty/': '', 'x/../y': 'normalised' } })
    expect(decode(fs.read('/a/b/c.txt'))).toBe('text')
    expect(fs.read('/raw')).toEqual(Uint8Array.of(255))
    expect(fs.stat('/empty').type).toBe('directory')
    expect(decode(fs.read('/y'))).toBe('normalised')
    expect([fs.stat('/a').mode, fs.stat('/raw').mode]).toEqual([0o755, 0o644])
    expect(code(() => new RAMFileSystem({ files: { '/a': 'file', '/a/b': 'below' } }))).toBe('ENOTDIR')
  })

  test('answers at once', () => {
    const fs = new RAMFileSystem({ files: { '/f': 'x' } })
    for (const answer of [
      fs.stat('/f'),
      fs.readdir('/'),
      fs.read('/f'),
      fs.write('/g', encode('y')),
      fs.mkdir('/d'),
      fs.rename('/g', '/d/g'),
    ]) {
      expect(answer).not.toBeInstanceOf(Promise)
    }
  })

  test('takes times from the clock it is given, and keeps each where it belongs', () => {
    let now = 1000
    const fs = new RAMFileSystem({ host: { now: () => now } })
    const times = (path: string) => {
      const { birthtimeMs, mtimeMs, ctimeMs, atimeMs } = fs.stat(path)
      return { birthtimeMs, mtimeMs, ctimeMs, atimeMs }
    }
    now = 2000.25
    fs.write('/f', encode('x'))
    expect(times('/f')).toEqual({ birthtimeMs: 2000.25, mtimeMs: 2000.25, ctimeMs: 2000.25, atimeMs: 2000.25 })
    now = 3000
    fs.append('/f', encode('y'))
    expect(times('/f')).toEqual({ birthtimeMs: 2000.25, mtimeMs: 3000, ctimeMs: 3000, atimeMs: 2000.25 })
    now = 4000
    fs.setattr('/f', { mode: 0o600 })
    expect(times('/f')).toEqual({ birthtimeMs: 2000.25, mtimeMs: 3000, ctimeMs: 4000, atimeMs: 2000.25 })
    now = 5000
    fs.setattr('/f', { mtimeMs: 10, atimeMs: 20 })
    expect(times('/f')).toEqual({ birthtimeMs: 2000.25, mtimeMs: 10, ctimeMs: 5000, atimeMs: 20 })
    now = 6000
    fs.write('/f', encode('z'))
    expect(times('/f')).toEqual({ birthtimeMs: 2000.25, mtimeMs: 6000, ctimeMs: 6000, atimeMs: 20 })
    now = 7000
    fs.rename('/f', '/g')
    expect(times('/g')).toEqual({ birthtimeMs: 2000.25, mtimeMs: 6000, ctimeMs: 7000, atimeMs: 20 })
    expect(times('/').mtimeMs).toBe(7000)
  })

  test('owners are those of the options until they are set', () => {
    const fs = new RAMFileSystem({ uid: 7, gid: 8, files: { '/f': '' } })
    expect(fs.stat('/f')).toMatchObject({ uid: 7, gid: 8 })
    fs.setattr('/f', { mode: 0o600 })
    expect(fs.stat('/f')).toMatchObject({ uid: 7, gid: 8 })
    fs.setattr('/f', { uid: 9 })
    expect(fs.stat('/f')).toMatchObject({ uid: 9, gid: 8 })
    expect(fs.fork().stat('/f')).toMatchObject({ uid: 9, gid: 8 })
  })

  test('a snapshot is the tree as it was, as often as it is restored', () => {
    const fs = new RAMFileSystem({ files: { '/d/f': 'one', '/d/g': 'gone later' } })
    const first = fs.snapshot()
    expect(first).toMatchObject({ bytes: 13, names: 3 })
    fs.append('/d/f', encode(' two'))
    fs.unlink('/d/g')
    const second = fs.snapshot()
    fs.removeTree('/d')
    for (let i = 0; i < 2; i++) {
      fs.restore(first)
      expect([decode(fs.read('/d/f')), fs.readdir('/d').length]).toEqual(['one', 2])
      fs.append('/d/f', encode(' other'))
      fs.restore(second)
      expect([decode(fs.read('/d/f')), fs.readdir('/d').length]).toEqual(['one two', 1])
    }
    expect(code(() => fs.restore({ bytes: 0, names: 0 }))).toBe('CORRUPT')
  })

  test('forks go their own ways', () => {
    const fs = new RAMFileSystem({ files: { '/f': 'base' } })
    const fork = fs.fork()
    fs.append('/f', encode(' here'))
    fork.append('/f', encode(' there'))
    const other = fork.fork()
    other.write('/f', encode('third'))
    expect([fs, fork, other].map((one) => decode(one.read('/f')))).toEqual(['base here', 'base there', 'third'])
  })

  test('new files after a restore have numbers that were never given out', () => {
    const fs = new RAMFileSystem()
    const before = fs.snapshot()
    fs.write('/a', encode(''))
    const { ino } = fs.stat('/a')
    fs.restore(before)
    fs.write('/b', encode(''))
    expect(fs.stat('/b').ino).toBeGreaterThan(ino)
  })

  test('a hard link lasts through snapshots and forks', () => {
    const fs = new RAMFileSystem({ files: { '/a': 'x', '/d/': '' } })
    fs.link('/a', '/d/b')
    const snapshot = fs.snapshot()
    fs.append('/d/b', encode('y'))
    expect(decode(fs.read('/a'))).toBe('xy')
    fs.unlink('/a')
    fs.restore(snapshot)
    expect([decode(fs.read('/a')), fs.stat('/d/b').nlink]).toEqual(['x', 2])
    const fork = fs.fork()
    fork.write('/a', encode('fork'))
    expect([decode(fork.read('/d/b')), decode(fs.read('/d/b'))]).toEqual(['fork', 'x'])
  })

  test('a limit of bytes is kept exactly', () => {
    const fs = new RAMFileSystem({ maxBytes: 100 })
    fs.write('/a', new Uint8Array(60))
    fs.write('/b', new Uint8Array(40))
    expect(fs.space('/')).toEqual({ total: 100, free: 0 })
    for (const run of [
      () => fs.append('/a', new Uint8Array(1)),
      () => fs.write('/c', new Uint8Array(1)),
      () => fs.write('/b', new Uint8Array(41)),
      () => fs.writeAt('/b', 39, new Uint8Array(2)),
      () => fs.truncate('/a', 61),
      () => fs.copyTree('/b', '/c'),
      () => fs.symlink('x', '/l'),
    ]) {
      expect(code(run)).toBe('ENOSPC')
    }
    expect([fs.stat('/a').size, fs.stat('/b').size, fs.readdir('/').length]).toEqual([60, 40, 2])
    fs.write('/empty', new Uint8Array(0))
    fs.write('/a', new Uint8Array(20))
    fs.mkdir('/d')
    fs.rename('/b', '/d/b')
    fs.link('/d/b', '/second')
    expect(fs.space('/').free).toBe(40)
    fs.copyTree('/d', '/copy')
    expect(fs.space('/').free).toBe(0)
    fs.removeTree('/d')
    expect(fs.space('/').free).toBe(0)
    fs.unlink('/second')
    expect(fs.space('/').free).toBe(40)
    fs.removeTree('/copy')
    fs.unlink('/a')
    expect(fs.space('/').free).toBe(100)
    const snapshot = fs.snapshot()
    fs.write('/x', new Uint8Array(100))
    fs.restore(snapshot)
    expect(fs.space('/').free).toBe(100)
  })

  test('a limit of names is kept exactly', () => {
    const fs = new RAMFileSystem({ maxNames: 3, files: { '/d/a': '' } })
    fs.symlink('x', '/l')
    for (const run of [
      () => fs.mkdir('/e'),
      () => fs.write('/f', encode('')),
      () => fs.link('/d/a', '/b'),
      () => fs.copyTree('/d', '/e'),
    ]) {
      expect(code(run)).toBe('ENOSPC')
    }
    fs.rename('/d/a', '/b')
    fs.write('/b', encode('still there'))
    fs.removeTree('/d')
    fs.mkdir('/e')
  })

  test('a hole costs nothing until it is read', () => {
    const fs = new RAMFileSystem({ files: { '/f': 'start' } })
    fs.truncate('/f', 2 ** 44)
    fs.append('/f', encode('end'))
    expect(fs.stat('/f').size).toBe(2 ** 44 + 3)
    expect(decode(fs.read('/f', 2 ** 44 - 2))).toBe('\0\0end')
    fs.writeAt('/f', 2 ** 40, encode('middle'))
    expect(decode(fs.read('/f', 2 ** 40 - 1, 8))).toBe('\0middle\0')
    expect(code(() => fs.read('/f'))).toBe('EFBIG')
    expect(code(() => fs.truncate('/f', 2 ** 53))).toBe('EFBIG')
    fs.truncate('/f', 5)
    expect(decode(fs.read('/f'))).toBe('start')
  })

  test('a fork that appends does not write over what another one appended', () => {
    const fs = new RAMFileSystem({ files: { '/log': 'x'.repeat(2000) } })
    fs.append('/log', encode('1'))
    const snapshot = fs.snapshot()
    fs.append('/log', encode('first'))
    const first = fs.read('/log')
    fs.restore(snapshot)
    fs.append('/log', encode('other'))
    expect([decode(first).slice(2000), decode(fs.read('/log')).slice(2000)]).toEqual(['1first', '1other'])
  })

  test('random edits of large files agree with a plain array, whatever snapshots are taken', () => {
    let seed = 12_345
    const random = (bound: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff
      return (seed >>> 8) % bound
    }
    for (let round = 0; round < 6; round++) {
      const fs = new RAMFileSystem({ files: { '/f': '' } })
      let model = new Uint8Array(0)
      const kept: [ReturnType<RAMFileSystem['snapshot']>, Uint8Array][] = []
      const read: [Uint8Array, Uint8Array][] = []
      for (let i = 0; i < 120; i++) {
        const data = new Uint8Array(random(4) === 0 ? random(200_000) : random(3000)).map((_, at) => (at * 7 + i) & 255)
        const at = random(model.length + 2000)
        switch (random(6)) {
          case 0:
          case 1:
            fs.append('/f', data)
            model = joined(model, data)
            break
          case 2:
          case 3: {
            fs.writeAt('/f', at, data)
            if (data.length === 0) break
            const next = new Uint8Array(Math.max(model.length, at + data.length))
            next.set(model)
            next.set(data, at)
            model = next
            break
          }
          case 4: {
            if (random(3) > 0) break
            fs.truncate('/f', at)
            const next = new Uint8Array(at)
            next.set(model.subarray(0, at))
            model = next
            break
          }
          default:
            if (random(2) === 0) kept.push([fs.snapshot(), model.slice()])
        }
        const length = random(100_000)
        const part = fs.read('/f', at, length)
        expect(Buffer.compare(part, model.subarray(at, at + length))).toBe(0)
        if (random(10) === 0) read.push([part, part.slice()])
      }
      expect(Buffer.compare(fs.read('/f'), model)).toBe(0)
      for (const [snapshot, content] of kept) {
        fs.restore(snapshot)
        expect(Buffer.compare(fs.read('/f'), content)).toBe(0)
      }
      for (const [part, copy] of read) expect(Buffer.compare(part, copy)).toBe(0)
    }
  })

  test('copies of trees are cheap, deep and many', () => {
    const fs = new RAMFileSystem({ files: { '/base/a/b/c': 'x' } })
    const inos = new Set<number>()
    for (let i = 0; i < 200; i++) {
      fs.copyTree(i === 0 ? '/base' : `/copy-${i - 1}`, `/copy-${i}`)
      for (const path of ['', '/a', '/a/b', '/a/b/c']) inos.add(fs.stat(`/copy-${i}${path}`).ino)
    }
    expect(inos.size).toBe(800)
    expect(fs.space('/').total - fs.space('/').free).toBe(201)
  })
})
