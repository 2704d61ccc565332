import * as host from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decode, encode } from '../../../src/bytes.ts'
import { codeOf, FileSystemError } from '../../../src/errors.ts'
import type { FileSystem } from '../../../src/fs/file-system.ts'
import { followLinks, type Missing, realPath } from '../../../src/fs/follow-links.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { MountTable } from '../../../src/fs/mount-table.ts'
import { later } from './later.ts'
import { generator } from './random-operations.ts'

type Draw = (bound: number) => number

/** One thing done by a file system of ours, and by the kernel. */
interface Both {
  readonly name: string
  readonly paths: readonly string[]
  ours(fs: FileSystem): unknown
  kernel(at: (path: string) => string): unknown
}

function drawBoth(random: Draw): Both {
  const path = () => {
    let drawn = ''
    for (let i = 1 + random(4); i > 0; i--)
      drawn += `${random(8) === 0 ? '//' : '/'}${['a', 'b', 'c', 'l', '.', '..', 'a', 'l'][random(8)]}`
    return random(5) === 0 ? `${drawn}/` : drawn
  }
  const a = path()
  const b = path()
  const data = encode('data'.repeat(random(3)))
  const target = ['a', 'b', 'a/b', './l', 'a/../b', 'c/', 'b/.', 'l', '../a'][random(9)] as string
  const all: readonly Both[] = [
    { name: `stat ${a}`, paths: [a], ours: async (fs) => (await fs.stat(a)).type, kernel: (at) => typeOf(host.statSync(at(a))) },
    { name: `lstat ${a}`, paths: [a], ours: async (fs) => (await fs.lstat(a)).type, kernel: (at) => typeOf(host.lstatSync(at(a))) },
    {
      name: `readdir ${a}`,
      paths: [a],
      ours: async (fs) => (await fs.readdir(a)).map(({ name }) => name).sort(),
      kernel: (at) => host.readdirSync(at(a)).sort(),
    },
    { name: `read ${a}`, paths: [a], ours: async (fs) => decode(await fs.read(a)), kernel: (at) => host.readFileSync(at(a), 'utf8') },
    { name: `write ${a}`, paths: [a], ours: (fs) => fs.write(a, data), kernel: (at) => host.writeFileSync(at(a), data) },
    { name: `append ${a}`, paths: [a], ours: (fs) => fs.append(a, data), kernel: (at) => host.appendFileSync(at(a), data) },
    {
      name: `create ${a}`,
      paths: [a],
      ours: (fs) => fs.write(a, data, { exclusive: true }),
      kernel: (at) => host.writeFileSync(at(a), data, { flag: 'wx' }),
    },
    { name: `mkdir ${a}`, paths: [a], ours: (fs) => fs.mkdir(a), kernel: (at) => host.mkdirSync(at(a)) },
    { name: `mkdir ${b}`, paths: [b], ours: (fs) => fs.mkdir(b), kernel: (at) => host.mkdirSync(at(b)) },
    { name: `rmdir ${a}`, paths: [a], ours: (fs) => fs.rmdir(a), kernel: (at) => host.rmdirSync(at(a)) },
    { name: `unlink ${a}`, paths: [a], ours: (fs) => fs.unlink(a), kernel: (at) => host.unlinkSync(at(a)) },
    { name: `rename ${a} ${b}`, paths: [a, b], ours: (fs) => fs.rename(a, b), kernel: (at) => host.renameSync(at(a), at(b)) },
    { name: `link ${a} ${b}`, paths: [a, b], ours: (fs) => fs.link(a, b), kernel: (at) => host.linkSync(at(a), at(b)) },
    { name: `symlink ${target} ${a}`, paths: [a], ours: (fs) => fs.symlink(target, a), kernel: (at) => host.symlinkSync(target, at(a)) },
    { name: `readlink ${a}`, paths: [a], ours: (fs) => fs.readlink(a), kernel: (at) => host.readlinkSync(at(a)) },
    {
      name: `real path ${a}`,
      paths: [a],
      ours: (fs) => realPath(fs, a, { missing: 'error' }),
      kernel: (at) => host.realpathSync.native(at(a)).slice(at('').length) || '/',
    },
  ]
  return all[random(all.length)] as Both
}

describe.runIf(process.platform === 'linux')('paths are walked as the kernel walks them', () => {
  for (let seed = 1; seed <= 10; seed++) {
    test(`seed ${seed}`, async () => {
      const base = host.mkdtempSync(join(host.realpathSync(tmpdir()), 'mirage-fs-'))
      const root = join(base, 'x/y/root')
      host.mkdirSync(root, { recursive: true })
      try {
        const ram = new RAMFileSystem()
        const fs = followLinks(seed % 3 === 0 ? later(ram) : ram)
        const random = generator(seed)
        const done: string[] = []
        for (let i = 0; i < 500; i++) {
          const both = drawBoth(random)
          if (!both.paths.every((path) => staysInside(root, path))) continue
          done.push(both.name)
          const expected = await result(() => both.kernel((path) => root + path))
          expect(await result(() => both.ours(fs)), `seed ${seed}: ${done.slice(-15).join('; ')}`).toEqual(expected)
        }
        expect(done.length).toBeGreaterThan(50)
      } finally {
        host.rmSync(base, { recursive: true, force: true })
      }
    })
  }
})

describe('followLinks', () => {
  test('follows links from mount to mount', async () => {
    const docs = new RAMFileSystem({ files: { '/real/a.txt': 'in docs' } })
    const work = new RAMFileSystem()
    const fs = followLinks(
      new MountTable([
        ['/docs', { fs: docs, mode: 'write' }],
        ['/work', { fs: work, mode: 'write' }],
      ]),
    )
    fs.symlink('/docs/real', '/work/absolute')
    fs.symlink('../docs/./real/', '/work/relative')
    fs.symlink('absolute/a.txt', '/work/twice')
    for (const path of ['/work/absolute/a.txt', '/work/relative/a.txt', '/work/twice', '/work/relative/../real/a.txt']) {
      expect(decode(await fs.read(path))).toBe('in docs')
    }
    fs.write('/work/absolute/new', encode('n'))
    expect(docs.stat('/real/new').size).toBe(1)
    expect(() => fs.rename('/work/twice', '/docs/x')).toThrow('Invalid cross-device link')
    fs.rename('/work/absolute/new', '/docs/moved')
    expect(docs.stat('/moved').size).toBe(1)
  })

  test('forty links are followed, one more is ELOOP', () => {
    const fs = followLinks(new RAMFileSystem({ files: { '/0': 'end' } }))
    for (let i = 1; i <= 41; i++) fs.symlink(String(i - 1), `/${i}`)
    expect(fs.stat('/40')).toMatchObject({ type: 'file' })
    expect(thrown(() => fs.stat('/41'))).toMatchObject({ code: 'ELOOP', path: '/41' })
    fs.symlink('loop', '/loop')
    fs.symlink('pong', '/ping')
    fs.symlink('ping', '/pong')
    for (const path of ['/loop', '/loop/x', '/ping', '/pong/../x'])
      expect(thrown(() => fs.read(path))).toMatchObject({ code: 'ELOOP', path })
    expect(thrown(() => fs.rename('/loop/a', '/b'))).toMatchObject({ code: 'ELOOP', path: '/loop/a' })
  })

  test('errors name the path that was asked for', () => {
    const fs = followLinks(new RAMFileSystem({ files: { '/real/file': 'x' } }))
    fs.symlink('real', '/l')
    for (const path of ['/l/missing', '/l/../nope', '/l/file/', '/l/file/../x', '/./gone']) {
      const error = thrown(() => fs.stat(path))
      expect(error).toBeInstanceOf(FileSystemError)
      expect(error).toMatchObject({ path })
    }
    expect(thrown(() => fs.rename('/l/none', '/l/to'))).toMatchObject({ code: 'ENOENT', path: '/l/none' })
    expect(thrown(() => fs.rename('/l/file', '/l/no/to'))).toMatchObject({ code: 'ENOENT', path: '/l/no/to' })
  })

  test('what is no absolute path is ENOENT', () => {
    const fs = followLinks(new RAMFileSystem({ files: { '/a': 'x' } }))
    expect(thrown(() => fs.stat(''))).toMatchObject({ code: 'ENOENT' })
    expect(thrown(() => fs.stat('a'))).toMatchObject({ code: 'ENOENT' })
  })

  test('answers at once over RAM, by promise over what answers so', () => {
    const ram = new RAMFileSystem({ files: { '/d/f': 'x' } })
    ram.symlink('d', '/l')
    for (const path of ['/d/f', '/l/f', '/d/../l/./f']) {
      expect(followLinks(ram).stat(path)).not.toBeInstanceOf(Promise)
      expect(followLinks(later(ram)).stat(path)).toBeInstanceOf(Promise)
    }
  })
})

describe('realPath', () => {
  const ram = new RAMFileSystem({ files: { '/d/f': 'x', '/d/e/g': 'y' } })
  ram.symlink('d/e', '/l')
  ram.symlink('/nowhere/x', '/dangling')
  ram.symlink('nowhere', '/d/near')
  ram.symlink('loop', '/loop')
  const cases: readonly [path: string, missing: Missing, expected: string][] = [
    ['/', 'error', '/'],
    ['/..', 'error', '/'],
    ['/l/g', 'error', '/d/e/g'],
    ['/l/../f', 'error', '/d/f'],
    ['/l/./..//f', 'error', '/d/f'],
    ['/l/', 'error', '/d/e'],
    ['/d/f/', 'error', 'ENOTDIR'],
    ['/d/f/..', 'error', 'ENOTDIR'],
    ['/d/f/x', 'error', 'ENOTDIR'],
    ['/d/x', 'error', 'ENOENT'],
    ['/dangling', 'error', 'ENOENT'],
    ['/loop', 'error', 'ELOOP'],
    ['/l/x', 'last', '/d/e/x'],
    ['/l/x/', 'last', '/d/e/x'],
    ['/d/near', 'last', '/d/nowhere'],
    ['/dangling', 'last', 'ENOENT'],
    ['/l/x/y', 'last', 'ENOENT'],
    ['/d/f/x', 'last', 'ENOTDIR'],
    ['/d/f/', 'last', 'ENOTDIR'],
    ['/dangling', 'any', '/nowhere/x'],
    ['/l/x/../y/./z', 'any', '/d/e/y/z'],
    ['/d/f/x/..', 'any', '/d/f'],
    ['/no/../l/g', 'any', '/l/g'],
  ]
  test.each(cases)('%s, %s may be missing: %s', async (path, missing, expected) => {
    for (const fs of [ram, followLinks(ram), later(ram)]) {
      expect(await result(() => realPath(fs, path, { missing }))).toBe(expected)
    }
  })
})

function typeOf(stat: host.Stats): string {
  return stat.isDirectory() ? 'directory' : stat.isSymbolicLink() ? 'symlink' : 'file'
}

async function result(run: () => unknown): Promise<unknown> {
  try {
    return await run()
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined) throw error
    return code
  }
}

function thrown(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

/** False where a walk could leave the root, which has nothing above it for us, but has for the kernel. */
function staysInside(root: string, path: string): boolean {
  let at = root
  for (const name of path.split('/')) {
    at = `${at}/${name}`
    let real: string
    try {
      real = host.realpathSync.native(at)
    } catch {
      return !isLink(at) || !hasClimbingLink(root)
    }
    if (real !== root && !real.startsWith(`${root}/`)) return false
  }
  return true
}

function isLink(path: string): boolean {
  try {
    return host.lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

function hasClimbingLink(directory: string): boolean {
  return host.readdirSync(directory, { withFileTypes: true }).some((entry) => {
    const path = join(directory, entry.name)
    return entry.isDirectory() ? hasClimbingLink(path) : entry.isSymbolicLink() && host.readlinkSync(path).includes('..')
  })
}
