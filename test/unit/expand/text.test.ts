import { describe, expect, it } from 'vitest'
import { convertCase } from '../../../src/shell/expand/case-conversion.ts'
import { compilePattern } from '../../../src/shell/expand/pattern.ts'
import type { PromptInfo } from '../../../src/shell/expand/prompt.ts'
import { expandPromptEscapes } from '../../../src/shell/expand/prompt.ts'
import { byteLength, byteSlice, characterCount, characterSlice } from '../../../src/shell/expand/string-length.ts'
import { hasBash, quote, runBash } from './bash-reference.ts'

describe.runIf(hasBash)('case conversion against bash', () => {
  it('agrees', () => {
    const texts = ['', 'abc', 'ABC', 'aBc', 'élan', 'ÉLAN', 'straße', 'ŉ', 'ǆ', 'ı', 'İ', 'ﬁ', '1a2B', 'x y', '😀a', 'Σς', 'ÿ', 'µ']
    const patterns = [null, '', '?', 'a', '[a-c]', '[[:upper:]]', '*', 'ab', 'é', '@(a|b)', '[!a]']
    const operators = [
      ['^^', 'upper', true],
      ['^', 'upper', false],
      [',,', 'lower', true],
      [',', 'lower', false],
      ['~~', 'toggle', true],
      ['~', 'toggle', false],
    ] as const
    const cases = operators.flatMap(([operator, to, all]) =>
      patterns.flatMap((pattern) => texts.map((text) => ({ operator, to, all, pattern, text }))),
    )
    const script = cases.map(
      ({ operator, pattern, text }) =>
        `x=${quote(text)} p=${quote(pattern ?? '')}; printf '%s\\0' "\${x${operator}${pattern === null ? '' : '$p'}}"`,
    )
    const expected = runBash(`shopt -s extglob\n${script.join('\n')}\n`)
      .toString()
      .split('\0')
    // An empty pattern counts as none.
    const actual = cases.map(({ to, all, pattern, text }) =>
      convertCase(text, to, all, pattern === null || pattern === '' ? null : compilePattern(pattern, { extglob: true })),
    )
    expect(
      cases.map((one, at) => ({ ...one, actual: actual[at], expected: expected[at] })).filter((one) => one.actual !== one.expected),
    ).toEqual([])
  })
})

describe('string length', () => {
  it('counts and cuts characters', () => {
    expect([characterCount(''), characterCount('abc'), characterCount('a😀é'), characterCount('\udc80\udcff😀')]).toEqual([0, 3, 3, 3])
    expect(characterSlice('a😀éb', 1, 2)).toBe('😀é')
    expect(characterSlice('a😀éb', 2)).toBe('éb')
    expect(characterSlice('abc', 1, 1)).toBe('b')
    expect(characterSlice('a😀', 5, 1)).toBe('')
  })

  it('counts and cuts bytes', () => {
    expect(['', 'abc', 'é', '€', '😀', '\udc80', 'a😀\udcffé'].map(byteLength)).toEqual([0, 3, 2, 3, 4, 1, 8])
    expect(byteSlice('aé', 2)).toBe('a\udcc3')
    expect(byteSlice('aé', 3)).toBe('aé')
    expect(byteSlice('abc', 2)).toBe('ab')
  })
})

describe('prompt escapes', () => {
  const info: PromptInfo = {
    user: 'me',
    host: 'box.example',
    shell: 'bash',
    version: '5.2',
    release: '5.2.15',
    cwd: '/home/me/a/b',
    home: '/home/me',
    historyNumber: 12,
    commandNumber: 3,
    jobs: 2,
    terminal: 'tty1',
    uid: 1000,
    now: () => 0,
    strftime: (format) => `<${format}>`,
  }

  it('are resolved', () => {
    expect(expandPromptEscapes('\\u@\\h:\\w\\$ ', info)).toBe('me@box:~/a/b$ ')
    expect(expandPromptEscapes('\\H \\s \\v \\V \\! \\# \\j \\l \\W', info)).toBe('box.example bash 5.2 5.2.15 12 3 2 tty1 b')
    expect(expandPromptEscapes('\\d|\\t|\\T|\\@|\\A|\\D{%Y}|\\D{}', info)).toBe(
      '<%a %b %d>|<%H:%M:%S>|<%I:%M:%S>|<%I:%M %p>|<%H:%M>|<%Y>|<%X>',
    )
    expect(expandPromptEscapes('\\[\\e[1m\\]\\n\\r\\a\\\\\\101\\x', info)).toBe('\x1b[1m\n\r\x07\\A\\x')
    expect(expandPromptEscapes('\\[x\\]', info, true)).toBe('\x01x\x02')
    expect(expandPromptEscapes('\\303\\251', info)).toBe('é')
    expect(expandPromptEscapes('\\$', { ...info, uid: 0 })).toBe('#')
    expect(expandPromptEscapes('\\w \\W', { ...info, cwd: '/home/me' })).toBe('~ ~')
    expect(expandPromptEscapes('\\w \\W', { ...info, cwd: '/' })).toBe('/ /')
    expect(expandPromptEscapes('a\\', info)).toBe('a\\')
  })

  it.runIf(hasBash)('trim directories as bash does', () => {
    const paths = [
      '/tmp',
      '/usr/lib',
      '/usr/share/doc',
      '/',
      '/root',
      '/usr/share/doc/bash',
      '/a/b',
      '/a/b/c/d',
      '/ab/c',
      '/abc/d',
      '/abcd/e',
      '/root/a/b/c',
      '/root/abcd/e',
    ]
    const cases = paths.flatMap((cwd) =>
      [0, 1, 2, 3].flatMap((dirtrim) => ['/usr', '/root', '/', '/usr/share'].map((home) => ({ cwd, dirtrim, home }))),
    )
    const script = cases.map(
      ({ cwd, dirtrim, home }) => `PWD=${cwd} HOME=${home} PROMPT_DIRTRIM=${dirtrim}; x='\\w|\\W'; printf '%s %s\\0' "$PWD" "\${x@P}"`,
    )
    const expected = runBash(`${script.join('\n')}\n`)
      .toString()
      .split('\0')
      .slice(0, -1)
    const actual = cases.map(({ dirtrim, home }, at) => {
      const cwd = expected[at]?.split(' ')[0] as string
      return `${cwd} ${expandPromptEscapes('\\w|\\W', { ...info, cwd, dirtrim, home })}`
    })
    expect(actual).toEqual(expected)
  })
})
