import { describe, expect, test } from 'vitest'
import type { PerlOptions } from '../../../src/regex/perl.ts'
import { compilePerlRegex } from '../../../src/regex/perl.ts'
import { RegexError } from '../../../src/regex/regex.ts'

function groups(source: string, text: string, options: PerlOptions = {}): (string | null)[] | null {
  const regex = compilePerlRegex(source, options)
  const match = regex.exec(text, 0)
  return match === null ? null : Array.from({ length: regex.groups + 1 }, (_, n) => match.text(n))
}

describe('Perl patterns', () => {
  test('match in the order they say', () => {
    const cases: [string, string, (string | null)[] | null][] = [
      ['(a|ab)(c|bcd)', 'abcd', ['abcd', 'a', 'bcd']],
      ['a+?', 'aaa', ['a']],
      ['(?<=foo)bar', 'foobar', ['bar']],
      ['(?<!foo)bar', 'foobar bar', ['bar']],
      ['foo(?=bar)', 'foobar', ['foo']],
      ['foo(?!bar)', 'foobar foo', ['foo']],
      ['foo\\Kbar', 'foobar', ['bar']],
      ['(?i)é', 'É', ['É']],
      ['a(?i:b)c', 'aBc', ['aBc']],
      ['a(?i)b|c', 'C', ['C']],
      ['(?s).', '\n', ['\n']],
      ['.', '\n', null],
      ['(?m)^b$', 'a\nb\nc', ['b']],
      ['^b', 'a\nb', null],
      ['b$', 'b\n', ['b']],
      ['b\\z', 'b\n', null],
      ['(?x) a b # comment', 'ab', ['ab']],
      ['(?<n>a)\\k<n>', 'aa', ['aa', 'a']],
      ['(?P<n>a)(?P=n)', 'aa', ['aa', 'a']],
      ["(?'n'a)\\k'n'", 'aa', ['aa', 'a']],
      ['(a)\\g{1}\\g{-1}', 'aaa', ['aaa', 'a']],
      ['(a)?b\\1', 'b', null],
      ['a++a', 'aaa', null],
      ['(?>a+)a', 'aaa', null],
      ['(?>a|ab)c', 'abc', null],
      ['\\Qa.b\\E+', 'a.bb', ['a.bb']],
      ['\\x41\\x{e9}\\101', 'AéA', ['AéA']],
      ['\\d\\w\\s\\h\\R', '1a \t\r\n', ['1a \t\r\n']],
      ['[\\d\\]a-c]+', '1]b', ['1]b']],
      ['[[:^digit:]]+', 'ab1', ['ab']],
      ['\\p{Lu}\\p{Greek}\\P{L}', 'AΩ1', ['AΩ1']],
      ['\\bé', 'é', null],
      ['(?:a(?#x)b)', 'ab', ['ab']],
      ['a{,3}', 'a{,3}', ['a{,3}']],
      ['(a)|(b)', 'b', ['b', null, 'b']],
      ['(?=(a+))a*b\\1', 'baaabac', ['aba', 'a']],
      ['^(?:(a)|b)*\\1$', 'abba', ['abba', 'a']],
    ]
    for (const [source, text, found] of cases) expect([source, groups(source, text)]).toEqual([source, found])
  })

  test('errors say what PCRE2 says', () => {
    const cases: [string, string][] = [
      ['(', 'missing closing parenthesis'],
      [')', 'unmatched closing parenthesis'],
      ['*a', 'quantifier does not follow a repeatable item'],
      ['[a', 'missing terminating ] for character class'],
      ['\\', '\\ at end of pattern'],
      ['a{2,1}', 'numbers out of order in {} quantifier'],
      ['[z-a]', 'range out of order in character class'],
      ['\\g{9}', 'reference to non-existent subpattern'],
      ['(?<=a+)b', 'lookbehind assertion is not fixed length'],
      ['\\y', 'unrecognized character follows \\'],
      ['\\p{Foo}', 'unknown property after \\P or \\p'],
      ['(?<n>a)(?<n>b)', 'two named subpatterns have the same name (PCRE2_DUPNAMES not set)'],
    ]
    for (const [source, message] of cases) expect(() => compilePerlRegex(source, {}), source).toThrow(new RegexError(message))
  })

  test('none takes long', () => {
    const text = `${'a'.repeat(5000)}!`
    for (const source of ['(a+)+$', '(a|aa)+$', '(a*)*b', '(a+)+?b', '^(([a-z])+.)+[A-Z]'])
      expect([source, groups(source, text)]).toEqual([source, null])
    expect(() => groups('(?=(a+)+b)', text)).toThrow(new RegexError("exceeded PCRE's backtracking limit"))
    expect(() => groups('(a+)+\\1b', text)).toThrow(RegexError)
  })
})
