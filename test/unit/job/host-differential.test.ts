import { spawnSync } from 'node:child_process'
import * as host from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HostFileSystem } from '../../../platforms/node/host-file-system.ts'
import type { FileSystem } from '../../../src/fs/file-system.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { runAttempt, staged } from './host-attempt.ts'
import { treeState } from './tree-state.ts'

let base: string

beforeEach(() => {
  base = host.mkdtempSync(join(host.realpathSync(tmpdir()), 'mirage-host-diff-'))
})

afterEach(() => {
  host.rmSync(base, { recursive: true, force: true })
})

/** What is there before. */
const START = `
mkdir -p d/e/f empty keep; printf a > a; printf b > b; printf in > d/in; printf deep > d/e/f/deep; printf kept > keep/kept
printf '#!/bin/sh\\necho hi\\n' > run.sh; chmod 755 run.sh; chmod 600 b; chmod 2750 keep
ln -s a l; ln -s d dl; ln -s nowhere dangling; ln -s ../a d/up; ln -s "$PWD/d/in" abs; ln -s /etc/hostname out
printf shared > h1; ln h1 h2; ln h1 d/h3
printf 'not text' > "$(printf 'n\\377me')"; touch -d '2001-02-03 04:05:06.789' a
`

/** What is done to it, each line a case. */
const CASES: readonly string[] = [
  'true',
  'printf x > new; mkdir -p n/m/o; printf y > n/m/o/p; mkdir n/empty; chmod 700 n/m',
  'printf more >> a; printf X > d/in; : > b',
  'rm a b l; rm -r d; rmdir empty',
  'chmod 640 a; chmod 4755 run.sh; chmod 1777 empty; chmod 0 b; chmod 500 d/e',
  'mv a a2; mv d d2; mv keep/kept empty/kept',
  'mv d/e d/e2; printf new > d/e2/f/new; mkdir d/e; printf again > d/e/again',
  'rm -r d; printf file > d',
  'rm a; mkdir a; printf in > a/in',
  'rm -r d; ln -s keep d',
  'rm dl; mkdir dl; printf x > dl/x',
  'ln -sfn b l; rm dangling; ln -s elsewhere dangling; ln -s "$PWD/a" absnew; ln -s "$PWD" top; ln -s / root; mv abs d/abs',
  'printf changed > h1',
  'rm h1',
  'mv h1 t; printf apart > h1; rm t',
  'ln a a2; ln d/in in2; ln h2 h4',
  'printf x > n1; ln n1 n2; mkdir q; ln n1 q/n3; rm n1',
  'sed -i s/shared/edited/ h2; cp -p a acopy; cp -a d dcopy',
  'mv "$(printf "n\\377me")" "$(printf "m\\376")"; printf y > "$(printf "\\303(")"; mkdir "$(printf "d\\377")"; printf z > "$(printf "d\\377/z")"; ln -s "$(printf "t\\377")" "$(printf "l\\377")"',
  'printf tmp > tmp; rm tmp; mkdir t; rmdir t; chmod 700 a; chmod 644 a; mv a z; mv z a; touch b',
  'printf A > aa; mv aa a; mkdir -p x/y; mv b x/y/b; rm -r x',
  'mkfifo fifo; rm fifo; printf x > "with space"; printf x > "new\nline"; printf x > "-dash"',
  'find . -type f -exec sh -c \'printf . >> "$1"\' - {} \\;',
  'cd d/e && printf up > ../../up && rm -r f && cd .. && mv e ../e',
  'tar cf /dev/null . && tar cf t.tar d/e && rm -r d/e && tar xf t.tar && rm t.tar',
  'dd if=/dev/zero of=big bs=1000 count=3000 2>/dev/null; printf x | dd of=big bs=1 seek=5000000 conv=notrunc 2>/dev/null',
  'umask 077; printf x > private; mkdir own; printf y > own/y',
]

/** Runs a line of shell in a folder itself. */
function direct(folder: string, line: string): void {
  const { status, stderr } = spawnSync('/bin/sh', ['-c', line], { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH } })
  expect([status, stderr]).toEqual([0, ''])
}

/** A folder with what is there before. */
function startFolder(name: string): string {
  const folder = startless(name)
  direct(folder, START)
  return folder
}

function startless(name: string): string {
  host.mkdirSync(join(base, name))
  return join(base, name)
}

describe('what a staged command leaves is what it leaves where it runs', () => {
  const uppers: readonly [name: string, upper: () => FileSystem][] = [
    ['memory', () => new RAMFileSystem()],
    ['a folder', () => new HostFileSystem({ root: startless('upper') })],
  ]
  test.each(uppers.flatMap(([name, upper]) => CASES.map((line) => [name, line, upper] as const)))(
    'staged in %s: %s',
    async (name, line, upper) => {
      const plain = startFolder('plain')
      direct(plain, line)
      const folder = startFolder('staged')
      const before = await treeState(new HostFileSystem({ root: folder }))
      const mount = staged(folder, upper())
      const end = await runAttempt(line, new Map([['/', mount]]), { folder: base })
      expect(end).toMatchObject({ exitCode: 0, stderr: '', warnings: [], failure: null })
      // Absolute links that lead into the folder lead into the other one.
      const plainFiles = new HostFileSystem({ root: plain })
      const wanted = await treeState(plainFiles)
      const shown = async (path: string): Promise<string> => {
        const text = await mount.fs.readlink(path)
        return text === folder || text.startsWith(`${folder}/`) ? relativeTo(folder, text, path) : text
      }
      expect(await treeState(mount.fs, shown)).toEqual(wanted)
      expect(await treeState(new HostFileSystem({ root: folder }))).toEqual(before)
      expect(host.readdirSync(base).sort()).toEqual(['plain', 'staged', ...(name === 'memory' ? [] : ['upper'])])
    },
  )

  test('over files in memory, too', async () => {
    const plain = startFolder('plain')
    const files = new RAMFileSystem()
    const first = staged(files)
    await runAttempt(START, new Map([['/', first]]), { folder: base })
    const more = 'printf more >> a; rm -r d/e; mv d q; ln -s a new; chmod 700 b'
    await runAttempt(more, new Map([['/', first]]), { folder: base })
    direct(plain, more)
    const wanted = (await treeState(new HostFileSystem({ root: plain }))).filter((line) => !line.startsWith('/abs '))
    expect((await treeState(first.fs)).filter((line) => !line.startsWith('/abs '))).toEqual(wanted)
    // A link into the copy leads to the same place of the workspace.
    expect(await first.fs.readlink('/abs')).toBe('/d/in')
  })
})

/** As a folder of the host shows it. */
function relativeTo(folder: string, target: string, path: string): string {
  const up = '../'.repeat(path.split('/').length - 2)
  return up + target.slice(folder.length + 1) || '.'
}
