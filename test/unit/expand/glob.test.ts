import { describe, expect, it } from 'vitest'
import { FileSystemError } from '../../../src/errors.ts'
import type { FileSystem } from '../../../src/fs/file-system.ts'
import { followLinks } from '../../../src/fs/follow-links.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import type { GlobOptions } from '../../../src/shell/expand/glob.ts'
import { expandGlob } from '../../../src/shell/expand/glob.ts'
import { hasPatternCharacters } from '../../../src/shell/expand/pattern.ts'
import { createRandom, hasBash, quote, runBash } from './bash-reference.ts'

const DIRECTORIES = [
  'a',
  'a/b',
  'a/b/c',
  'a/.h',
  'a/.h/x',
  'd',
  'd/e',
  'B',
  'sub dir',
  '.hid',
  '.hid/in',
  'x[1]',
  'é',
  'empty',
  'z',
  'z/z',
  'z/z/z',
  'a-b',
]
const FILES = [
  'a/f.txt',
  'a/b/f.txt',
  'a/b/c/f.txt',
  'a/b/c/g.md',
  'a/.h/x/f.txt',
  'a/.dot',
  'd/e/f.txt',
  'd/f.txt',
  'd/G.TXT',
  'f.txt',
  'g.txt',
  'F.md',
  '.dot',
  '.dot2',
  'sub dir/one two',
  '.hid/in/f',
  'x[1]/y',
  'é/ü',
  'z/z/z/last',
  'star*',
  'q?',
  '-dash',
  'a-b/f.txt',
  'a.b',
  'ab',
  'aé',
  '~',
  '10',
  '9',
  'A',
]
const LINKS: readonly (readonly [string, string])[] = [
  ['link', 'a'],
  ['z/up', '..'],
  ['broken', 'nowhere'],
  ['flink', 'f.txt'],
  ['d/loop', 'loop'],
]

function build(): FileSystem {
  const ram = new RAMFileSystem()
  ram.mkdir('/w')
  for (const path of DIRECTORIES) ram.mkdir(`/w/${path}`)
  for (const path of FILES) ram.write(`/w/${path}`, new Uint8Array())
  for (const [path, target] of LINKS) ram.symlink(target, `/w/${path}`)
  return followLinks(ram)
}

type Flags = Pick<GlobOptions, 'extglob' | 'globstar' | 'dotglob' | 'nocaseglob' | 'globskipdots' | 'globignore'>
const plain: Flags = { extglob: true, globstar: false, dotglob: false, nocaseglob: false }

function compare(all: readonly string[], flags: Flags): void {
  const patterns = all.filter((pattern) => hasPatternCharacters(pattern, flags.extglob))
  const fs = build()
  const set = (name: string, on: boolean): string => `shopt -${on ? 's' : 'u'} ${name}`
  const script = [
    'mkdir -p p/w; cd p/w; shopt -s nullglob',
    set('globstar', flags.globstar),
    set('dotglob', flags.dotglob),
    set('nocaseglob', flags.nocaseglob),
    set('globskipdots', flags.globskipdots !== false),
    set('extglob', flags.extglob),
    `mkdir -p ${DIRECTORIES.map(quote).join(' ')}; touch -- ${FILES.map(quote).join(' ')}; ${LINKS.map(([path, target]) => `ln -s ${target} ${path}`).join('; ')}`,
    ...(flags.globignore === undefined ? [] : [`GLOBIGNORE=${quote(flags.globignore)}`]),
    ...patterns.map((pattern) => `p=${quote(pattern)}; IFS=; for w in $p; do printf '%s\\1' "$w"; done; printf '\\0'`),
  ]
  const expected = runBash(`${script.join('\n')}\n`)
    .toString()
    .split('\0')
    .slice(0, -1)
  const actual = patterns.map((pattern) => expandGlob(pattern, { fs, cwd: '/w', ...flags }) as readonly string[])
  const results = patterns.map((pattern, at) => ({
    pattern,
    actual: actual[at]?.join(' | '),
    expected: expected[at]?.split('\u0001').slice(0, -1).join(' | '),
  }))
  expect(results.filter((one) => one.actual !== one.expected)).toEqual([])
}

const PATTERNS = [
  '*',
  '*/',
  '*/*',
  '*/*/',
  '*/*/*',
  '.*',
  '.*/',
  '.*/*',
  '*.txt',
  '*/*.txt',
  '*/*/*.txt',
  'a/*',
  'a/*/',
  'a/b/*',
  'a/*/f.txt',
  'a/*/c/*',
  'a//*',
  'a/*//',
  'a//*//f.txt',
  './*',
  './*/',
  '../*',
  'a/../*',
  '*/.',
  '*/..',
  '*/./f.txt',
  '*/../f.txt',
  '?',
  '??',
  '[ab]',
  '[a-c]*',
  '[!a]*',
  '*[[:upper:]]*',
  'nope/*',
  '*/nope',
  '*/nope/*',
  'f.txt/*',
  'f.txt*/*',
  'link/*',
  'l*/',
  'l*/*',
  'broken*',
  'broken*/',
  'b*/',
  'fl*',
  'fl*/',
  '*/f.txt',
  '*/b/f.txt',
  '*/b/',
  '*/f.txt/',
  'x\\[1]/*',
  'x[[]1]/*',
  'x[1]/*',
  'star\\*',
  'star\\**',
  'q\\?',
  'q[?]',
  '\\a*',
  'a\\*',
  '[',
  '[a',
  '[]',
  'a]',
  '[a/b]',
  '[a]/b*',
  'sub dir/*',
  'sub*/*',
  '-*',
  '~*',
  'é/*',
  '*é*',
  '?é',
  '@(a|d)',
  '@(a|d)/*',
  '!(a|d)',
  '!(*.txt)',
  '+([0-9])',
  '*(.)dot',
  '@(.dot|a)',
  '.@(dot|hid)',
  '?(.)dot',
  '@(a/b|d)',
  'a/@(b|.h)',
  '!(.*)',
  '.!(dot)',
  '*.@(txt|md)',
  '@(*)',
  '*/@(f|g).*',
  '[.]dot',
  '[.d]*',
  'z/*',
  'z/*/',
  'z/up/*',
  'z/up/z/*',
  'd/*',
  'd/l*',
  'd/loop/*',
  '*/*/../*.txt',
  'a*/f.txt',
  'a*',
  'A*',
  'F*',
  '*.TXT',
  'D/*',
  'd/g*',
  'a/.*',
  'a/.h/*',
  'a/?h/*',
  '*/.h*',
  '.hid/*',
  '.h*/*',
  '.*/in',
  '*/.dot',
  '',
  'a',
  'nope',
  'a/',
  'f.txt/',
  './a*',
  './/a*',
  '.',
  '..',
  './',
  'empty/*',
  'empty/',
  '*y/',
]

describe.runIf(hasBash)('pathname expansion against bash', () => {
  it('agrees', () => compare(PATTERNS, plain))
  it('agrees with dotglob', () => compare(PATTERNS, { ...plain, dotglob: true }))
  it('agrees where dots are not skipped', () => compare(PATTERNS, { ...plain, globskipdots: false }))
  it('agrees where dots are not skipped, with dotglob', () => compare(PATTERNS, { ...plain, globskipdots: false, dotglob: true }))
  it('agrees with nocaseglob', () => compare(PATTERNS, { ...plain, nocaseglob: true }))
  it('agrees without extended patterns', () =>
    compare(
      PATTERNS.filter((pattern) => !pattern.includes('(')),
      { ...plain, extglob: false },
    ))

  const STARS = [
    '**',
    '**/',
    '**/*',
    '**/*.txt',
    '**/f.txt',
    'a/**',
    'a/**/',
    'a/**/*.txt',
    '**/b/**',
    '**/b/*',
    '**/c/**/*',
    '**/**',
    '**/**/f.txt',
    '*/**',
    '*/**/f.txt',
    'link/**',
    'l*/**',
    '**/.h',
    '**/.*',
    '.hid/**',
    '.*/**',
    'a**',
    '**a',
    '**b/*',
    'nope/**',
    'f.txt/**',
    'z/**',
    'z/**/',
    'z/**/z',
    '**/z/**/z',
    './**',
    './**/',
    '../**/nope',
    'a//**',
    '**/.',
    '**/..',
    'empty/**',
    'empty/**/',
    '**/empty',
    '**/l*',
    '**/up/*',
    '**/up/**',
    'z/up/**/g.txt',
    '**/@(f|g).txt',
    '**/!(*.txt)',
    'a/**/b',
    'a/**/b/',
    '**/e/',
    '**/f*/',
    '**/loop',
    '**/*/',
    '**/*/*',
    '**/*/f.txt',
    '*/**/',
    '*/**/*',
  ]
  it('agrees with globstar', () => compare([...PATTERNS, ...STARS], { ...plain, globstar: true }))
  it('agrees with globstar and dotglob', () => compare(STARS, { ...plain, globstar: true, dotglob: true }))
  it('agrees without globstar', () => compare(STARS, plain))

  it('agrees with GLOBIGNORE', () => {
    for (const globignore of ['*.txt', 'a', 'a:d', '*/f.txt', '*', '.*', 'a/*', './*', '[ab]', '@(a|b)', 'a*:', 'F*'])
      compare(['*', '*/*', 'a/*', './*', '.*', '*/', 'a*', '**'], { ...plain, globignore })
  })

  it('agrees on random patterns', () => {
    const random = createRandom(53)
    const pick = (list: readonly string[]): string => list[random(list.length)] as string
    const component = (): string =>
      Array.from({ length: 1 + random(3) }, () =>
        pick(['*', '*', '?', 'a', 'b', 'f', '.', '[a-d]', '.txt', 'z', '@(a|b|z)', '!(a)', '**', 'd', 'h']),
      ).join('')
    const patterns = Array.from(
      { length: 1500 },
      () => Array.from({ length: 1 + random(3) }, component).join('/') + pick(['', '', '', '/']),
    )
    // An exclamation group and a leading dot follow rules of their own in bash.
    const kept = patterns.filter((pattern) => !/(^|\/)[^/]*!\(/.test(pattern))
    compare(kept, { ...plain, globstar: true })
    compare(kept, { ...plain, dotglob: true })
  }, 60_000)
})

describe('pathname expansion', () => {
  const options = (fs: FileSystem): GlobOptions => ({ fs, cwd: '/w', ...plain })

  it('gives absolute paths for absolute patterns, whatever the directory', () => {
    const fs = build()
    expect(expandGlob('/w/d/*', { ...options(fs), cwd: '/w/a' })).toEqual(['/w/d/G.TXT', '/w/d/e', '/w/d/f.txt', '/w/d/loop'])
    expect(expandGlob('//w//d/f*', options(fs))).toEqual(['//w//d/f.txt'])
    expect(expandGlob('b/*', { ...options(fs), cwd: '/w/a' })).toEqual(['b/c', 'b/f.txt'])
    expect(expandGlob('/*/d/e', options(fs))).toEqual(['/w/d/e'])
  })

  it('sorts by bytes', () => {
    const fs = new RAMFileSystem()
    const names = ['\uffee', '\u{1f600}', 'é', 'Z', 'a', '\udcff', '\udc80', 'zz']
    for (const name of names) fs.write(`/${name}`, new Uint8Array())
    expect(expandGlob('*', { ...options(fs), cwd: '/' })).toEqual(['Z', 'a', 'zz', '\udc80', 'é', '\uffee', '\u{1f600}', '\udcff'])
  })

  /** The same file system, with each answer a promise. */
  function later(fs: FileSystem): FileSystem & { calls: string[] } {
    const calls: string[] = []
    const wrap =
      <T>(name: string, work: (path: string) => T) =>
      (path: string): Promise<T> => {
        calls.push(`${name} ${path}`)
        return Promise.resolve().then(() => work(path))
      }
    return Object.assign(Object.create(fs), {
      calls,
      readdir: wrap('readdir', (path) => fs.readdir(path)),
      stat: wrap('stat', (path) => fs.stat(path)),
      lstat: wrap('lstat', (path) => fs.lstat(path)),
    })
  }

  it('waits where the file system does', async () => {
    const fs = build()
    for (const pattern of ['*', '*/*', '**', '**/*.txt', '*/', 'a/*/f.txt', 'b*/']) {
      expect(await expandGlob(pattern, { ...options(later(fs)), globstar: true })).toEqual(
        expandGlob(pattern, { ...options(fs), globstar: true }),
      )
    }
  })

  it('reads each directory once and asks nothing else', async () => {
    const fs = later(build())
    await expandGlob('a/*/*', options(fs))
    expect(fs.calls).toEqual(['readdir /w/a', 'readdir /w/a/b'])
    fs.calls.length = 0
    await expandGlob('a/**/*.txt', { ...options(fs), globstar: true })
    expect(fs.calls.filter((call) => call.startsWith('readdir'))).toEqual(['readdir /w/a', 'readdir /w/a/b', 'readdir /w/a/b/c'])
  })

  it('takes unreadable directories for empty ones, and passes on other faults', () => {
    const fs = build()
    const refusing = (error: Error): FileSystem =>
      Object.assign(Object.create(fs), {
        readdir: (path: string) => {
          if (path === '/w/a') throw error
          return fs.readdir(path)
        },
      })
    expect(expandGlob('*/f.txt', options(fs))).toEqual(['a-b/f.txt', 'a/f.txt', 'd/f.txt', 'link/f.txt'])
    expect(expandGlob('a/*', options(refusing(new FileSystemError('EACCES', '/a'))))).toEqual([])
    expect(() => expandGlob('a/*', options(refusing(new Error('fault'))))).toThrow('fault')
  })
})
