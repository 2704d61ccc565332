import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { basename, dirname, isNormal, isWithin, join, normalise, splitPath } from '../../../src/fs/path.ts'

const paths = [
  '/',
  '//',
  '/a',
  '/a/',
  '/a/b',
  '/a//b',
  '/a/./b',
  '/a/../b',
  '/..',
  '/../..',
  '/.',
  '/a/..',
  '/...',
  '/.a',
  '/..a',
  '/a/.../b',
  '///a///',
  '/a/b/../../..',
  '/ ',
  '/a b/c',
]

describe('paths', () => {
  test.each(paths)('normalise %s', (path) => {
    const expected = posix.normalize(path).replace(/(.)\/$/, '$1')
    expect(normalise(path)).toBe(expected)
    expect(isNormal(path)).toBe(path === expected)
    expect(dirname(expected)).toBe(posix.dirname(expected))
    expect(basename(expected)).toBe(posix.basename(expected))
    expect(splitPath(expected)).toEqual(expected.split('/').filter((name) => name !== ''))
  })

  test('no absolute path is no normal one', () => {
    for (const path of ['', 'a', './a', '..']) expect(isNormal(path)).toBe(false)
  })

  test('join and isWithin', () => {
    expect([join('/', 'a'), join('/a', 'b')]).toEqual(['/a', '/a/b'])
    const within = [
      ['/a', '/'],
      ['/', '/'],
      ['/a', '/a'],
      ['/a/b', '/a'],
      ['/ab', '/a'],
      ['/', '/a'],
      ['/b/a', '/a'],
    ] as const
    expect(within.map(([path, ancestor]) => isWithin(path, ancestor))).toEqual([true, true, true, true, false, false, false])
  })
})
