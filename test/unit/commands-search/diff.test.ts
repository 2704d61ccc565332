import { describe, expect, test } from 'vitest'
import type { Entry } from './harness.ts'
import { Files, hasGnu, seeded } from './harness.ts'

const MTIME = 1_700_000_000
/** Headers show times, so all files have one. */
const timed = (entries: Readonly<Record<string, string>>): Record<string, Entry> =>
  Object.fromEntries(Object.entries(entries).map(([name, content], index) => [name, { content, mtime: MTIME + index * 1000 + 0.25 }]))

const numbered = (from: number, to: number): string => Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join('')

const FILES = timed({
  a: 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n',
  b: 'one\n2\nthree\nfour\nfive\nsix\nseven\nnine\nten\nten and a half\neleven\ntwelve\nthirteen\n',
  same: 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n',
  empty: '',
  short: 'one\ntwo',
  short2: 'one\ntwo\n',
  short3: 'one\nthree',
  dots: 'one\n.\n..\ntwo\n.\n',
  case: 'ONE\nTwo\nthree\n',
  space: 'one  two\n\tthree\nfour \nfi ve\n',
  space2: 'one two\n        three\nfour\nfive\n',
  blank: 'one\n\ntwo\n\n\nthree\n',
  blank2: 'one\ntwo\n   \nthree\n\n',
  cr: 'one\r\ntwo\r\nthree\n',
  cr2: 'one\ntwo\nthr\ree\n',
  cr3: 'one\r\r\ntwo\r',
  tabs: 'a\tb\tc\nx\by\n\t\tdeep\nwide\té\t漢字\n',
  tabs2: 'a\tb\tC\nx\by!\n\t\tdeeper\nwide\té\t漢字漢字\n',
  bin: 'a\0b\n',
  bin2: 'a\0c\n',
  'c1.c': `int main(void)\n{\n${numbered(1, 12)}}\n\nstatic int other_function_with_a_long_name(int first, int second)\n{\n${numbered(1, 20)}}\n`,
  'c2.c': `int main(void)\n{\n${numbered(1, 8)}x\n${numbered(10, 12)}}\n\nstatic int other_function_with_a_long_name(int first, int second)\n{\n${numbered(1, 15)}y\n${numbered(17, 21)}}\n`,
  'a b': 'one\n',
  'a"c': 'two\n',
  long1: `${'left '.repeat(30)}\nshort\n`,
  long2: `${'left '.repeat(29)}right\nshort too\n`,
})

const TREE: Record<string, Entry> = {
  ...timed({
    'd1/same': 'x\n',
    'd2/same': 'x\n',
    'd1/changed': 'x\ny\n',
    'd2/changed': 'x\nz\n',
    'd1/only1': 'a\n',
    'd2/only2': 'b\n',
    'd1/sub/deep': '1\n',
    'd2/sub/deep': '2\n',
    'd1/sub/gone.o': 'g\n',
    'd2/sub/Upper': 'u\n',
    'd1/mixed': 'file\n',
    'd2/mixed/inside': 'directory\n',
    'd1/one/a/b': 'deep\n',
    'd1/Name': 'n\n',
    'd2/name': 'n\nm\n',
    'd1/bin': 'a\0b',
    'd2/bin': 'a\0c',
    'd2/link2': 'text\n',
    changed: 'x\nq\n',
    patterns: '*.o\n\nonly*  \n',
  }),
  'd1/link': { link: 'changed' },
  'd2/link': { link: 'same' },
  'd1/link2': { link: 'changed' },
}

describe.runIf(hasGnu('diff'))('diff does what GNU diff does', () => {
  const files = new Files({ ...FILES, ...TREE })
  const same = async (lines: readonly string[], settings = {}) => {
    for (const line of lines) await files.same(line.split(' '), settings)
  }

  test('all styles', async () => {
    const pairs = ['a b', 'b a', 'a same', 'a empty', 'empty a', 'short short2', 'short2 short', 'short short3', 'a dots', 'dots a']
    for (const pair of pairs) {
      for (const style of ['', '--normal', '-u', '-c', '-e', '-f', '-n', '-y', '-q', '-s', '-U0', '-U1', '-C0', '-C1', '-u2', '-Dx'])
        await files.same(['diff', ...(style === '' ? [] : [style]), ...pair.split(' ')])
    }
  })

  test('options of output', async () => {
    await same([
      'diff -U 5 a b',
      'diff --unified=2 a b',
      'diff --context=2 a b',
      'diff --unified a b',
      'diff -1 -u a b',
      'diff -u -12 a b',
      'diff -U1 -5 a b',
      'diff -5 a b',
      'diff -u --label=old --label new a b',
      'diff -u -L old a b',
      'diff -c -L old a b',
      'diff -q -L x a b',
      'diff -t tabs tabs2',
      'diff -T tabs tabs2',
      'diff -ut tabs tabs2',
      'diff -uT tabs tabs2',
      'diff -cT --tabsize=4 -t tabs tabs2',
      'diff -u --suppress-blank-empty blank blank2',
      'diff -uT --suppress-blank-empty blank blank2',
      'diff -c --suppress-blank-empty blank blank2',
      'diff --suppress-blank-empty blank blank2',
      'diff -up c1.c c2.c',
      'diff -p c1.c c2.c',
      'diff -cp c1.c c2.c',
      'diff -u -F ^[0-9] c1.c c2.c',
      'diff -u0 -F [13]$ c1.c c2.c',
      'diff -u a_b a',
      'diff -t cr cr2',
      'diff --color=always a b',
      'diff --color=always -u a b',
      'diff --color=always -c a b',
      'diff --color=always -y a b',
      'diff --color=always short short2',
      'diff --color=always -u short short2',
      'diff --color=always -u --palette=ad=1;33:rs=00 a b',
      'diff --color a b',
      'diff --color=never a b',
    ])
    await files.same(['diff', '-u', 'a b', 'a"c'])
    await same(['diff -c a b', 'diff -u a b'], { env: { LC_ALL: 'C' } })
    await same(['diff -c a b', 'diff -u a b'], { env: { TZ: 'America/New_York' } })
  })

  test('side by side', async () => {
    for (const pair of ['a b', 'b a', 'short short2', 'short2 short', 'tabs tabs2', 'blank blank2', 'cr cr2', 'long1 long2', 'a empty']) {
      for (const style of ['', '-W40', '-W 20', '-W1', '-W7', '-t', '--left-column', '--suppress-common-lines', '-tW33 --tabsize=3', '-b'])
        await same([`diff -y ${style === '' ? '' : `${style} `}${pair}`])
    }
    await same(['diff -y tabs tabs2'], { env: { LC_ALL: 'C' } })
  })

  test('what is ignored', async () => {
    for (const pair of ['space space2', 'blank blank2', 'cr cr2', 'cr cr3', 'a case', 'tabs tabs2', 'short short2', 'blank a']) {
      for (const option of ['-b', '-w', '-E', '-Z', '-EZ', '-i', '-B', '-bB', '-wB', '--strip-trailing-cr', '-It', '-I^t -I^o', '-wiB']) {
        for (const style of ['', '-u ', '-c ', '-e ', '-q ']) await same([`diff ${style}${option} ${pair}`])
      }
    }
  })

  test('binary files', async () => {
    await same([
      'diff bin bin2',
      'diff -a bin bin2',
      'diff -q bin bin2',
      'diff -u bin a',
      'diff bin bin',
      'diff -s bin bin',
      'diff -qi bin bin2',
    ])
  })

  test('merged output', async () => {
    for (const format of [
      ['--old-line-format=-%l\n', '--new-line-format=+%l\n', '--unchanged-line-format= %L'],
      ['--line-format=%3dn:%L'],
      ["--line-format=%-5.3dn|%xn|%05on %Xn%%%c'x'%c'\\101'%q%L"],
      ['--changed-group-format=<%<|%>>', '--unchanged-group-format='],
      ['--changed-group-format=%df,%dl,%dn,%de,%dm %dF,%dL,%dN,%dE,%dM\n', '--unchanged-group-format=%='],
      ['--old-group-format=%(n=1?one:%dn)\n', '--new-group-format=%(N=2?two:%(F=2?F2:%dF))\n'],
      ['--unchanged-group-format=%(f=1?%(l=1?a:b):c%)d)'],
      ['--line-format='],
      ['-D', 'NAME'],
      ['-D', 'NAME', '-i'],
      ['--line-format=a', '--line-format=b'],
    ])
      for (const pair of [
        ['a', 'b'],
        ['short', 'short2'],
        ['a', 'empty'],
      ])
        await files.same(['diff', ...format, ...pair])
  })

  test('directories', async () => {
    await same([
      'diff d1 d2',
      'diff -r d1 d2',
      'diff -ru d1 d2',
      'diff -rq d1 d2',
      'diff -rs d1 d2',
      'diff -rN d1 d2',
      'diff -ruN d1 d2',
      'diff -rP d1 d2',
      'diff -r --unidirectional-new-file d2 d1',
      'diff -N d1 d2',
      'diff -r d1/ d2/',
      'diff d1 d2 -r -u --exclude=*.o -x only*',
      'diff -r -X patterns d1 d2',
      'diff -r -S name d1 d2',
      'diff -r --ignore-file-name-case d1 d2',
      'diff -r --no-dereference d1 d2',
      'diff -u d1/changed d2',
      'diff d1 d2/changed',
      'diff changed d1',
      'diff d1 patterns',
      'diff -r d1 d1',
      'diff -ry d1 d2',
      'diff -re d1 d2',
      'diff -D x d1 d2',
      'diff -r -- d1 d2',
      'diff -r -L x d1 d2',
      'diff -s d1/same d2/same',
      'diff --from-file=a b same empty',
      'diff --to-file a b same empty',
      'diff --from-file=d1 changed',
      'diff -uN a none',
      'diff -uP none a',
      'diff -P a none',
      'diff -N none none2',
    ])
  })

  test('standard input', async () => {
    await same(['diff - a', 'diff a -', 'diff -s - -', 'diff -u -L x -L y a -', 'diff - d1', 'diff -q - a', 'diff -y - a'], {
      stdin: 'one\n2\n',
    })
  })

  test('mistakes', async () => {
    await same([
      'diff',
      'diff a',
      'diff -u a',
      'diff a b same',
      'diff -F [a a b',
      'diff --old a b',
      'diff --ignore a b',
      'diff --f a b',
      'diff a none',
      'diff none none2',
      'diff -u -c a b',
      'diff -e -n a b',
      'diff -W 0 -y a b',
      'diff -W x a b',
      'diff -W 10 -W 12 -y a b',
      'diff --tabsize=0 a b',
      'diff --tabsize=1 --tabsize=2 a b',
      'diff -U x a b',
      'diff -C -1 a b',
      'diff --horizon-lines=x a b',
      'diff -k a b',
      'diff --nothing a b',
      'diff --un a b',
      'diff -L a -L b -L c a b',
      'diff --from-file=a --to-file=b a',
      'diff --color=x a b',
      'diff -I [a a b',
      'diff -X none a b',
      'diff -U a b',
      'diff --label',
      'diff --brief=x a b',
    ])
  })

  test('random files', async () => {
    const random = seeded(11)
    for (let n = 0; n < 12; n++) {
      const entries: Record<string, string> = {}
      const argvs: string[][] = []
      for (let k = 0; k < 6; k++) {
        const words = 1 + random(12)
        const lines = (count: number) => Array.from({ length: count }, () => `${random(words)}`)
        const before = lines(random(40))
        const after = random(3) === 0 ? lines(random(40)) : before.flatMap((line) => edited(line, random, words))
        const end = () => (random(6) === 0 ? '' : '\n')
        entries[`${k}a`] = before.length > 0 ? before.join('\n') + end() : ''
        entries[`${k}b`] = after.length > 0 ? after.join('\n') + end() : ''
        const styles = [[], ['-u'], ['-c'], ['-U0'], ['-e'], ['-n'], ['-y', '-W30'], ['-d'], ['-U1'], ['-H'], ['--horizon-lines=5']]
        for (let m = 0; m < 2; m++) argvs.push(['diff', ...(styles[random(styles.length)] as string[]), `${k}a`, `${k}b`])
        argvs.push(['diff', '-u', '-L', 'x', '-L', 'y', `${k}a`, `${k}b`])
      }
      const pair = new Files(timed(entries))
      for (const argv of argvs) await pair.same(argv)
    }
  })

  test('lines that are like many others', async () => {
    const pair = new Files(timed({ a: '107\n108\n109\n56\n111\n112\n5\n', b: '56\n'.repeat(6) }))
    for (const option of ['-u', '-n', '-d', '-y']) await pair.same(['diff', option, 'a', 'b'])
  })

  test('ignored changes near others', async () => {
    const pair = new Files(timed({ a: '27\n47\n27\n27\n51\n1\n35\n10\n16\n', b: '38\n27\n27\n29\n1\n57\n10\n16\n' }))
    for (const option of ['-C0', '-C1', '-U1', '-u', '-c']) {
      await pair.same(['diff', option, '-I', '[0-3]', 'a', 'b'])
      await pair.same(['diff', option, '-I', '5', 'a', 'b'])
    }
  })

  test('larger files with repeated lines', async () => {
    const random = seeded(5)
    const common = ['', '}', '{', '  return', '  }', 'end', '  else', '  break']
    for (let n = 0; n < 12; n++) {
      const count = 300 + random(2000)
      const line = () => (random(3) === 0 ? (common[random(common.length)] as string) : `line ${random(count)}`)
      const before = Array.from({ length: count }, line)
      const density = 3 + random(60)
      const after = before.flatMap((text) =>
        random(density) > 0 ? [text] : random(3) === 0 ? [] : random(2) === 0 ? [line()] : [text, line(), line()],
      )
      const pair = new Files(timed({ a: `${before.join('\n')}\n`, b: `${after.join('\n')}\n` }))
      for (const argv of [['diff'], ['diff', '-u'], ['diff', '-d'], ['diff', '-H'], ['diff', '-bB'], ['diff', '-U0', '-w']])
        await pair.same([...argv, 'a', 'b'])
    }
  })

  test('files that have little in common', async () => {
    const random = seeded(9)
    const lines = (count: number, kinds: number) => Array.from({ length: count }, () => `${random(kinds)}\n`).join('')
    const pair = new Files(timed({ a: lines(9000, 90), b: lines(9500, 100), c: lines(3000, 2000), d: lines(3000, 2000) }))
    await pair.same(['diff', 'a', 'b'])
    await pair.same(['diff', '-H', 'a', 'b'])
    await pair.same(['diff', 'c', 'd'])
    await pair.same(['diff', '-u', 'c', 'd'])
  })

  test('chunks that come one by one', async () => {
    await same(['diff -u a b', 'diff -r d1 d2', 'diff -y - a'], { slow: true, chunkSize: 3, stdin: 'one\n2\n' })
  })
})

function edited(line: string, random: (below: number) => number, words: number): string[] {
  switch (random(8)) {
    case 0:
      return []
    case 1:
      return [line, `${random(words)}`]
    case 2:
      return [`${random(words)}`]
    default:
      return [line]
  }
}

test('diff describes itself', async () => {
  const files = new Files()
  expect((await files.ours(['diff', '--help'])).stdout).toMatch(/^Usage: diff /)
  expect(await files.ours(['diff', '-v'])).toEqual({ stdout: 'diff (mirage-runtime) 0.1.0\n', stderr: '', status: 0 })
})
