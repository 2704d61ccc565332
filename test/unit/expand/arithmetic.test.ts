import { describe, expect, it } from 'vitest'
import type { ArithmeticScope, Integer } from '../../../src/shell/expand/arithmetic.ts'
import { ArithmeticError, compileArithmetic, formatInteger, parseInteger } from '../../../src/shell/expand/arithmetic.ts'
import { createRandom, hasBash, quote, runBash } from './bash-reference.ts'

function scopeOf(
  initial: Record<string, string>,
  slots: readonly (string | number)[] = [],
): ArithmeticScope & { values: Map<string, string> } {
  const values = new Map(Object.entries(initial))
  const index = (name: string, subscript: string): string => `${name}[${compileArithmetic(subscript)(scope)}]`
  const scope = {
    values,
    read: (name: string) => values.get(name) ?? values.get(`${name}[0]`),
    write: (name: string, value: Integer) => void values.set(values.has(`${name}[0]`) ? `${name}[0]` : name, formatInteger(value)),
    readElement: (name: string, subscript: string) => {
      const key = index(name, subscript)
      return values.get(key) ?? (key === `${name}[0]` ? values.get(name) : undefined)
    },
    writeElement: (name: string, subscript: string, value: Integer) => {
      const key = index(name, subscript)
      values.set(key === `${name}[0]` && values.has(name) ? name : key, formatInteger(value))
    },
    fixSubscript: (_name: string, subscript: string) => formatInteger(compileArithmetic(subscript)(scope)),
    slot: (at: number) => slots[at] ?? '',
  }
  return scope
}

const VARIABLES = {
  x: '5',
  y: '2',
  i: '0',
  s: 'y+1',
  bad: '1 +',
  zero: '1/0',
  loop: 'loop',
  big: '9223372036854775807',
  'a[0]': '5',
  'a[1]': '6',
}

function evaluate(text: string): string {
  const scope = scopeOf(VARIABLES)
  let result: string
  try {
    result = formatInteger(compileArithmetic(text)(scope))
  } catch (error) {
    if (!(error instanceof ArithmeticError)) throw error
    // bash stops in the middle of what it has begun to evaluate; here nothing of it is done.
    if (isSyntaxError(text)) return error.message
    result = error.message
  }
  const state = ['x', 'y', 'i', 'a[0]', 'a[1]'].map((name) => scope.values.get(name)).join(' ')
  return `${result} | ${state}`
}

function isSyntaxError(text: string): boolean {
  try {
    compileArithmetic(text)
    return false
  } catch {
    return true
  }
}

function bashResults(expressions: readonly string[]): string[] {
  const set = "x=5 y=2 i=0 s=y+1 bad='1 +' zero=1/0 loop=loop big=9223372036854775807; unset a nope z _x x5; a=(5 6)"
  const lines = expressions.map(
    (text) =>
      `${set}; e=${quote(text)}\nlet "$e"\nv="$x $y $i \${a[0]} \${a[1]}"; ${set}; e=${quote(text)}; r=\nr=$(($e)) 2>/dev/null\nprintf '\\1%s | %s\\0' "$r" "$v"\n`,
  )
  return runBash(lines.join(''))
    .toString()
    .split('\0')
    .slice(0, -1)
    .map((text, at) => {
      const [errors = '', result = ''] = text.split('\u0001')
      const message = /line \d+: (?:let: )?([\s\S]*)/.exec(errors.split('\nscript: line ')[0] ?? '')?.[1]?.replace(/\n$/, '')
      if (message === undefined) return result
      return isSyntaxError(expressions[at] as string) ? message : `${message}${result}`
    })
}

// Expressions that are wrong in every part, and the values they leave.
const TABLE = [
  '1 +',
  '1 + + 2',
  '* 3',
  '1 2',
  '(1',
  '1)',
  '',
  ' ',
  '1 ? 2',
  '1 ? : 3',
  '1 ? 2 :',
  '1 : 2',
  '5 = 3',
  '3++',
  '++3',
  '++x++',
  'x++ ++',
  '--x--',
  '++x--',
  '1/0',
  '1%0',
  '5,1/0+5',
  '1/ (0)+5',
  '2**-1',
  '2**-1+5',
  '2**(-1)+5',
  '2#2',
  '8#9',
  '09',
  '08+1',
  '1 + 08 + 3',
  ' 1 + 08',
  '65#1',
  '1#1',
  '0#1',
  '2##1',
  '2#1#1',
  '2#',
  '36#z',
  '36#Z',
  '37#Z',
  '64#_',
  '64#@',
  '0x',
  '0xg',
  '0x#1',
  '08#1',
  '10#08',
  '12abc',
  'x y',
  '1,',
  ',1',
  '@',
  'x =',
  'x ==',
  'x+=',
  'a[1',
  'x[',
  'x]',
  'a[1]=',
  'a[0]',
  'a[1]+a[i]',
  'a[i++]+=1',
  'a[i++]++',
  '++a[i++]',
  'a[i++]=9',
  'a[i]=i=1',
  'a[a[0]-4]',
  '1 +* 2',
  '1 &&',
  '1 || || 2',
  '!',
  '~',
  '1 <',
  '-',
  '1.5',
  'x.5',
  '(1).5',
  '2**.5',
  'x?.5',
  'x++.5',
  '"a"',
  "'1'",
  '$',
  '#',
  '99999999999999999999',
  '0x8000000000000000',
  '0xffffffffffffffffff',
  '9223372036854775808',
  '-9223372036854775808',
  '-9223372036854775809',
  'big+1',
  'big*2',
  'big*big',
  'big-1',
  '-big-1',
  '-big-2',
  'big<<1',
  'big>>3',
  '~big',
  'big&255',
  'big|1',
  'big^1',
  'big%1000',
  'big/3',
  'big**2',
  'big==big',
  'big>x',
  'big<x',
  'big++',
  '++big',
  '9007199254740991+1',
  '9007199254740993-1',
  '9007199254740993-2',
  '9007199254740992/2',
  '9007199254740993%10',
  '-9007199254740993/10',
  '94906267*94906267',
  '1<<64',
  '1<<63',
  '1<<-1',
  '1<<62',
  '1<<53',
  '-1>>1',
  '-8>>1',
  '-1>>63',
  '5>>64',
  '5>>-1',
  '-9223372036854775808/-1',
  '-9223372036854775808%-1',
  '-7/2',
  '7/-2',
  '-7%3',
  '7%-3',
  '0/-5',
  '0%-5',
  '2**62',
  '2**63',
  '2**64',
  '3**50',
  '(-3)**51',
  '0**0',
  '10**18',
  '10**19',
  '7**0',
  '1?2:3?4:5',
  '0?2:0?4:5',
  '1,2,3',
  'x=y=3',
  '1?x=2:3',
  '0?2:x=3',
  '0?x=2:3',
  '(x)=3',
  '(x)++',
  '-x=2',
  '!x=2',
  'x++=2',
  '++x=2',
  '1+x=2',
  'x+++1',
  'x---1',
  '1---1',
  '1- -1',
  '1--1',
  '1++1',
  'x++1',
  '1--x',
  '1++x',
  '1-- x',
  '- -x',
  '--1',
  '!-1',
  '!!5',
  '~~5',
  '-+-5',
  '++ x',
  'x ++',
  '++ ++x',
  '+++x',
  '---x',
  '----x',
  '-++x',
  'x+ ++x',
  'x+++x',
  'x+++++x',
  'x++ + ++x',
  '++x++x',
  '010',
  '00',
  '-0',
  '0*-1',
  '2**3**2',
  '-2**2',
  '1<2<3',
  '3>2>1',
  '1==1==1',
  '1|2^3&4',
  '1||0&&0',
  '0x1F',
  '0X1f',
  '1;2',
  '1=2',
  'x=1 y=2',
  'x=1,y=2',
  'x+=1+=2',
  'x<<=1',
  'x>>=1',
  'x^=1',
  'x|=8',
  'x&=4',
  'x%=3',
  'x*=3',
  'x-=3',
  'x/=2',
  'x/=0',
  'x%=0',
  'x/=0+0',
  'x/=0,5',
  'x**=2',
  'x&&=2',
  'x?',
  '1 2 +',
  'a.b',
  '0?1/0:5',
  '1||1/0',
  '0&&1/0',
  '0&&x++',
  '1?2:x++',
  '0 && (x=9)',
  '1 || (x=9)',
  '()',
  '(1,2)',
  '((1))',
  '(,)',
  '1<<=2',
  '1 = = 2',
  'x= =2',
  '!=2',
  'x!2',
  'x ~ 2',
  'x(1)',
  '(1)(2)',
  '(1)2',
  '(1)x',
  'x[1][2]',
  ']',
  '[',
  '{',
  '\\',
  '1\\',
  '1\r',
  '1\n+\t2',
  'nope',
  'nope[3]',
  'nope+1',
  's',
  's*2',
  'x*s',
  'bad',
  'x+bad',
  'zero',
  '3+zero',
  'loop',
  'x=1,loop',
  'x+=x++',
  'x = x++ + x',
  'x++ * x--',
  'y=x++,y',
  '1?2',
  '1?2:3:4',
  'é',
  '1é',
  '1 => 2',
  '1 =< 2',
  '1 <> 2',
  '1 <<< 2',
  '1 &&& 1',
  '1 // 2',
  '2 ** ** 2',
  '0b1',
  '1e5',
  '5 5',
  '1_',
  '1@',
  '_x',
  'x5',
  'x=(1',
  '1 ? (2',
  '-',
  '+',
  '++',
  '+ +',
  '&',
  '&&',
  '=',
  '==',
  '?',
  ':',
  '%',
  '1 ? 2 : 3 = 4',
  '1 + 2 = 4',
]

describe.runIf(hasBash)('arithmetic against bash', () => {
  it('agrees on a table of expressions', () => {
    const expected = bashResults(TABLE)
    const actual = TABLE.map(evaluate)
    expect(TABLE.map((text, i) => [text, actual[i]])).toEqual(TABLE.map((text, i) => [text, expected[i]]))
  })

  it('agrees on random expressions', () => {
    const random = createRandom(7)
    const pick = (list: readonly string[]): string => list[random(list.length)] as string
    const binary = [
      '+',
      '-',
      '*',
      '/',
      '%',
      '**',
      '<<',
      '>>',
      '<',
      '<=',
      '>',
      '>=',
      '==',
      '!=',
      '&',
      '^',
      '|',
      '&&',
      '||',
      ',',
      '=',
      '+=',
      '-=',
      '*=',
      '<<=',
    ]
    const leaf = [
      '0',
      '1',
      '2',
      '7',
      '-3',
      'x',
      'y',
      'i',
      's',
      'a[0]',
      'a[1]',
      'big',
      '4294967296',
      '2147483648',
      '0xff',
      'x++',
      '--y',
      '9007199254740991',
      '65',
      'nope',
    ]
    const tree = (depth: number): string => {
      if (depth === 0 || random(4) === 0) return pick(leaf)
      switch (random(6)) {
        case 0:
          return `(${tree(depth - 1)})`
        case 1:
          return `${pick(['-', '+', '!', '~', '- '])}${tree(depth - 1)}`
        case 2:
          return `${tree(depth - 1)} ? ${tree(depth - 1)} : ${tree(depth - 1)}`
        default:
          return `${tree(depth - 1)}${pick(['', ' '])}${pick(binary)}${pick(['', ' '])}${tree(depth - 1)}`
      }
    }
    const expressions = Array.from({ length: 3000 }, () => tree(1 + random(3)))
    const expected = bashResults(expressions)
    // bash refuses negative exponents in branches that aren't taken too, and stops at a fault before it sees a syntax error behind it.
    const early = (one: { text: string; expected: string }): boolean =>
      one.expected.includes('exponent less than 0') || (isSyntaxError(one.text) && one.expected.includes('division by 0'))
    const different = expressions
      .map((text, i) => ({ text, actual: evaluate(text), expected: expected[i] ?? '' }))
      .filter((one) => one.actual !== one.expected && !early(one))
    expect(different).toEqual([])
  }, 60_000)
})

describe('arithmetic', () => {
  const value = (text: string, variables: Record<string, string> = {}, slots: readonly (string | number)[] = []): string =>
    formatInteger(compileArithmetic(text)(scopeOf(variables, slots)))

  it('takes slots as operands', () => {
    expect(value('\0\x01*2+\0\0', {}, [5, '7'])).toBe('19')
    expect(value('-\0\0', {}, ['-5'])).toBe('5')
    expect(value('\0\0+1', {}, ['x*2'])).toBe('1')
    expect(value('\0\0*3', { x: '4' }, ['x+1'])).toBe('15')
    expect(value('a[\0\0]', { 'a[3]': '9' }, [3])).toBe('9')
    expect(() => compileArithmetic('\0\0=1')).toThrow('attempted assignment to non-variable')
    expect(() => compileArithmetic('\0\0\0\x01')).toThrow('syntax error in expression')
  })

  it('reads constants as text', () => {
    expect(['12', ' 12 ', '-5', '+5', '0x1f', '-0x1f', '017', '36#zz', '', ' ', '-0', '9223372036854775807'].map(parseInteger)).toEqual([
      12,
      12,
      -5,
      5,
      31,
      -31,
      15,
      1295,
      0,
      0,
      0,
      9223372036854775807n,
    ])
    expect(['a', '1+1', '08', '1 2', '0x', '--5', '2#3', '1.5', '- 5'].map(parseInteger)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      0,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  it('ends variables that lead to each other, and nesting without end, with an error', () => {
    expect(() => value('x', { x: 'y', y: 'x' })).toThrow('expression recursion level exceeded')
    expect(() => value('a[0]', { 'a[0]': 'a[0]' })).toThrow('expression recursion level exceeded')
    expect(() => value('x', { x: `${'('.repeat(300)}x+1${')'.repeat(300)}` })).toThrow('expression recursion level exceeded')
    expect(() => value(`${'('.repeat(100_000)}1${')'.repeat(100_000)}`)).toThrow('expression recursion level exceeded')
    expect(() => value(`1${'?1:1'.repeat(10_000)}`)).toThrow('expression recursion level exceeded')
    expect(() => value(`${'a['.repeat(5000)}0${']'.repeat(5000)}`)).toThrow('expression recursion level exceeded')
    expect(value('x0', Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`x${i}`, i === 299 ? '7' : `x${i + 1}`])))).toBe('7')
  })

  it('takes runs of any length', () => {
    expect(value(`1${'+1'.repeat(100_000)}`)).toBe('100001')
    expect(value(`${'-'.repeat(2)}5${'-1*2'.repeat(10_000)}`)).toBe('-19995')
    expect(value(`${'- '.repeat(100_000)}5`)).toBe('5')
    expect(value(`0${'||0'.repeat(100_000)}||1`)).toBe('1')
    expect(value(`${'x=1,'.repeat(50_000)}x`)).toBe('1')
  })

  it('evaluates a subscript once where the scope can fix it', () => {
    const scope = scopeOf({ i: '0', 'a[0]': '5', 'a[1]': '6' })
    expect(compileArithmetic('a[i++]+=10')(scope)).toBe(15)
    expect(scope.values.get('i')).toBe('1')
  })

  it('keeps 64 bits', () => {
    expect(value('9223372036854775807+1')).toBe('-9223372036854775808')
    expect(value('x*x', { x: '3037000500' })).toBe('-9223372036709301616')
    expect(value('1<<62')).toBe('4611686018427387904')
    expect(value('7**30')).toBe(String(BigInt.asIntN(64, 7n ** 30n)))
  })
})
