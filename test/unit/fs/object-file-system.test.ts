import { describe, expect, test } from 'vitest'
import { decode, encode } from '../../../src/bytes.ts'
import { ObjectFileSystem, type ObjectFileSystemOptions } from '../../../src/fs/object-file-system.ts'
import { webHost } from '../../../src/host.ts'
import { Workspace } from '../../../src/workspace.ts'
import { MemoryObjects, unreachable } from '../../contract/memory-objects.ts'

/** A clock that is moved by hand. */
function clock(): { host: NonNullable<ObjectFileSystemOptions['host']>; pass(ms: number): Promise<void> } {
  let now = 0
  let timers: { at: number; ring: () => void }[] = []
  return {
    host: {
      now: () => 1_700_000_000_000 + now,
      elapsed: () => now,
      random: webHost.random,
      timer: (ms, ring) => {
        const timer = { at: now + ms, ring }
        timers.push(timer)
        return () => {
          timers = timers.filter((one) => one !== timer)
        }
      },
    },
    async pass(ms) {
      now += ms
      for (const { ring } of timers.filter(({ at }) => at <= now)) ring()
      timers = timers.filter(({ at }) => at > now)
      await webHost.breathe()
    },
  }
}

function counts(asked: readonly string[]): Record<string, number> {
  const found: Record<string, number> = {}
  for (const name of asked) found[name] = (found[name] ?? 0) + 1
  return found
}

/** `directories` of `files` each, below /logs. */
async function filled(directories: number, files: number): Promise<MemoryObjects> {
  const objects = new MemoryObjects()
  for (let at = 0; at < directories; at++) {
    for (let file = 0; file < files; file++) {
      await objects.put(`logs/day-${at}/${file}.log`, encode(`alert ${file % 3}\nother\n`), { like: null, condition: null })
    }
  }
  objects.asked.splice(0)
  return objects
}

async function workspace(objects: MemoryObjects, options: ObjectFileSystemOptions = {}) {
  const ws = new Workspace({ '/s3': new ObjectFileSystem(objects, options) })
  await ws.shell('mkdir -p /data')
  objects.asked.splice(0)
  return {
    ws,
    /** What a line asked for. */
    async line(text: string): Promise<{ out: string; err: string; status: number; asked: Record<string, number> }> {
      const { stdoutText, stderrText, exitCode } = await ws.shell(text)
      return { out: stdoutText, err: stderrText, status: exitCode, asked: counts(objects.asked.splice(0)) }
    },
  }
}

describe('requests of a line', () => {
  test('grep -r: a list of each directory, a get of each file', async () => {
    const { line } = await workspace(await filled(4, 25))
    const { out, asked } = await line('grep -rh alert /s3/logs | sort | uniq -c')
    expect(out).toBe('     36 alert 0\n     32 alert 1\n     32 alert 2\n')
    // One more list finds out what /s3/logs is.
    expect(asked).toEqual({ list: 6, get: 100 })
  })

  test('cp -r out of the bucket: as many', async () => {
    const { line } = await workspace(await filled(4, 25))
    expect(await line('cp -r /s3/logs /data/; ls /data/logs/day-3 | wc -l')).toEqual({
      out: '25\n',
      err: '',
      status: 0,
      asked: { list: 6, get: 100 },
    })
  })

  test('cp -r into the bucket, and within: a put of each file and directory', async () => {
    const { line } = await workspace(new MemoryObjects())
    await line('mkdir -p /data/t/a /data/t/b; for i in 1 2 3 4 5; do echo $i > /data/t/a/$i; echo $i > /data/t/b/$i; done')
    expect((await line('cp -r /data/t /s3/')).asked).toEqual({ list: 1, put: 13 })
    expect((await line('cp -r /s3/t /s3/u')).asked).toEqual({ list: 5, get: 10, put: 13 })
    expect((await line('cat /s3/u/b/5')).out).toBe('5\n')
  })

  test('ls -l and find: lists only', async () => {
    const { line } = await workspace(await filled(1, 25))
    expect((await line('ls -l /s3/logs/day-0 | wc -l')).asked).toEqual({ list: 2 })
    expect((await line('ls -lR /s3/logs | wc -l')).asked).toEqual({ list: 3 })
    expect((await line('find /s3 -name "*.log" -size -1k | wc -l')).asked).toEqual({ list: 3 })
  })

  test('cat, head and sort of one file: one get', async () => {
    const { line } = await workspace(await filled(1, 1))
    for (const command of ['cat', 'wc -l', 'head -1', 'sha256sum']) {
      const { status, asked } = await line(`${command} /s3/logs/day-0/0.log`)
      expect([command, status, asked]).toEqual([command, 0, { get: 1 }])
    }
    expect((await line('sort /s3/logs/day-0/0.log')).asked).toEqual({ list: 1, get: 1 })
    expect((await line('cat < /s3/logs/day-0/0.log')).asked).toEqual({ get: 1 })
    expect((await line('test -f /s3/logs/day-0/0.log && test -d /s3/logs/day-0')).asked).toEqual({ list: 2 })
  })

  test('a redirection: one put, whatever it is written by', async () => {
    const { line } = await workspace(await filled(1, 1))
    expect((await line('echo x > /s3/new')).asked).toEqual({ list: 1, put: 1 })
    expect((await line('echo y > /s3/new')).asked).toEqual({ list: 1, put: 1 })
    expect((await line('for i in {1..100}; do echo $i; done > /s3/new')).asked).toEqual({ list: 1, put: 1 })
    expect((await line('for i in {1..100}; do echo $i >> /s3/log; done')).asked).toEqual({ list: 1, put: 1 })
    expect((await line('for i in {1..100}; do echo $i >> /s3/log; done')).asked).toEqual({ list: 1, get: 1, put: 1 })
    expect((await line('wc -l < /s3/log; cat /s3/new | wc -l')).out).toBe('200\n100\n')
  })

  test('rm -r and mv of a tree: nothing is sent', async () => {
    const objects = await filled(4, 25)
    const { line } = await workspace(objects)
    objects.sent = 0
    expect((await line('mv /s3/logs /s3/old')).asked).toEqual({ list: 3, put: 1, copy: 100, delete: 1 })
    expect((await line('rm -r /s3/old')).asked).toEqual({ list: 2, delete: 1 })
    expect([objects.keys, objects.sent]).toEqual([[], 0])
  })

  test('the beginning and the end of a large file: no more of it than that', async () => {
    const objects = new MemoryObjects()
    const lines = encode(Array.from({ length: 1_000_000 }, (_, i) => `line ${i}\n`).join(''))
    await objects.put('big', lines, { like: null, condition: null })
    let got = 0
    const get = objects.get.bind(objects)
    objects.get = async (...range) => {
      const found = await get(...range)
      got += found?.bytes.length ?? 0
      return found
    }
    const { line } = await workspace(objects)
    expect(await line('head -1 /s3/big')).toMatchObject({ out: 'line 0\n', asked: { get: 1 } })
    expect(got).toBe(65_536)
    expect((await line('tail -1 /s3/big')).out).toBe('line 999999\n')
    expect(got).toBeLessThan(300_000)
    got = 0
    const { asked } = await line('sha256sum /s3/big')
    expect([asked, got]).toEqual([{ get: 6 }, lines.length])
  })
})

describe('commands', () => {
  test('that keep modes and times do without them', async () => {
    const { line } = await workspace(new MemoryObjects())
    await line('mkdir -p /data/d/e; for f in 1 2 3; do echo $f > /data/d/e/$f; done; cp -r /data/d /data/c')
    expect(
      await line(
        'mv /data/d /s3/; cp -a /data/c /s3/; install -m 600 /data/c/e/1 /s3/i; sed -i s/1/one/ /s3/i; cd /s3; find . | sort; cat i',
      ),
    ).toMatchObject({
      out: ['.', './c', './c/e', './c/e/1', './c/e/2', './c/e/3', './d', './d/e', './d/e/1', './d/e/2', './d/e/3', './i', 'one', ''].join(
        '\n',
      ),
      err: '',
      status: 0,
    })
  })

  test('that go on writing from line to line, or are ended in the middle, leave what they wrote', async () => {
    const objects = new MemoryObjects({ partBytes: 100_000 })
    const { line, ws } = await workspace(objects)
    const other = new ObjectFileSystem(objects, { listingTtl: 0 })
    await line('exec 3> /s3/held; echo one >&3')
    expect(decode(await other.read('/held'))).toBe('one\n')
    await line('echo two >&3; exec 3>&-')
    expect(decode(await other.read('/held'))).toBe('one\ntwo\n')
    await line('timeout 0.2 yes > /s3/yes')
    expect([(await other.stat('/yes')).size > 0, objects.open]).toEqual([true, 0])
    // Ended while it opens the file: nothing written to it later waits for that.
    objects.delay = 50
    await expect(ws.shell('echo x > /s3/late', { timeoutMs: 10 })).resolves.toMatchObject({ exitCode: 124 })
    await new Promise((resolve) => webHost.timer(100, () => resolve(undefined)))
    objects.delay = 0
    await line('echo y > /s3/late')
    expect(decode(await other.read('/late'))).toBe('y\n')
    expect((await line('seq 50000 | tee /s3/a /s3/b | head -1; set -C; echo x > /s3/a')).status).toBe(1)
    expect(objects.open).toBe(0)
  })
})

describe('what is remembered', () => {
  test('ends with the line: the next one sees what another instance wrote', async () => {
    const objects = await filled(1, 2)
    const { line } = await workspace(objects)
    const other = new ObjectFileSystem(objects)
    expect((await line('ls /s3/logs/day-0')).out).toBe('0.log\n1.log\n')
    await other.write('/logs/day-0/2.log', encode('new'))
    expect((await line('ls /s3/logs/day-0; cat /s3/logs/day-0/2.log')).out).toBe('0.log\n1.log\n2.log\nnew')
  })

  test('lasts for the time that was asked for, and as long as a walk goes on', async () => {
    const objects = await filled(1, 2)
    const { host, pass } = clock()
    const fs = new ObjectFileSystem(objects, { host, listingTtl: 2 })
    await fs.readdir('/logs/day-0')
    await pass(1999)
    await fs.readdir('/logs/day-0')
    expect(objects.asked.splice(0)).toEqual(['list'])
    await pass(1)
    // The first who asks for a listed name is the walk that listed it.
    await fs.stat('/logs/day-0/0.log')
    await pass(2000)
    expect(objects.asked.splice(0)).toEqual([])
    await fs.stat('/logs/day-0/0.log')
    await expect(fs.stat('/logs/day-0/none')).rejects.toMatchObject({ code: 'ENOENT' })
    expect(objects.asked.splice(0)).toEqual(['list', 'list', 'list'])
    await pass(60_000)
    await fs.stat('/logs/day-0/1.log')
    expect(objects.asked).toEqual(['list'])
  })

  test('is never wrong about what was written here', async () => {
    const fs = new ObjectFileSystem(new MemoryObjects())
    const names = async (path: string): Promise<string[]> => (await fs.readdir(path)).map(({ name }) => name).sort()
    await fs.mkdir('/d')
    await fs.write('/d/a', encode('a'))
    expect(await names('/d')).toEqual(['a'])
    await fs.write('/d/b', encode('long'))
    expect([await names('/d'), (await fs.stat('/d/b')).size]).toEqual([['a', 'b'], 4])
    await fs.rename('/d/a', '/d/c')
    await fs.append('/d/b', encode('er'))
    expect([await names('/d'), (await fs.stat('/d/b')).size]).toEqual([['b', 'c'], 6])
    await fs.unlink('/d/b')
    await expect(fs.stat('/d/b')).rejects.toMatchObject({ code: 'ENOENT' })
    await fs.rename('/d', '/e')
    expect([await names('/'), await names('/e')]).toEqual([['e'], ['c']])
    await expect(fs.readdir('/d')).rejects.toMatchObject({ code: 'ENOENT' })
    await fs.removeTree('/e')
    expect(await names('/')).toEqual([])
  })

  test('does not hold a listing that was asked for before a write and answered after it', async () => {
    const objects = await filled(1, 1)
    const fs = new ObjectFileSystem(objects)
    await Promise.all([fs.readdir('/logs/day-0'), fs.write('/logs/day-0/new', encode('x'))])
    expect((await fs.readdir('/logs/day-0')).length).toBe(2)
  })
})

describe('a file that is written in pieces', () => {
  const part = 1000
  const open = (objects: MemoryObjects, options: ObjectFileSystemOptions = {}) => {
    const fs = new ObjectFileSystem(objects, options)
    return { fs, other: new ObjectFileSystem(objects, { listingTtl: 0 }), end: fs.gather('/f') }
  }
  const size = async (fs: ObjectFileSystem): Promise<number> => (await fs.stat('/f')).size

  test('goes out in parts, and is the old one to others until it is closed', async () => {
    const objects = new MemoryObjects({ partBytes: part })
    const { fs, other, end } = open(objects)
    await other.write('/f', encode('old'))
    await fs.write('/f', new Uint8Array(0))
    for (let at = 0; at < 10_000; at += 100) await fs.writeAt('/f', at, new Uint8Array(100).fill(at / 100))
    expect([await size(fs), await size(other), counts(objects.asked.splice(0))]).toEqual([
      10_000,
      3,
      { list: 3, put: 1, upload: 1, part: 9 },
    ])
    await fs.sync()
    expect(await size(other)).toBe(3)
    end()
    await fs.sync()
    expect([await size(other), objects.open, (await other.read('/f'))[5432]]).toEqual([10_000, 0, 54])
  })

  test('is read and seen here as far as it is', async () => {
    const objects = new MemoryObjects({ partBytes: part })
    const { fs } = open(objects)
    await fs.write('/f', encode('some'))
    await fs.append('/f', encode(' text'))
    expect([decode(await fs.read('/f')), decode(await fs.read('/f', 5, 2)), await fs.readdir('/')]).toEqual([
      'some text',
      'te',
      [{ name: 'f', type: 'file' }],
    ])
    expect(objects.keys).toEqual([])
    await fs.append('/f', new Uint8Array(2000))
    expect((await fs.read('/f')).length).toBe(2009)
    expect(objects.open).toBe(0)
    await fs.unlink('/f')
    await expect(fs.stat('/f')).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('leaves the old one whole and no parts behind where the store fails', async () => {
    const objects = new MemoryObjects({ partBytes: part })
    const { fs, other, end } = open(objects)
    await other.write('/f', encode('old'))
    objects.before = (operation) => {
      if (operation === 'complete') throw unreachable()
    }
    await fs.write('/f', new Uint8Array(0))
    await fs.append('/f', new Uint8Array(5000))
    end()
    await expect(fs.sync()).rejects.toMatchObject({ code: 'EIO', path: '/f' })
    expect([decode(await other.read('/f')), objects.open, await size(fs)]).toEqual(['old', 0, 3])
    await fs.sync()
  })

  test('that is removed leaves nothing', async () => {
    const objects = new MemoryObjects({ partBytes: part })
    const { fs, end } = open(objects)
    await fs.write('/f', new Uint8Array(5000))
    expect(objects.open).toBe(1)
    await fs.unlink('/f')
    end()
    await fs.sync()
    expect([objects.open, objects.keys]).toEqual([0, []])
  })

  test('is brought to the store a second after it was closed, in a line that goes on', async () => {
    const objects = new MemoryObjects()
    const { host, pass } = clock()
    const { fs, other, end } = open(objects, { host })
    await fs.append('/f', encode('one'))
    await pass(5000)
    await expect(other.stat('/f')).rejects.toMatchObject({ code: 'ENOENT' })
    end()
    await pass(999)
    expect(objects.keys).toEqual([])
    await pass(1)
    expect(decode(await other.read('/f'))).toBe('one')
  })

  test('what is added comes after what others added meanwhile; a large object is not sent again', async () => {
    const objects = new MemoryObjects({ partBytes: part })
    const { fs, other, end } = open(objects)
    await other.write('/f', new Uint8Array(5000))
    await fs.append('/f', encode('mine'))
    await other.append('/f', encode('theirs'))
    objects.sent = 0
    end()
    await fs.sync()
    expect([decode((await other.read('/f')).slice(5000)), objects.sent, objects.open]).toEqual(['theirsmine', 4, 0])
  })

  test('memory is bounded: what is added goes out when it fills a part', async () => {
    const objects = new MemoryObjects({ partBytes: part })
    const { fs, other } = open(objects)
    for (let at = 0; at < 50; at++) await fs.append('/f', new Uint8Array(100))
    expect(await size(other)).toBe(4000)
  })
})

describe('a file that another instance changes', () => {
  test('while it is read: an error, not a mixture', async () => {
    const objects = new MemoryObjects()
    const fs = new ObjectFileSystem(objects)
    const other = new ObjectFileSystem(objects)
    await other.write('/f', new Uint8Array(300_000).fill(1))
    await fs.read('/f', 0, 65_536)
    await other.write('/f', new Uint8Array(300_000).fill(2))
    await expect(fs.read('/f', 65_536, 65_536)).rejects.toMatchObject({
      code: 'ESTALE',
      reason: 'changed while it was read; read it again',
    })
    expect((await fs.read('/f', 0, 1))[0]).toBe(2)
  })

  test('after its end was read: what was added is read', async () => {
    const objects = new MemoryObjects()
    const fs = new ObjectFileSystem(objects, { listingTtl: 0 })
    const other = new ObjectFileSystem(objects)
    await other.write('/f', encode('one\n'))
    expect([(await fs.read('/f', 0, 100)).length, (await fs.read('/f', 4, 100)).length]).toEqual([4, 0])
    await other.append('/f', encode('two\n'))
    expect((await fs.stat('/f')).size).toBe(8)
    expect(decode(await fs.read('/f', 4, 100))).toBe('two\n')
  })
})

describe('conditional writes', () => {
  test('refuse what was not read, and what changed since', async () => {
    const objects = new MemoryObjects()
    const { line } = await workspace(objects, { write: 'conditional' })
    const other = new ObjectFileSystem(objects)
    await other.write('/f', encode('first\n'))
    expect(await line('echo mine > /s3/f')).toMatchObject({ err: 'bash: line 1: /s3/f: not read yet; read it before writing\n', status: 1 })
    // Adding to it is no reading.
    expect(await line('echo more >> /s3/f; echo mine > /s3/f')).toMatchObject({
      err: 'bash: line 1: /s3/f: not read yet; read it before writing\n',
    })
    expect(await line('echo mine > /s3/f')).toMatchObject({ status: 1 })
    expect(decode(await other.read('/f'))).toBe('first\nmore\n')
    expect((await line('cat /s3/f; echo mine > /s3/f')).status).toBe(0)
    await other.write('/f', encode('theirs\n'))
    const stale = { err: 'bash: line 1: /s3/f: changed since it was read; read it again before writing\n', status: 1 }
    expect(await line('echo mine > /s3/f')).toMatchObject(stale)
    expect(decode(await other.read('/f'))).toBe('theirs\n')
    expect(await line('echo more >> /s3/f; cat /s3/f; echo mine > /s3/f; cat /s3/f')).toMatchObject({
      out: 'theirs\nmore\nmine\n',
      status: 0,
    })
  })

  test('refuse to lose what another instance writes while the line runs', async () => {
    const objects = new MemoryObjects()
    const { line, ws } = await workspace(objects, { write: 'conditional' })
    const other = new ObjectFileSystem(objects)
    await line('echo first > /s3/f')
    const running = ws.shell('echo mine > /s3/f; sleep 0.2')
    await webHost.breathe()
    await other.write('/f', encode('theirs\n'))
    const { exitCode, stderrText } = await running
    expect([exitCode, stderrText]).toEqual([
      1,
      "bash: not everything that was written is kept: changed since it was read; read it again before writing: '/s3/f'\n",
    ])
    expect(decode(await other.read('/f'))).toBe('theirs\n')
  })

  test('refuse to make a file that another instance has made meanwhile, and to move one over it', async () => {
    const objects = new MemoryObjects()
    const fs = new ObjectFileSystem(objects, { write: 'conditional' })
    const other = new ObjectFileSystem(objects)
    await expect(fs.stat('/f')).rejects.toMatchObject({ code: 'ENOENT' })
    await other.write('/f', encode('theirs'))
    await expect(fs.write('/f', encode('mine'))).rejects.toMatchObject({ code: 'ESTALE' })
    await fs.write('/g', encode('mine'))
    await expect(fs.rename('/g', '/f')).rejects.toMatchObject({ code: 'ESTALE', path: '/f' })
    await fs.read('/f')
    await fs.rename('/g', '/f')
    expect(decode(await other.read('/f'))).toBe('mine')
  })
})
