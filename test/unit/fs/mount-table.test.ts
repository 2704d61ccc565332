import { describe, expect, test } from 'vitest'
import { decode, encode } from '../../../src/bytes.ts'
import { codeOf } from '../../../src/errors.ts'
import type { FileSystem } from '../../../src/fs/file-system.ts'
import { LinkMet } from '../../../src/fs/file-system.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { MountTable } from '../../../src/fs/mount-table.ts'
import { later } from './later.ts'

async function code(run: () => unknown): Promise<unknown> {
  try {
    await run()
  } catch (error) {
    return codeOf(error)
  }
  return 'no error'
}

async function names(fs: FileSystem, path: string): Promise<string[]> {
  return (await fs.readdir(path)).map(({ name, type }) => `${name} ${type}`).sort()
}

for (const [answers, wrap] of [['at once', (fs: FileSystem) => fs] as const, ['later', later] as const]) {
  describe(`MountTable over what answers ${answers}`, () => {
    const open = () => {
      const root = new RAMFileSystem({ files: { '/r': 'root', '/a/file': 'shadowed by nothing' } })
      const data = new RAMFileSystem({ files: { '/f': 'data', '/sub/g': 'below' } })
      const inner = new RAMFileSystem({ files: { '/h': 'inner' } })
      const table = new MountTable([
        ['/', { fs: wrap(root), mode: 'write' }],
        ['/data', { fs: wrap(data), mode: 'write' }],
        ['/data/deep/inner', { fs: wrap(inner), mode: 'read' }],
      ])
      return { root, data, inner, table }
    }

    test('each path belongs to the longest prefix', async () => {
      const { table } = open()
      expect(decode(await table.read('/r'))).toBe('root')
      expect(decode(await table.read('/data/f'))).toBe('data')
      expect(decode(await table.read('/data/deep/inner/h'))).toBe('inner')
      expect(await code(() => table.read('/datax'))).toBe('ENOENT')
      expect(table.prefixOf('/data/deep/inner/h')).toBe('/data/deep/inner')
      expect(table.prefixOf('/data/deep')).toBe('/data')
      expect(table.locate('/dat')).toMatchObject({ prefix: '/', mode: 'write' })
      expect(table.mounts().map(({ prefix, mode }) => [prefix, mode])).toEqual([
        ['/', 'write'],
        ['/data', 'write'],
        ['/data/deep/inner', 'read'],
      ])
    })

    test('mount points and what leads to them exist', async () => {
      const { table } = open()
      expect(await names(table, '/')).toEqual(['a directory', 'data directory', 'r file'])
      expect(await names(table, '/data')).toEqual(['deep directory', 'f file', 'sub directory'])
      expect(await names(table, '/data/deep')).toEqual(['inner directory'])
      expect((await table.stat('/data/deep')).type).toBe('directory')
      expect((await table.lstat('/data/deep/inner')).type).toBe('directory')
      for (const path of ['/data', '/data/deep', '/data/deep/inner']) {
        expect(await code(() => table.mkdir(path))).toBe('EEXIST')
        expect(await code(() => table.symlink('x', path))).toBe('EEXIST')
        expect(await code(() => table.read(path))).toBe('EISDIR')
        expect(await code(() => table.write(path, encode('x')))).toBe('EISDIR')
        expect(await code(() => table.unlink(path))).toBe('EISDIR')
        expect(await code(() => table.readlink(path))).toBe('EINVAL')
        expect(await code(() => table.rename(path, '/x'))).toBe('EBUSY')
        expect(await code(() => table.rename('/a', path))).toBe('EBUSY')
        expect(await code(() => table.removeTree(path))).toBe('ENOTSUP')
        expect(await code(() => table.copyTree(path, '/x'))).toBe('ENOTSUP')
      }
      expect(await code(() => table.rmdir('/data'))).toBe('EBUSY')
      expect(await code(() => table.rmdir('/data/deep'))).toBe('ENOTEMPTY')
    })

    test('a directory that is only on the way to a mount can be written to', async () => {
      const { table, data } = open()
      await table.write('/data/deep/new', encode('x'))
      expect(data.readdir('/deep')).toEqual([{ name: 'new', type: 'file' }])
      expect(await names(table, '/data/deep')).toEqual(['inner directory', 'new file'])
      expect(await code(() => table.write('/data/deeper/new', encode('x')))).toBe('ENOENT')
    })

    test('a mount hides what is below it, and a file in its way', async () => {
      const { table, root } = open()
      root.write('/data', encode('a file'))
      expect((await table.stat('/data')).type).toBe('directory')
      expect(await names(table, '/')).toEqual(['a directory', 'data directory', 'r file'])
      table.add('/r/x', { fs: wrap(new RAMFileSystem()), mode: 'write' })
      expect((await table.stat('/r')).type).toBe('directory')
      expect(await names(table, '/r')).toEqual(['x directory'])
    })

    test('each mount is a device of its own, and nothing is renamed or linked from one to another', async () => {
      const { table } = open()
      const devices = await Promise.all(['/r', '/data/f', '/data/deep/inner/h'].map(async (path) => (await table.stat(path)).dev))
      expect(new Set(devices).size).toBe(3)
      expect((await table.stat('/data')).dev).toBe(devices[1])
      expect(await code(() => table.rename('/r', '/data/r'))).toBe('EXDEV')
      expect(await code(() => table.link('/r', '/data/r'))).toBe('EXDEV')
      expect(await code(() => table.rename('/missing', '/data/r'))).toBe('ENOENT')
      expect(await code(() => table.rename('/r', '/data/missing/r'))).toBe('ENOENT')
      expect(await code(() => table.copyTree('/a', '/data/a'))).toBe('ENOTSUP')
      await table.copyTree('/data/sub', '/data/copy')
      expect(decode(await table.read('/data/copy/g'))).toBe('below')
    })

    test('a read mount refuses changes, after what is wrong otherwise', async () => {
      const { table, inner } = open()
      inner.mkdir('/d')
      const at = '/data/deep/inner'
      for (const run of [
        () => table.write(`${at}/h`, encode('x')),
        () => table.write(`${at}/new`, encode('x')),
        () => table.append(`${at}/h`, encode('x')),
        () => table.writeAt(`${at}/h`, 0, encode('x')),
        () => table.truncate(`${at}/h`, 0),
        () => table.mkdir(`${at}/new`),
        () => table.rmdir(`${at}/d`),
        () => table.unlink(`${at}/h`),
        () => table.rename(`${at}/h`, `${at}/i`),
        () => table.link(`${at}/h`, `${at}/i`),
        () => table.symlink('x', `${at}/i`),
        () => table.setattr(`${at}/h`, { mode: 0o600 }),
        () => table.copyTree(`${at}/d`, `${at}/e`),
        () => table.removeTree(`${at}/d`),
      ]) {
        expect(await code(run)).toBe('EROFS')
      }
      expect(await code(() => table.unlink(`${at}/missing`))).toBe('ENOENT')
      expect(await code(() => table.unlink(`${at}/d`))).toBe('EISDIR')
      expect(await code(() => table.mkdir(`${at}/h`))).toBe('EEXIST')
      expect(await code(() => table.write(`${at}/h/x`, encode('')))).toBe('ENOTDIR')
      expect(await code(() => table.write(`${at}/no/x`, encode('')))).toBe('ENOENT')
      expect((await table.space(at)).free).toBe(0)
      table.setMode(at, 'write')
      await table.write(`${at}/new`, encode('x'))
      expect(decode(inner.read('/new'))).toBe('x')
    })

    test('links and errors come with paths of the namespace', async () => {
      const { table, data } = open()
      data.symlink('/r', '/l')
      for (const run of [() => table.stat('/data/l'), () => table.lstat('/data/l/x'), () => table.write('/data/l', encode(''))]) {
        const met = await Promise.resolve()
          .then((): unknown => run())
          .catch((error: unknown) => error)
        expect(met).toBeInstanceOf(LinkMet)
        expect(met).toMatchObject({ at: '/data/l', target: '/r' })
      }
      for (const path of ['/data/none', '/data/none/x', '/data/deep/inner/none']) {
        await expect(Promise.resolve().then(() => table.stat(path))).rejects.toMatchObject({ code: 'ENOENT', path })
        await expect(Promise.resolve().then(() => table.read(path))).rejects.toMatchObject({ code: 'ENOENT', path })
      }
    })

    test('mounts come and go', async () => {
      const { table } = open()
      expect(await code(() => table.add('/data', { fs: new RAMFileSystem(), mode: 'read' }))).toBe('EBUSY')
      expect(await code(() => table.add('/x/', { fs: new RAMFileSystem(), mode: 'read' }))).toBe('CONFIG_INVALID')
      expect(await code(() => table.add('x', { fs: new RAMFileSystem(), mode: 'read' }))).toBe('CONFIG_INVALID')
      expect(await code(() => table.remove('/'))).toBe('EBUSY')
      expect(await code(() => table.remove('/nothing'))).toBe('EINVAL')
      expect(await code(() => table.setMode('/nothing', 'read'))).toBe('EINVAL')
      table.remove('/data/deep/inner')
      expect(await names(table, '/data')).toEqual(['f file', 'sub directory'])
      table.remove('/data')
      expect(await names(table, '/')).toEqual(['a directory', 'r file'])
      table.setMode('/', 'read')
      expect(await code(() => table.mkdir('/x'))).toBe('EROFS')
    })
  })
}
