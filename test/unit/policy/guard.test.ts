import { describe, expect, test } from 'vitest'
import { decode, encode } from '../../../src/bytes.ts'
import { codeOf } from '../../../src/errors.ts'
import type { Dirent, FileSystem } from '../../../src/fs/file-system.ts'
import { followLinks } from '../../../src/fs/follow-links.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import type { MountMode } from '../../../src/fs/mount-table.ts'
import { MountTable } from '../../../src/fs/mount-table.ts'
import { guard } from '../../../src/policy/guard.ts'
import type { SessionRules } from '../../../src/state/session-fields.ts'

function rules(part: { hide?: string[]; deny?: string[]; modes?: [string, MountMode][] }): SessionRules {
  return {
    profile: null,
    mountModes: new Map(part.modes ?? []),
    paths: { hide: part.hide ?? [], deny: part.deny ?? [] },
    commands: { allow: null, deny: [] },
  }
}

function files(): RAMFileSystem {
  return new RAMFileSystem({
    files: {
      '/open/a.txt': 'a',
      '/open/key.pem': 'key',
      '/secret/x': 'x',
      '/secret/sub/y': 'y',
      '/logs/app/a.log': 'l',
      '/logs/b.log': 'l',
      '/logs/b.txt': 't',
      '/closed/z': 'z',
    },
  })
}

function code(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return codeOf(error)
  }
  return 'no error'
}

function names(fs: FileSystem, path: string): string[] {
  return (fs.readdir(path) as readonly Dirent[]).map(({ name }) => name).sort()
}

/** Every operation that needs the path to be there. */
const uses: readonly [string, (fs: FileSystem, path: string) => unknown][] = [
  ['stat', (fs, path) => fs.stat(path)],
  ['lstat', (fs, path) => fs.lstat(path)],
  ['readlink', (fs, path) => fs.readlink(path)],
  ['readdir', (fs, path) => fs.readdir(path)],
  ['read', (fs, path) => fs.read(path)],
  ['writeAt', (fs, path) => fs.writeAt(path, 0, encode('x'))],
  ['truncate', (fs, path) => fs.truncate(path, 0)],
  ['rmdir', (fs, path) => fs.rmdir(path)],
  ['unlink', (fs, path) => fs.unlink(path)],
  ['setattr', (fs, path) => fs.setattr(path, { mode: 0o600 })],
  ['rename from', (fs, path) => fs.rename(path, '/open/new')],
  ['link from', (fs, path) => fs.link(path, '/open/new')],
  ['copyTree from', (fs, path) => fs.copyTree(path, '/open/new')],
  ['removeTree', (fs, path) => fs.removeTree(path)],
  ['space', (fs, path) => fs.space(path)],
]

/** Every operation that makes the path. */
const makes: readonly [string, (fs: FileSystem, path: string) => unknown][] = [
  ['write', (fs, path) => fs.write(path, encode('x'))],
  ['append', (fs, path) => fs.append(path, encode('x'))],
  ['mkdir', (fs, path) => fs.mkdir(path)],
  ['symlink', (fs, path) => fs.symlink('x', path)],
  ['link to', (fs, path) => fs.link('/open/a.txt', path)],
  ['rename to', (fs, path) => fs.rename('/open/a.txt', path)],
  ['copyTree to', (fs, path) => fs.copyTree('/open/a.txt', path)],
]

describe('guard', () => {
  test('is the file system itself where there are no rules', () => {
    const fs = files()
    expect(guard(fs, rules({}))).toBe(fs)
    expect(guard(fs, rules({ modes: [['/', 'write']] }))).toBe(fs)
  })

  test('hidden paths are not there', () => {
    const ram = files()
    const fs = guard(ram, rules({ hide: ['/secret', '*.pem'] }))
    expect(names(fs, '/')).toEqual(['closed', 'logs', 'open'])
    expect(names(fs, '/open')).toEqual(['a.txt'])
    for (const path of ['/secret', '/secret/x', '/secret/sub/y', '/open/key.pem', '/open/none.pem']) {
      for (const [name, use] of uses) expect([path, name, code(() => use(fs, path))]).toEqual([path, name, 'ENOENT'])
    }
    for (const [name, make] of makes) {
      expect([name, code(() => make(fs, '/secret'))]).toEqual([name, 'EACCES'])
      expect([name, code(() => make(fs, '/open/key.pem'))]).toEqual([name, 'EACCES'])
      expect([name, code(() => make(fs, '/open/new.pem'))]).toEqual([name, 'EACCES'])
      expect([name, code(() => make(fs, '/secret/new'))]).toEqual([name, 'ENOENT'])
      expect([name, code(() => make(fs, '/none/new.pem'))]).toEqual([name, 'ENOENT'])
      expect([name, code(() => make(fs, '/open/a.txt/new.pem'))]).toEqual([name, 'ENOTDIR'])
    }
    expect(decode(ram.read('/open/key.pem'))).toBe('key')
  })

  test('denied paths are seen, but closed', () => {
    const fs = guard(files(), rules({ deny: ['/closed', '/open/*.txt'] }))
    expect(names(fs, '/')).toEqual(['closed', 'logs', 'open', 'secret'])
    expect(names(fs, '/open')).toEqual(['a.txt', 'key.pem'])
    for (const path of ['/closed', '/open/a.txt']) {
      for (const [name, use] of uses) {
        const allowed = ['stat', 'lstat', 'readlink', 'space'].includes(name)
        expect([path, name, code(() => use(fs, path)) === 'EACCES']).toEqual([path, name, !allowed])
      }
    }
    for (const [name, use] of uses) expect([name, code(() => use(fs, '/closed/z'))]).toEqual([name, 'EACCES'])
    for (const [name, make] of makes) {
      expect([name, code(() => make(fs, '/closed/new'))]).toEqual([name, 'EACCES'])
      expect([name, code(() => make(fs, '/open/new.txt'))]).toEqual([name, 'EACCES'])
    }
  })

  test.each<[string, string[], string[]]>([
    ['/logs/*.log', ['/logs/b.log'], ['/logs/app/a.log', '/logs/b.txt', '/logs']],
    ['/logs/**/*.log', ['/logs/b.log', '/logs/app/a.log'], ['/logs/b.txt', '/logs/app']],
    ['/logs/**', ['/logs/b.log', '/logs/app', '/logs/app/a.log'], ['/logs', '/open']],
    ['/**/x', ['/secret/x'], ['/secret', '/secret/sub/y']],
    ['/s*', ['/secret', '/secret/sub/y'], ['/open']],
    ['/*/sub', ['/secret/sub', '/secret/sub/y'], ['/secret/x']],
    ['/secret/', ['/secret', '/secret/x'], ['/open']],
    ['/[so]*/?', ['/secret/x'], ['/secret/sub', '/open/a.txt']],
    ['sub', ['/secret/sub', '/secret/sub/y'], ['/secret/x']],
    ['*.l[o]g', ['/logs/b.log', '/logs/app/a.log'], ['/logs/b.txt']],
    ['/', ['/', '/open', '/open/a.txt'], []],
  ])('the rule %s', (rule, hidden, shown) => {
    const fs = guard(files(), rules({ hide: [rule] }))
    expect(hidden.map((path) => [path, code(() => fs.lstat(path))])).toEqual(hidden.map((path) => [path, 'ENOENT']))
    expect(shown.map((path) => [path, code(() => fs.lstat(path))])).toEqual(shown.map((path) => [path, 'no error']))
  })

  test('is asked once links are resolved', () => {
    const ram = files()
    ram.symlink('/secret', '/open/way')
    ram.symlink('../secret/x', '/open/end')
    const fs = followLinks(guard(ram, rules({ hide: ['/secret'] })))
    for (const path of ['/open/way', '/open/way/x', '/open/end', '/open/../secret/x', '//secret/.'])
      expect(code(() => fs.stat(path))).toBe('ENOENT')
    expect(code(() => fs.write('/open/way/new', encode('')))).toBe('ENOENT')
    expect(code(() => fs.write('/open/end', encode('')))).toBe('ENOENT')
    ram.symlink('/secret', '/open/self')
    expect(code(() => fs.mkdir('/open/self'))).toBe('EEXIST')
  })

  test('a directory that holds what a rule names stays in its place', () => {
    const fs = guard(files(), rules({ hide: ['/secret/sub', '/open/*.pem'] }))
    expect(code(() => fs.rename('/secret', '/moved'))).toBe('EACCES')
    expect(code(() => fs.rename('/open', '/moved'))).toBe('EACCES')
    expect(code(() => fs.rename('/logs', '/open/logs'))).toBe('no error')
    for (const path of ['/', '/secret', '/open']) expect(code(() => fs.removeTree(path))).toBe('ENOTSUP')
    expect(code(() => fs.copyTree('/secret', '/copy'))).toBe('ENOTSUP')
    fs.copyTree('/closed', '/copy')
    fs.removeTree('/copy')
    const named = guard(files(), rules({ hide: ['*.pem'] }))
    expect(code(() => named.rename('/open', '/moved'))).toBe('no error')
    expect(names(named, '/moved')).toEqual(['a.txt'])
    expect(code(() => named.removeTree('/moved'))).toBe('ENOTSUP')
    expect(code(() => named.copyTree('/closed', '/copy'))).toBe('ENOTSUP')
  })

  test('narrower modes hold for their mount', () => {
    const data = new RAMFileSystem({ files: { '/f': 'f' } })
    const inner = new RAMFileSystem({ files: { '/g': 'g' } })
    const table = new MountTable([
      ['/data', { fs: data, mode: 'exec' }],
      ['/data/inner', { fs: inner, mode: 'write' }],
    ])
    const fs = guard(table, rules({ modes: [['/data', 'read']] }), table)
    expect(decode(fs.read('/data/f') as Uint8Array)).toBe('f')
    for (const [name, make] of makes.filter(([name]) => name === 'write' || name === 'append' || name === 'mkdir' || name === 'symlink')) {
      expect([name, code(() => make(fs, '/data/new'))]).toEqual([name, 'EROFS'])
    }
    expect(code(() => fs.unlink('/data/f'))).toBe('EROFS')
    expect(code(() => fs.unlink('/data/none'))).toBe('ENOENT')
    expect(code(() => fs.rename('/data/f', '/data/g'))).toBe('EROFS')
    expect(code(() => fs.rename('/data/f', '/g'))).toBe('EXDEV')
    fs.write('/data/inner/new', encode('n'))
    fs.write('/elsewhere', encode('n'))
    const byPrefix = guard(table, rules({ modes: [['/data', 'read']] }))
    expect(code(() => byPrefix.write('/data/inner/new', encode('n')))).toBe('EROFS')
  })

  test.each([
    ['', 'is blank'],
    ['  ', 'is blank'],
    ['a/b', 'is relative'],
    ['./x', 'is relative'],
    ['/a/../b', "has '.' or '..'"],
    ['/a/.', "has '.' or '..'"],
  ])('refuses the entry %j', (entry, reason) => {
    for (const part of [{ hide: ['/fine', entry] }, { deny: [entry] }]) {
      expect(() => guard(files(), rules(part))).toThrow(`path rule '${entry}' ${reason}`)
      expect(code(() => guard(files(), rules(part)))).toBe('CONFIG_INVALID')
    }
  })
})
