import { describe, expect, test } from 'vitest'
import { decode, encode } from '../../../src/bytes.ts'
import { codeOf } from '../../../src/errors.ts'
import type { FileSystem } from '../../../src/fs/file-system.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { OverlayFileSystem } from '../../../src/fs/overlay.ts'
import { readOnly } from '../../../src/fs/read-only.ts'
import { later } from './later.ts'
import { everything } from './random-operations.ts'

function lowerFiles(): RAMFileSystem {
  const fs = new RAMFileSystem({ files: { '/a/one': '1', '/a/two': '22', '/a/deep/three': '333', '/b/four': '4444', '/top': 'top' } })
  fs.symlink('a/one', '/link')
  return fs
}

async function names(fs: FileSystem, path: string): Promise<string[]> {
  return (await fs.readdir(path)).map(({ name }) => name).sort()
}

describe('OverlayFileSystem', () => {
  test('shows the lower file system and leaves it as it is', async () => {
    const lower = lowerFiles()
    const before = await everything(lower)
    const overlay = new OverlayFileSystem({ lower: readOnly(lower) })
    expect(await everything(overlay)).toEqual(before)
    overlay.append('/a/one', encode('!'))
    overlay.unlink('/a/two')
    overlay.rename('/b', '/c')
    overlay.write('/a/deep/new', encode('n'))
    overlay.setattr('/top', { mode: 0o600 })
    overlay.unlink('/link')
    expect(await everything(lower)).toEqual(before)
    expect([await names(overlay, '/'), await names(overlay, '/a'), await names(overlay, '/c')]).toEqual([
      ['a', 'c', 'top'],
      ['deep', 'one'],
      ['four'],
    ])
    expect(decode(await overlay.read('/a/one'))).toBe('1!')
  })

  test('a change keeps what it does not touch', async () => {
    const lower = lowerFiles()
    lower.setattr('/a/one', { mode: 0o741, mtimeMs: 5000, atimeMs: 6000, uid: 12, gid: 13 })
    lower.setattr('/a', { mode: 0o700, mtimeMs: 7000 })
    const overlay = new OverlayFileSystem({ lower })
    await overlay.append('/a/one', encode('!'))
    expect(await overlay.stat('/a/one')).toMatchObject({ mode: 0o741, atimeMs: 6000, uid: 12, gid: 13 })
    expect(await overlay.stat('/a')).toMatchObject({ mode: 0o700, mtimeMs: 7000 })
    await overlay.setattr('/a/two', { mode: 0o600 })
    expect(decode(await overlay.read('/a/two'))).toBe('22')
    await overlay.write('/a/new', encode(''))
    expect((await overlay.stat('/a')).mtimeMs).toBeGreaterThan(7000)
  })

  test('what was removed does not come back with a directory of the same name', async () => {
    const overlay = new OverlayFileSystem({ lower: lowerFiles() })
    for (const path of ['/a/one', '/a/two', '/a/deep/three']) overlay.unlink(path)
    overlay.rmdir('/a/deep')
    overlay.rmdir('/a')
    expect(await names(overlay, '/')).toEqual(['b', 'link', 'top'])
    overlay.mkdir('/a')
    expect(await names(overlay, '/a')).toEqual([])
    overlay.write('/a/two', encode('new'))
    expect(await names(overlay, '/a')).toEqual(['two'])
    overlay.rename('/b', '/a2')
    overlay.mkdir('/b')
    expect([await names(overlay, '/b'), await names(overlay, '/a2')]).toEqual([[], ['four']])
  })

  test('tells what changed', async () => {
    const lower = lowerFiles()
    const upper = new RAMFileSystem()
    const overlay = new OverlayFileSystem({ lower, upper })
    expect(await overlay.changes()).toEqual([])
    overlay.write('/a/deep/new', encode('n'))
    overlay.append('/a/one', encode('!'))
    overlay.unlink('/a/two')
    overlay.rename('/top', '/bottom')
    overlay.unlink('/link')
    overlay.mkdir('/link')
    overlay.unlink('/b/four')
    overlay.rmdir('/b')
    overlay.mkdir('/b', 0o755)
    overlay.write('/b/five', encode('5'))
    const expected = [
      { path: '/a/deep/new', kind: 'added', type: 'file' },
      { path: '/a/one', kind: 'modified', type: 'file' },
      { path: '/a/two', kind: 'deleted', type: 'file' },
      { path: '/b/five', kind: 'added', type: 'file' },
      { path: '/b/four', kind: 'deleted', type: 'file' },
      { path: '/bottom', kind: 'added', type: 'file' },
      { path: '/link', kind: 'deleted', type: 'symlink' },
      { path: '/link', kind: 'added', type: 'directory' },
      { path: '/top', kind: 'deleted', type: 'file' },
    ]
    expect(await overlay.changes()).toEqual(expected)
    expect(await new OverlayFileSystem({ lower: later(lower), upper: later(upper) }).changes()).toEqual(expected)
    overlay.write('/b/four', encode('again'))
    expect((await overlay.changes()).filter(({ path }) => path === '/b/four')).toEqual([
      { path: '/b/four', kind: 'modified', type: 'file' },
    ])
    overlay.setattr('/a', { mode: 0o700 })
    overlay.rename('/a/deep', '/moved')
    const changes = (await overlay.changes()).map(({ path, kind }) => `${kind} ${path}`)
    expect(changes).toContain('modified /a')
    expect(changes).toContain('deleted /a/deep')
    expect(changes).toContain('added /moved/three')
  })

  test('goes back with its upper layer', async () => {
    const upper = new RAMFileSystem()
    const overlay = new OverlayFileSystem({ lower: lowerFiles(), upper })
    overlay.write('/a/one', encode('first'))
    const snapshot = upper.snapshot()
    overlay.unlink('/a/one')
    overlay.write('/new', encode('second'))
    upper.restore(snapshot)
    overlay.reload()
    expect([decode(await overlay.read('/a/one')), await names(overlay, '/')]).toEqual(['first', ['a', 'b', 'link', 'top']])
    overlay.write('/new', encode('third'))
    expect(decode(await overlay.read('/new'))).toBe('third')
  })

  test('changes that are started at once come out as one after the other', async () => {
    const overlay = new OverlayFileSystem({ lower: later(lowerFiles()), upper: later(new RAMFileSystem()) })
    await Promise.all([
      ...Array.from({ length: 20 }, (_, i) => overlay.append('/top', encode(` ${i}`))),
      overlay.rename('/a', '/z'),
      overlay.append('/z/one', encode('!')),
    ])
    expect(decode(await overlay.read('/top'))).toBe(`top${Array.from({ length: 20 }, (_, i) => ` ${i}`).join('')}`)
    expect(decode(await overlay.read('/z/one'))).toBe('1!')
  })

  test('names of a file in the lower layer part when one changes', async () => {
    const lower = lowerFiles()
    lower.link('/top', '/second')
    const overlay = new OverlayFileSystem({ lower })
    overlay.append('/top', encode('!'))
    expect([decode(await overlay.read('/top')), decode(await overlay.read('/second'))]).toEqual(['top!', 'top'])
    overlay.link('/second', '/third')
    overlay.append('/third', encode('?'))
    expect(decode(await overlay.read('/second'))).toBe('top?')
  })

  test('marks cannot be made by hand, nor seen', async () => {
    const overlay = new OverlayFileSystem({ lower: lowerFiles() })
    overlay.unlink('/top')
    expect(await names(overlay, '/')).toEqual(['a', 'b', 'link'])
    for (const run of [() => overlay.write('/.wh.a', encode('')), () => overlay.mkdir('/.wh.x'), () => overlay.rename('/a', '/.wh.x')]) {
      let code: unknown
      try {
        run()
      } catch (error) {
        code = codeOf(error)
      }
      expect(code).toBe('EINVAL')
    }
    expect(() => overlay.stat('/.wh.top')).toThrow('No such file')
  })
})
