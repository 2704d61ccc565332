import { decode, encode } from '../../src/bytes.ts'
import { codeOf, FileSystemError } from '../../src/errors.ts'
import { type FileSystem, type FileSystemCapabilities, LinkMet } from '../../src/fs/file-system.ts'
import { assert, assertCode, assertEqual, assertFails } from './assert.ts'

/** What a case runs on: a file system whose root is empty. */
export interface FileSystemSubject {
  readonly fs: FileSystem
  /** How much of the usual is done where much is done; 1 when left out. */
  readonly share?: number
}

/** One thing that every file system does. */
export interface FileSystemCase {
  readonly name: string
  /** Capabilities without which it is skipped. */
  readonly needs?: readonly (keyof FileSystemCapabilities)[]
  run(subject: FileSystemSubject): Promise<void>
}

/** The contract of {@link FileSystem}. */
export const fileSystemCases: readonly FileSystemCase[] = [
  // Files
  {
    name: 'write makes a file that holds the bytes',
    async run({ fs }) {
      await fs.write('/a', bytes(0, 255, 10, 128))
      assertEqual(await fs.read('/a'), bytes(0, 255, 10, 128))
      const stat = await fs.stat('/a')
      assertEqual([stat.type, stat.size, stat.nlink], ['file', 4, 1])
    },
  },
  {
    name: 'write replaces what a file held, longer or shorter',
    async run({ fs }) {
      for (const content of ['first', 'a much longer second content', 'x', '']) {
        await put(fs, '/a', content)
        assertEqual(await text(fs, '/a'), content)
        assertEqual((await fs.stat('/a')).size, content.length)
      }
    },
  },
  {
    name: 'write and append copy what they are given',
    async run({ fs }) {
      const data = encode('same')
      await fs.write('/a', data)
      await fs.append('/b', data)
      data.fill(0)
      await fs.append('/b', encode('!'))
      assertEqual([await text(fs, '/a'), await text(fs, '/b')], ['same', 'same!'])
    },
  },
  {
    name: 'what was read does not change when the file does',
    async run({ fs }) {
      await put(fs, '/a', 'one two three')
      const read = await fs.read('/a')
      const part = await fs.read('/a', 4, 3)
      await fs.writeAt('/a', 4, encode('TWO'))
      await fs.append('/a', encode(' four'))
      await fs.truncate('/a', 2)
      await put(fs, '/a', 'other')
      assertEqual([decode(read), decode(part)], ['one two three', 'two'])
    },
  },
  {
    name: 'read takes a range, cut at the end of the file',
    async run({ fs }) {
      await put(fs, '/a', '0123456789')
      assertEqual(decode(await fs.read('/a', 3, 4)), '3456')
      assertEqual(decode(await fs.read('/a', 8, 100)), '89')
      assertEqual(decode(await fs.read('/a', 7)), '789')
      assertEqual((await fs.read('/a', 10)).length, 0)
      assertEqual((await fs.read('/a', 1000, 5)).length, 0)
      assertEqual((await fs.read('/a', 2, 0)).length, 0)
    },
  },
  {
    name: 'a negative offset, length or size is EINVAL',
    async run({ fs }) {
      await put(fs, '/a', 'x')
      await assertCode(() => fs.read('/a', -1), 'EINVAL')
      await assertCode(() => fs.read('/a', 0, -1), 'EINVAL')
      await assertCode(() => fs.writeAt('/a', -1, encode('x')), 'EINVAL')
      await assertCode(() => fs.truncate('/a', -1), 'EINVAL')
    },
  },
  {
    name: 'append adds to the end and makes a missing file',
    async run({ fs }) {
      await fs.append('/log', encode('one\n'))
      await fs.append('/log', encode('two\n'))
      await fs.append('/log', new Uint8Array(0))
      assertEqual(await text(fs, '/log'), 'one\ntwo\n')
      await fs.append('/empty', new Uint8Array(0))
      assertEqual((await fs.stat('/empty')).size, 0)
    },
  },
  {
    name: 'many appends of all sizes come out in order',
    async run({ fs, share = 1 }) {
      const all: number[] = []
      for (let i = 0; i < 15 + 45 * share; i++) {
        const piece = pattern((i * 797) % 5000, i)
        all.push(...piece)
        await fs.append('/log', piece)
      }
      const whole = Uint8Array.from(all)
      assertEqual(await fs.read('/log'), whole)
      for (const [offset, length] of [
        [0, 1],
        [4090, 20],
        [10_000, 30_000],
        [whole.length - 5, 50],
      ] as const) {
        assertEqual(await fs.read('/log', offset, length), whole.slice(offset, offset + length), `${offset}+${length}`)
      }
    },
  },
  {
    name: 'writeAt overwrites in place, extends, and leaves zeros in a gap',
    async run({ fs }) {
      await put(fs, '/a', 'hello world')
      await fs.writeAt('/a', 6, encode('there'))
      assertEqual(await text(fs, '/a'), 'hello there')
      await fs.writeAt('/a', 9, encode('rapist'))
      assertEqual(await text(fs, '/a'), 'hello therapist')
      await fs.writeAt('/a', 17, encode('!'))
      assertEqual(await text(fs, '/a'), 'hello therapist\0\0!')
      await fs.writeAt('/a', 100, new Uint8Array(0))
      assertEqual((await fs.stat('/a')).size, 18)
      await assertCode(() => fs.writeAt('/missing', 0, encode('x')), 'ENOENT')
    },
  },
  {
    name: 'random writes in a file of some hundred kilobytes',
    async run({ fs, share = 1 }) {
      const model = pattern(400_000, 1)
      await fs.write('/a', model)
      let seed = 7
      for (let i = 0; i < 15 + 45 * share; i++) {
        seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff
        const offset = seed % 390_000
        const piece = pattern(1 + (seed % 9000), i)
        model.set(piece, offset)
        await fs.writeAt('/a', offset, piece)
        if (i % 7 === 0) assertEqual(await fs.read('/a', offset, 20_000), model.slice(offset, offset + 20_000))
      }
      assertEqual(await fs.read('/a'), model)
    },
  },
  {
    name: 'truncate cuts, and extends with zeros',
    async run({ fs }) {
      await put(fs, '/a', 'hello world')
      await fs.truncate('/a', 5)
      assertEqual(await text(fs, '/a'), 'hello')
      await fs.truncate('/a', 8)
      assertEqual(await text(fs, '/a'), 'hello\0\0\0')
      await fs.truncate('/a', 200_000)
      await fs.append('/a', encode('end'))
      assertEqual((await fs.stat('/a')).size, 200_003)
      assertEqual(decode(await fs.read('/a', 199_998)), '\0\0end')
      await fs.truncate('/a', 0)
      assertEqual(await text(fs, '/a'), '')
      await assertCode(() => fs.truncate('/missing', 0), 'ENOENT')
    },
  },
  {
    name: 'exclusive creation fails where something is',
    async run({ fs }) {
      await fs.write('/new', encode('x'), { exclusive: true })
      await assertCode(() => fs.write('/new', encode('y'), { exclusive: true }), 'EEXIST')
      await assertCode(() => fs.append('/new', encode('y'), { exclusive: true }), 'EEXIST')
      await fs.mkdir('/dir')
      await assertCode(() => fs.write('/dir', encode('y'), { exclusive: true }), 'EEXIST')
      assertEqual(await text(fs, '/new'), 'x')
    },
  },
  {
    name: 'a file needs its directory',
    async run({ fs }) {
      await put(fs, '/file', 'x')
      for (const make of [
        (path: string) => fs.write(path, encode('x')),
        (path: string) => fs.append(path, encode('x')),
        (path: string) => fs.mkdir(path),
      ]) {
        await assertCode(() => make('/missing/a'), 'ENOENT')
        await assertCode(() => make('/file/a'), 'ENOTDIR')
        await assertCode(() => make('/file/a/b'), 'ENOTDIR')
      }
    },
  },
  {
    name: 'a directory is no file',
    async run({ fs }) {
      await fs.mkdir('/d')
      for (const path of ['/d', '/']) {
        await assertCode(() => fs.read(path), 'EISDIR')
        await assertCode(() => fs.write(path, encode('x')), 'EISDIR')
        await assertCode(() => fs.append(path, encode('x')), 'EISDIR')
        await assertCode(() => fs.writeAt(path, 0, encode('x')), 'EISDIR')
        await assertCode(() => fs.truncate(path, 0), 'EISDIR')
        await assertCode(() => fs.unlink(path), 'EISDIR')
        await assertCode(() => fs.readlink(path), 'EINVAL')
      }
    },
  },
  {
    name: 'errors carry the path that was asked for',
    async run({ fs }) {
      for (const run of [
        () => fs.stat('/no/such'),
        () => fs.read('/no/such'),
        () => fs.write('/no/such', encode('x')),
        () => fs.readdir('/no/such'),
      ]) {
        const error = await assertCode(run, 'ENOENT')
        assert(error instanceof FileSystemError, 'is a FileSystemError')
        assertEqual(error.path, '/no/such')
      }
    },
  },
  {
    name: 'names can be any text',
    async run({ fs }) {
      const names = ['a b', '-n', 'é', '\u{1f600}', '.a', 'a%2Fb', '__proto__', 'constructor', 'x'.repeat(240)]
      for (const name of names) await put(fs, `/${name}`, name)
      assertEqual(await list(fs, '/'), [...names].sort())
      for (const name of names) assertEqual(await text(fs, `/${name}`), name)
    },
  },
  {
    name: 'a name that is no text, or that a back end refuses, stays as it is, or is refused and nowhere',
    async run({ fs }) {
      await fs.mkdir('/d')
      await put(fs, '/f', 'f')
      const kept: string[] = []
      for (const name of ['\udcff', 'a\udc80', 'a\\b', '*', 'a\nb', '~', '...', 'x'.repeat(255)]) {
        const path = `/d/${name}`
        try {
          await put(fs, path, name)
          kept.push(name)
          assertEqual(await text(fs, path), name)
        } catch (error) {
          const code = name.length < 255 ? 'EINVAL' : 'ENAMETOOLONG'
          assertEqual(codeOf(error), code, JSON.stringify(name))
          await assertCode(() => fs.mkdir(path), code)
          await assertCode(() => fs.append(path, encode('x')), code)
          await assertCode(() => fs.rename('/f', path), code)
          await assertFails(() => fs.stat(path))
        }
        assertEqual([await list(fs, '/d'), await text(fs, '/f')], [[...kept].sort(), 'f'])
      }
    },
  },
  {
    name: 'a name of more than 255 bytes is ENAMETOOLONG',
    async run({ fs }) {
      for (const name of ['x'.repeat(256), 'é'.repeat(128)]) {
        await assertCode(() => fs.write(`/${name}`, encode('x')), 'ENAMETOOLONG')
        await assertCode(() => fs.mkdir(`/${name}`), 'ENAMETOOLONG')
        await assertCode(() => fs.stat(`/${name}`), 'ENAMETOOLONG')
      }
    },
  },
  // Directories
  {
    name: 'the root is a directory that stays',
    async run({ fs }) {
      assertEqual((await fs.stat('/')).type, 'directory')
      assertEqual(await fs.readdir('/'), [])
      await assertCode(() => fs.mkdir('/'), 'EEXIST')
      await assertCode(() => fs.rmdir('/'), 'EBUSY')
      await fs.mkdir('/d')
      await assertCode(() => fs.rename('/', '/d'), 'EBUSY')
      await assertCode(() => fs.rename('/d', '/'), 'EBUSY')
    },
  },
  {
    name: 'readdir lists names with their types',
    async run({ fs }) {
      await fs.mkdir('/d')
      await fs.mkdir('/d/sub')
      await put(fs, '/d/file', 'x')
      await put(fs, '/d/sub/below', 'x')
      const entries = [...(await fs.readdir('/d'))].sort((a, b) => (a.name < b.name ? -1 : 1))
      assertEqual(entries, [
        { name: 'file', type: 'file' },
        { name: 'sub', type: 'directory' },
      ])
      await assertCode(() => fs.readdir('/d/file'), 'ENOTDIR')
      await assertCode(() => fs.readdir('/d/missing'), 'ENOENT')
    },
  },
  {
    name: 'a listing does not change when the directory does',
    async run({ fs }) {
      await put(fs, '/a', '')
      const entries = await fs.readdir('/')
      await put(fs, '/b', '')
      await fs.unlink('/a')
      assertEqual(entries, [{ name: 'a', type: 'file' }])
    },
  },
  {
    name: 'a directory of many names',
    async run({ fs, share = 1 }) {
      const many = 2000 * share
      await fs.mkdir('/d')
      for (let i = 0; i < many; i++) await fs.write(`/d/name-${i}`, encode(String(i)))
      assertEqual((await fs.readdir('/d')).length, many)
      for (let i = 0; i < many; i += 2) await fs.unlink(`/d/name-${i}`)
      assertEqual(new Set(await list(fs, '/d')), new Set(Array.from({ length: many / 2 }, (_, i) => `name-${i * 2 + 1}`).sort()))
      assertEqual(await text(fs, `/d/name-${many - 1}`), String(many - 1))
      await assertCode(() => fs.read(`/d/name-${many - 2}`), 'ENOENT')
      for (let i = 1; i < many; i += 2) await fs.unlink(`/d/name-${i}`)
      await fs.rmdir('/d')
    },
  },
  {
    name: 'mkdir fails where something is',
    async run({ fs }) {
      await fs.mkdir('/d')
      await put(fs, '/f', '')
      await assertCode(() => fs.mkdir('/d'), 'EEXIST')
      await assertCode(() => fs.mkdir('/f'), 'EEXIST')
    },
  },
  {
    name: 'rmdir removes an empty directory only',
    async run({ fs }) {
      await fs.mkdir('/d')
      await put(fs, '/d/f', '')
      await assertCode(() => fs.rmdir('/d'), 'ENOTEMPTY')
      await assertCode(() => fs.rmdir('/d/f'), 'ENOTDIR')
      await fs.unlink('/d/f')
      await fs.rmdir('/d')
      await assertCode(() => fs.stat('/d'), 'ENOENT')
      await assertCode(() => fs.rmdir('/d'), 'ENOENT')
    },
  },
  {
    name: 'unlink removes a file',
    async run({ fs }) {
      await put(fs, '/f', 'x')
      await fs.unlink('/f')
      await assertCode(() => fs.unlink('/f'), 'ENOENT')
      assertEqual(await list(fs, '/'), [])
      await put(fs, '/f', 'new')
      assertEqual(await text(fs, '/f'), 'new')
    },
  },
  {
    name: 'directories at a great depth',
    async run({ fs, share = 1 }) {
      let path = ''
      for (let i = 0; i < 30 + 170 * share; i++) {
        path += '/d'
        await fs.mkdir(path)
      }
      await put(fs, `${path}/f`, 'deep')
      assertEqual(await text(fs, `${path}/f`), 'deep')
      await fs.unlink(`${path}/f`)
      for (; path !== ''; path = path.slice(0, -2)) await fs.rmdir(path)
    },
  },
  // Rename
  {
    name: 'rename moves a file, and replaces one',
    async run({ fs }) {
      await put(fs, '/a', 'a')
      await put(fs, '/b', 'b')
      await fs.mkdir('/d')
      await fs.rename('/a', '/d/a')
      assertEqual(await text(fs, '/d/a'), 'a')
      await fs.rename('/d/a', '/b')
      assertEqual(await text(fs, '/b'), 'a')
      assertEqual(await list(fs, '/'), ['b', 'd'])
      await fs.rename('/b', '/b')
      assertEqual(await text(fs, '/b'), 'a')
    },
  },
  {
    name: 'rename moves a directory with what is in it',
    async run({ fs }) {
      await fs.mkdir('/d')
      await fs.mkdir('/d/e')
      await put(fs, '/d/e/f', 'x')
      await fs.mkdir('/empty')
      await fs.rename('/d', '/empty')
      assertEqual(await text(fs, '/empty/e/f'), 'x')
      assertEqual(await list(fs, '/'), ['empty'])
      await fs.rename('/empty/e', '/e')
      assertEqual([await list(fs, '/'), await list(fs, '/empty'), await text(fs, '/e/f')], [['e', 'empty'], [], 'x'])
    },
  },
  {
    name: 'rename refuses what rename(2) refuses',
    async run({ fs }) {
      await fs.mkdir('/d')
      await fs.mkdir('/d/e')
      await fs.mkdir('/full')
      await put(fs, '/full/f', '')
      await put(fs, '/f', '')
      await assertCode(() => fs.rename('/missing', '/x'), 'ENOENT')
      await assertCode(() => fs.rename('/f', '/missing/x'), 'ENOENT')
      await assertCode(() => fs.rename('/f', '/d'), 'EISDIR')
      await assertCode(() => fs.rename('/d', '/f'), 'ENOTDIR')
      await assertCode(() => fs.rename('/d', '/full'), 'ENOTEMPTY')
      await assertCode(() => fs.rename('/d/e', '/d'), 'ENOTEMPTY')
      await assertCode(() => fs.rename('/d', '/d/e/x'), 'EINVAL')
      await assertCode(() => fs.rename('/d', '/d/x'), 'EINVAL')
      await assertCode(() => fs.rename('/f', '/full/f/x'), 'ENOTDIR')
      assertEqual(await list(fs, '/'), ['d', 'f', 'full'])
    },
  },
  // Attributes and times
  {
    name: 'modes are those that were asked for',
    needs: ['attributes'],
    async run({ fs }) {
      await fs.write('/f', encode(''), { mode: 0o640 })
      await fs.write('/g', encode(''))
      await fs.append('/h', encode(''), { mode: 0o777, exclusive: true })
      await fs.mkdir('/d', 0o700)
      await fs.mkdir('/e')
      const modes = ['/f', '/g', '/h', '/d', '/e'].map(async (path) => (await fs.stat(path)).mode)
      assertEqual(await Promise.all(modes), [0o640, 0o666, 0o777, 0o700, 0o777])
      await fs.write('/f', encode('x'), { mode: 0o777 })
      assertEqual((await fs.stat('/f')).mode, 0o640, 'an existing file keeps its mode')
    },
  },
  {
    name: 'setattr sets modes and times, and leaves the rest',
    needs: ['attributes'],
    async run({ fs }) {
      await put(fs, '/f', 'x')
      await fs.setattr('/f', { mode: 0o4751 })
      await fs.setattr('/f', { mtimeMs: 1_000_000_000_500 })
      await fs.setattr('/f', { atimeMs: 1_100_000_000_250 })
      const stat = await fs.stat('/f')
      assertEqual([stat.mode, stat.mtimeMs, stat.atimeMs], [0o4751, 1_000_000_000_500, 1_100_000_000_250])
      await fs.mkdir('/d')
      await fs.setattr('/d', { mode: 0o711, mtimeMs: 5000, atimeMs: 6000 })
      const directory = await fs.stat('/d')
      assertEqual([directory.mode, directory.mtimeMs, directory.atimeMs], [0o711, 5000, 6000])
      await fs.setattr('/', { mode: 0o750 })
      assertEqual((await fs.stat('/')).mode, 0o750)
      await assertCode(() => fs.setattr('/missing', { mode: 0o600 }), 'ENOENT')
    },
  },
  {
    name: 'attributes move with a rename',
    needs: ['attributes'],
    async run({ fs }) {
      await put(fs, '/f', 'x')
      await fs.setattr('/f', { mode: 0o601, mtimeMs: 7000 })
      const before = await fs.stat('/f')
      await fs.mkdir('/d')
      await fs.rename('/f', '/d/g')
      const after = await fs.stat('/d/g')
      assertEqual([after.mode, after.mtimeMs, after.ino], [0o601, 7000, before.ino])
    },
  },
  {
    name: 'a change moves the times of the file and of its directory',
    needs: ['attributes'],
    async run({ fs }) {
      await fs.mkdir('/d')
      await put(fs, '/d/f', 'x')
      const old = { mtimeMs: 1000, atimeMs: 1000 }
      const changes: readonly (readonly [string, () => unknown, boolean, boolean])[] = [
        ['append', () => fs.append('/d/f', encode('y')), true, false],
        ['writeAt', () => fs.writeAt('/d/f', 0, encode('z')), true, false],
        ['truncate', () => fs.truncate('/d/f', 1), true, false],
        ['write', () => fs.write('/d/f', encode('new')), true, false],
        ['a new file', () => fs.write('/d/g', encode('')), false, true],
        ['unlink', () => fs.unlink('/d/g'), false, true],
        ['mkdir', () => fs.mkdir('/d/e'), false, true],
        ['rmdir', () => fs.rmdir('/d/e'), false, true],
        ['read', () => fs.read('/d/f'), false, false],
        ['rename', () => fs.rename('/d/f', '/d/g'), false, true],
      ]
      for (const [name, change, ofFile, ofDirectory] of changes) {
        await fs.setattr('/d/f', old)
        await fs.setattr('/d', old)
        await change()
        const file = name === 'rename' ? '/d/g' : '/d/f'
        assertEqual((await fs.stat(file)).mtimeMs !== 1000, ofFile, `${name}: time of the file`)
        assertEqual((await fs.stat('/d')).mtimeMs !== 1000, ofDirectory, `${name}: time of the directory`)
      }
    },
  },
  {
    name: 'different files have different inode numbers, which last',
    async run({ fs }) {
      await fs.mkdir('/d')
      await put(fs, '/a', 'x')
      await put(fs, '/d/a', 'x')
      const numbers = async () => [
        (await fs.stat('/')).ino,
        (await fs.stat('/d')).ino,
        (await fs.stat('/a')).ino,
        (await fs.stat('/d/a')).ino,
      ]
      const before = await numbers()
      assertEqual(new Set(before).size, 4)
      await fs.append('/a', encode('y'))
      await fs.write('/d/a', encode('z'))
      assertEqual(await numbers(), before)
    },
  },
  // Symbolic links
  {
    name: 'a symbolic link holds its text',
    needs: ['symlinks'],
    async run({ fs }) {
      await fs.symlink('../some where/é', '/l')
      assertEqual(await fs.readlink('/l'), '../some where/é')
      const stat = await fs.lstat('/l')
      assertEqual([stat.type, stat.size], ['symlink', encode('../some where/é').length])
      assertEqual(await fs.readdir('/'), [{ name: 'l', type: 'symlink' }])
      await assertCode(() => fs.symlink('x', '/l'), 'EEXIST')
      await assertCode(() => fs.symlink('x', '/missing/l'), 'ENOENT')
      await assertCode(() => fs.symlink('', '/m'), 'ENOENT')
      await put(fs, '/f', '')
      await assertCode(() => fs.readlink('/f'), 'EINVAL')
      await assertCode(() => fs.readlink('/missing'), 'ENOENT')
      await fs.unlink('/l')
      await assertCode(() => fs.lstat('/l'), 'ENOENT')
    },
  },
  {
    name: 'a link on the way is reported, not followed',
    needs: ['symlinks'],
    async run({ fs }) {
      await fs.mkdir('/d')
      await put(fs, '/d/f', 'x')
      await fs.mkdir('/e')
      await fs.symlink('../d', '/e/l')
      for (const run of [
        () => fs.stat('/e/l/f'),
        () => fs.lstat('/e/l/f'),
        () => fs.readdir('/e/l/f'),
        () => fs.read('/e/l/f'),
        () => fs.write('/e/l/new', encode('')),
        () => fs.append('/e/l/new', encode('')),
        () => fs.mkdir('/e/l/new'),
        () => fs.rmdir('/e/l/f'),
        () => fs.unlink('/e/l/f'),
        () => fs.readlink('/e/l/f'),
        () => fs.symlink('x', '/e/l/new'),
        () => fs.rename('/e/l/f', '/new'),
        () => fs.rename('/d/f', '/e/l/new'),
        () => fs.setattr('/e/l/f', {}),
        () => fs.stat('/e/l/f/deeper'),
      ]) {
        await met(run, '/e/l', '../d')
      }
      assertEqual([await list(fs, '/d'), await list(fs, '/e')], [['f'], ['l']])
    },
  },
  {
    name: 'a link at the end is reported by what follows links, and is meant by the rest',
    needs: ['symlinks'],
    async run({ fs }) {
      await fs.symlink('/target', '/l')
      for (const run of [
        () => fs.stat('/l'),
        () => fs.readdir('/l'),
        () => fs.read('/l'),
        () => fs.write('/l', encode('')),
        () => fs.append('/l', encode('')),
        () => fs.writeAt('/l', 0, encode('x')),
        () => fs.truncate('/l', 0),
        () => fs.setattr('/l', { mode: 0o600 }),
      ]) {
        await met(run, '/l', '/target')
      }
      await assertCode(() => fs.write('/l', encode(''), { exclusive: true }), 'EEXIST')
      await assertCode(() => fs.mkdir('/l'), 'EEXIST')
      await assertCode(() => fs.rmdir('/l'), 'ENOTDIR')
      await fs.rename('/l', '/m')
      assertEqual(await fs.readlink('/m'), '/target')
      await put(fs, '/f', 'x')
      await fs.rename('/f', '/m')
      assertEqual((await fs.lstat('/m')).type, 'file')
    },
  },
  // Hard links
  {
    name: 'a hard link is the same file under another name',
    needs: ['hardLinks'],
    async run({ fs }) {
      await fs.mkdir('/d')
      await put(fs, '/a', 'one')
      await fs.link('/a', '/d/b')
      const [a, b] = [await fs.stat('/a'), await fs.stat('/d/b')]
      assertEqual([a.ino, a.nlink, b.nlink], [b.ino, 2, 2])
      await fs.append('/d/b', encode(' two'))
      assertEqual(await text(fs, '/a'), 'one two')
      await fs.write('/a', encode('new'))
      assertEqual(await text(fs, '/d/b'), 'new')
      await fs.writeAt('/d/b', 1, encode('E'))
      await fs.truncate('/a', 2)
      assertEqual([await text(fs, '/a'), await text(fs, '/d/b')], ['nE', 'nE'])
      await fs.link('/d/b', '/c')
      assertEqual((await fs.stat('/a')).nlink, 3)
      await fs.unlink('/a')
      await fs.rename('/d', '/e')
      assertEqual([await text(fs, '/e/b'), (await fs.stat('/c')).nlink], ['nE', 2])
      await put(fs, '/x', 'x')
      await fs.rename('/x', '/c')
      assertEqual([(await fs.stat('/e/b')).nlink, await text(fs, '/c')], [1, 'x'])
    },
  },
  {
    name: 'link refuses what link(2) refuses',
    needs: ['hardLinks'],
    async run({ fs }) {
      await fs.mkdir('/d')
      await put(fs, '/f', '')
      await put(fs, '/g', '')
      await assertCode(() => fs.link('/missing', '/x'), 'ENOENT')
      await assertCode(() => fs.link('/f', '/g'), 'EEXIST')
      await assertCode(() => fs.link('/f', '/missing/x'), 'ENOENT')
      await assertCode(() => fs.link('/d', '/x'), 'EPERM')
    },
  },
  {
    name: 'renaming a name of a file to another name of it does nothing',
    needs: ['hardLinks'],
    async run({ fs }) {
      await put(fs, '/a', 'x')
      await fs.link('/a', '/b')
      await fs.rename('/a', '/b')
      assertEqual([await list(fs, '/'), (await fs.stat('/a')).nlink], [['a', 'b'], 2])
    },
  },
  {
    name: 'a hard link to a symbolic link is one',
    needs: ['hardLinks', 'symlinks'],
    async run({ fs }) {
      await fs.symlink('target', '/a')
      await fs.link('/a', '/b')
      assertEqual([await fs.readlink('/b'), (await fs.lstat('/b')).nlink], ['target', 2])
      await met(() => fs.stat('/b'), '/b', 'target')
    },
  },
  // Trees
  {
    name: 'copyTree copies a tree that is independent afterwards',
    needs: ['trees'],
    async run({ fs }) {
      await makeTree(fs)
      await fs.copyTree('/t', '/u')
      assertEqual(await walk(fs, '/u'), await walk(fs, '/t'))
      await fs.append('/u/a/f', encode('!'))
      await fs.write('/t/b/new', encode('n'))
      await fs.unlink('/t/g')
      await fs.setattr('/u/a', { mode: 0o700 })
      assertEqual([await text(fs, '/t/a/f'), await text(fs, '/u/a/f')], ['file f', 'file f!'])
      assertEqual(
        [await list(fs, '/t'), await list(fs, '/u')],
        [
          ['a', 'b'],
          ['a', 'b', 'g'],
        ],
      )
      assertEqual([await list(fs, '/t/b'), await list(fs, '/u/b')], [['new'], []])
      assertEqual([(await fs.stat('/t/a')).mode, (await fs.stat('/u/a')).mode], [0o755, 0o700])
    },
  },
  {
    name: 'copyTree gives the copy its own inode numbers, and keeps attributes',
    needs: ['trees', 'attributes'],
    async run({ fs }) {
      await makeTree(fs)
      await fs.setattr('/t/a/f', { mode: 0o604, mtimeMs: 123_000 })
      await fs.copyTree('/t', '/u')
      await fs.copyTree('/u', '/w')
      await fs.copyTree('/w', '/u/b/v')
      await fs.copyTree('/t/g', '/h')
      const inos: number[] = []
      for (const root of ['/t', '/u', '/w', '/h'])
        for (const path of Object.keys(await walk(fs, root))) inos.push((await fs.lstat(root + path)).ino)
      assertEqual(new Set(inos).size, inos.length)
      const copy = await fs.stat('/u/b/v/a/f')
      assertEqual([copy.mode, copy.mtimeMs], [0o604, 123_000])
      const { ino } = copy
      await fs.rename('/u/b/v/a', '/moved')
      assertEqual((await fs.stat('/moved/f')).ino, ino, 'a rename out of a copied tree')
      await fs.append('/moved/f', encode('!'))
      assertEqual((await fs.stat('/moved/f')).ino, ino)
    },
  },
  {
    name: 'copyTree separates hard links',
    needs: ['trees', 'hardLinks'],
    async run({ fs }) {
      await makeTree(fs)
      await fs.link('/t/g', '/t/a/second')
      await fs.link('/t/g', '/outside')
      await fs.copyTree('/t', '/u')
      await fs.append('/u/g', encode('?'))
      assertEqual([await text(fs, '/t/g'), await text(fs, '/outside'), await text(fs, '/u/g')], ['file g', 'file g', 'file g?'])
      assertEqual([(await fs.stat('/t/g')).nlink, (await fs.stat('/u/g')).nlink], [3, 1])
      await fs.removeTree('/t')
      assertEqual([await text(fs, '/outside'), (await fs.stat('/outside')).nlink], ['file g', 1])
    },
  },
  {
    name: 'copyTree refuses an existing target, a missing source and a target inside the source',
    needs: ['trees'],
    async run({ fs }) {
      await makeTree(fs)
      await assertCode(() => fs.copyTree('/t', '/t/a'), 'EINVAL')
      await assertCode(() => fs.copyTree('/t', '/t/a/x'), 'EINVAL')
      await assertCode(() => fs.copyTree('/t/a', '/t/g'), 'EEXIST')
      await assertCode(() => fs.copyTree('/missing', '/x'), 'ENOENT')
      await assertCode(() => fs.copyTree('/t', '/missing/x'), 'ENOENT')
    },
  },
  {
    name: 'removeTree removes everything below',
    needs: ['treeRemoval'],
    async run({ fs }) {
      await makeTree(fs)
      await fs.removeTree('/t/a')
      assertEqual(await list(fs, '/t'), ['b', 'g'])
      await fs.removeTree('/t/g')
      await fs.removeTree('/t')
      assertEqual(await list(fs, '/'), [])
      await assertCode(() => fs.removeTree('/t'), 'ENOENT')
      await assertFails(() => fs.removeTree('/'))
    },
  },
  {
    name: 'a back end without trees says ENOTSUP and does nothing',
    async run({ fs }) {
      await makeTree(fs)
      const before = await walk(fs, '/t')
      if (!fs.capabilities.trees) await assertCode(() => fs.copyTree('/t', '/u'), 'ENOTSUP')
      if (!fs.capabilities.treeRemoval) await assertCode(() => fs.removeTree('/t'), 'ENOTSUP')
      assertEqual([await walk(fs, '/t'), await list(fs, '/')], [before, ['t']])
    },
  },
  {
    name: 'a back end without links says ENOTSUP',
    async run({ fs }) {
      await put(fs, '/f', '')
      if (!fs.capabilities.symlinks) await assertCode(() => fs.symlink('f', '/l'), 'ENOTSUP')
      if (!fs.capabilities.hardLinks) await assertCode(() => fs.link('/f', '/l'), 'ENOTSUP')
    },
  },
  {
    name: 'sync waits and changes nothing',
    async run({ fs }) {
      await fs.sync()
      await put(fs, '/a', 'one')
      await fs.sync()
      await fs.append('/a', encode(' two'))
      await Promise.all([fs.append('/a', encode(' three')), fs.sync(), fs.sync()])
      await fs.sync()
      assertEqual(await text(fs, '/a'), 'one two three')
    },
  },
  {
    name: 'chunks of any size meet: writes over every border, and holes between them',
    async run({ fs }) {
      const model = new Uint8Array(400_000)
      await fs.write('/a', new Uint8Array(0))
      let size = 0
      for (const border of [4096, 16_384, 65_536, 131_072, 196_608, 262_144]) {
        for (const [before, length] of [
          [1, 2],
          [3, 3],
          [0, 70_000],
        ] as const) {
          const piece = pattern(length, border + before)
          model.set(piece, border - before)
          await fs.writeAt('/a', border - before, piece)
          size = Math.max(size, border - before + length)
          assertEqual(await fs.read('/a', border - 10, 20), model.slice(border - 10, Math.min(size, border + 10)), `at ${border}`)
        }
      }
      for (const cut of [262_143, 131_072, 65_537, 65_536, 4097]) {
        await fs.truncate('/a', cut)
        await fs.truncate('/a', cut + 10)
        model.fill(0, cut)
        assertEqual(await fs.read('/a'), model.slice(0, cut + 10), `cut at ${cut}`)
        await fs.truncate('/a', cut)
      }
      await fs.writeAt('/a', 300_000, encode('end'))
      model.set(encode('end'), 300_000)
      assertEqual(await fs.read('/a'), model.slice(0, 300_003))
    },
  },
  {
    name: 'a large file is read in ranges',
    async run({ fs, share = 1 }) {
      await fs.write('/big', new Uint8Array(0))
      const size = Math.max(3, 12 * share) * 1_000_000
      const piece = pattern(1_000_000, 3)
      for (let i = 0; i < size; i += piece.length) await fs.append('/big', piece)
      assertEqual((await fs.stat('/big')).size, size)
      for (const offset of [0, 999_999, size / 2 + 250_000, size - 10]) {
        const expected = Uint8Array.from({ length: Math.min(20, size - offset) }, (_, i) => piece[(offset + i) % 1_000_000] as number)
        assertEqual(await fs.read('/big', offset, 20), expected, `at ${offset}`)
      }
      await fs.rename('/big', '/moved')
      await fs.truncate('/moved', 1_000_000)
      assertEqual(await fs.read('/moved'), piece)
      await fs.unlink('/moved')
    },
  },
  {
    name: 'a file that is replaced is never missing',
    needs: ['trees'],
    async run({ fs }) {
      await put(fs, '/f', 'old')
      for (let i = 0; i < 20; i++) {
        await put(fs, '/next', `new ${i}`)
        const [, seen] = await Promise.all([fs.rename('/next', '/f'), text(fs, '/f')])
        assert(seen === `new ${i}` || seen === (i === 0 ? 'old' : `new ${i - 1}`), `saw ${seen} at ${i}`)
      }
      assertEqual([await list(fs, '/'), await text(fs, '/f')], [['f'], 'new 19'])
    },
  },
  {
    name: 'a back end without attributes says ENOTSUP, and ENOENT where nothing is',
    async run({ fs }) {
      await put(fs, '/f', '')
      await assertCode(() => fs.setattr('/missing', { mtimeMs: 1000 }), 'ENOENT')
      if (!fs.capabilities.attributes) await assertCode(() => fs.setattr('/f', { mtimeMs: 1000 }), 'ENOTSUP')
    },
  },
  {
    name: 'space says how much there is',
    async run({ fs }) {
      const space = await fs.space('/')
      assert(space.total > 0 && space.free >= 0 && space.free <= space.total, `free ${space.free} of ${space.total}`)
    },
  },
]

function bytes(...values: number[]): Uint8Array {
  return Uint8Array.from(values)
}

function pattern(length: number, seed: number): Uint8Array {
  const data = new Uint8Array(length)
  for (let i = 0; i < length; i++) data[i] = (i * 31 + seed * 17 + (i >> 8)) & 255
  return data
}

async function put(fs: FileSystem, path: string, content: string): Promise<void> {
  await fs.write(path, encode(content))
}

async function text(fs: FileSystem, path: string): Promise<string> {
  return decode(await fs.read(path))
}

async function list(fs: FileSystem, path: string): Promise<string[]> {
  return (await fs.readdir(path)).map((entry) => entry.name).sort()
}

async function makeTree(fs: FileSystem): Promise<void> {
  await fs.mkdir('/t', 0o755)
  await fs.mkdir('/t/a', 0o755)
  await fs.mkdir('/t/b', 0o755)
  await put(fs, '/t/a/f', 'file f')
  await put(fs, '/t/g', 'file g')
}

/** Types and contents by path from `root`. */
async function walk(fs: FileSystem, root: string, path = ''): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  const { type } = await fs.lstat(root + path)
  found[path] = type === 'file' ? await text(fs, root + path) : type
  if (type === 'directory') for (const name of await list(fs, root + path)) Object.assign(found, await walk(fs, root, `${path}/${name}`))
  return found
}

async function met(run: () => unknown, at: string, target: string): Promise<void> {
  const error = await assertFails(run, 'LinkMet')
  assert(error instanceof LinkMet, `wanted LinkMet, got ${String(error)}`)
  assertEqual([error.at, error.target], [at, target])
}
