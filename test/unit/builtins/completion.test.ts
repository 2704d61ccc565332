import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RAMFileSystem, Workspace } from '../../../src/index.ts'

const FILES = ['a1', 'a2', 'sp ace', '.hidden', 'd1/x', "it's"]
const folder = mkdtempSync(join(tmpdir(), 'completion-'))
const hasBash = spawnSync('bash', ['--version']).status === 0

beforeAll(() => {
  mkdirSync(join(folder, 'd1'))
  for (const name of FILES) writeFileSync(join(folder, name), '')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function inWorkspace(script: string): Promise<string> {
  const fs = new RAMFileSystem()
  fs.mkdir('/d1')
  for (const name of FILES) fs.write(`/${name}`, new Uint8Array(0))
  const ws = new Workspace({ '/w': fs }, { env: { HOME: '/home' } })
  const { stdoutText } = await ws.shell(`exec 2>&1; ${script}`, { cwd: '/w' })
  await ws.close()
  return stdoutText
}

function inBash(script: string): string {
  // In a function of `bash -c` bash begins its messages with another name.
  const env = { PATH: process.env.PATH ?? '', HOME: '/home', LC_ALL: 'C.UTF-8' }
  return execFileSync('bash', ['--norc', '-c', `exec 2>&1; ${script}`], { env, cwd: folder })
    .toString()
    .replace(/^environment: /gm, 'bash: ')
}

const T = 't() { echo "+ $*"; "$@"; echo "st=$?"; }\n'
const ALL =
  "complete -A arrayvar -A binding -a -b -c -d -e -f -g -j -k -s -u -v -A disabled -A enabled -A function -A helptopic -A hostname -A running -A setopt -A shopt -A signal -A stopped -o bashdefault -o default -o dirnames -o filenames -o noquote -o nosort -o nospace -o plusdirs -G '*.c' -W \"it's\" -P pre -S suf -X '!*.o' -C 'cmd x' -F fun everything"

const scripts: Readonly<Record<string, string>> = {
  'shows what was said': `${T}t complete; t complete -W 'foo bar' cmd; t complete -p; ${ALL}; complete -p everything; t complete -p nope
    complete -D -F dd; complete -E -F ee; complete -I -F ii; t complete -p; t complete -p -D; t complete -r -E; t complete -p; t complete -r nope
    t complete -r cmd; t complete -F f 'a b' x/y ''; t complete -p; t complete -r; t complete -p; t complete -p -D`,
  'refuses what is wrong': `${T}t complete -F; t complete -A foo x; t complete -o bad x; t complete -z; t complete -F f; t complete x; t complete -p x
    t complete -F 'a b' x; t complete -C '' x; t complete -P '' -S '' -X '' -G '' -W '' y; t complete -DE -W x; complete -p
    t compgen -A foo; t compgen -o bad; t compgen -p; t compgen -z; t compgen; t compgen -A; t compgen -F 'a b'`,
  'keeps the order of many': 'for i in {1..700}; do complete -W w c$i; done; complete -p; complete -W again c5; complete -p | grep again',
  'changes options': `${T}complete -W a b; t compopt -o nospace; t compopt -o nospace b; t compopt b; t compopt +o nospace b zz; t compopt b; t compopt -z; t compopt +z
    t compopt -o bad; t compopt -D; complete -D -W x; t compopt -D -o default; t compopt -D; t compopt -o`,
  'lists words': `${T}t compgen -W 'aa ab b' a; t compgen -W 'aa ab b' -- a b; t compgen -W 'aa ab b' z; t compgen -P '[' -S ']' -W 'a b'; t compgen -W '' -- x
    t compgen -X 'a*' -W 'aa ab b'; t compgen -X '!a*' -W 'aa ab b'; t compgen -X '&*' -W 'aa ab b aac' aa; t compgen -X '!&*' -W 'aa ab b aac'
    t compgen -X '@(aa|b)' -W 'aa ab b'; shopt -s extglob
    t compgen -X '@(aa|b)' -W 'aa ab b'; t compgen -X '\\&x' -W '&x y'; shopt -s nocasematch; t compgen -X 'AA' -W 'aa b'`,
  'expands the words': `${T}t compgen -W '"a b" c\\ d $(echo x y) \`echo z\` $((1+2)) \${HOME} '"'\\$q'"' * {1,2}'
    x='p q'; y='*'; t compgen -W '$x "$x" $y \${y}z a~ ~nouser'; a=(1 '2 3'); t compgen -W '"\${a[@]}"'; t compgen -W '\${a[*]}' 2
    t compgen -W 'a;b c|d (e) f&g <h #i {j,k} [l] m!n'; t compgen -W '#c #d'; t compgen -W '\\$x \\~ \\a "a\\"b" '"'a\\"b'"
    t compgen -W '"abc'; t compgen -W "it's"; t compgen -W '~/x ~'; t compgen -W '"q $x" "'"'"'"'; t compgen -W '$( echo ")" )' 
    printf() { echo no; }; t compgen -W '$x'; t compgen -W '$undefined'; t compgen -W '$(exit 3) a'`,
  'splits words at IFS': `${T}IFS=,; compgen -W 'a b,c d\\,e,"f,g",,h'; IFS=':%'; compgen -W 'spam:eggs%ham cheese\\:colon'; x=1:2; compgen -W '$x%"$x"'`,
  'words that cannot be expanded':
    "compgen -W 'a $(( 1 / 0 ))' 2> /dev/null; echo not here\necho st=$?\ncompgen -W '${' 2> /dev/null\necho st=$?",
  'completes paths': `${T}t compgen -f a; t compgen -f ./a; t compgen -f d1/; t compgen -d; t compgen -d s; compgen -f | sort; t compgen -f nowhere/; t compgen -f 'sp a'
    t compgen -o dirnames zz; t compgen -o dirnames; t compgen -o plusdirs -W 'q d2' d; compgen -o default a | sort; t compgen -o bashdefault a; t compgen -G 'd*'
    t compgen -G 'z*'; t compgen -G 'd*' x; t compgen -A directory -W 'd2' d; t compgen -f 'it'; t compgen -f "it'"; t compgen -f 'sp\\ a'; t compgen -W 'it\\ s its' 'it\\ '`,
  'completes names': `${T}alias zz=1 ls=2; lsf() { :; }; declare -A mm; declare un; arr=(1); export vexp=1
    t compgen -a; t compgen -A function; t compgen -A function l; t compgen -v ar; t compgen -v m; t compgen -v un; t compgen -e vex; t compgen -A arrayvar a
    t compgen -k; t compgen -k do; t compgen -A setopt; t compgen -A shopt; t compgen -A signal SIG; t compgen -A signal R; t compgen -b co; t compgen -A disabled
    enable -n cd; t compgen -A disabled; t compgen -A enabled cd; t compgen -A alias -A setopt v; t compgen -A helptopic fal; t compgen -b -a l; t compgen -c whil
    t compgen -c eva; compgen -A command ls | head -2; t compgen -v -W PATX PATX; t compgen -j; t compgen -A running; t compgen -A stopped`,
  'calls functions and commands': `${T}fn() { echo "[$#:$1:$2:$3]" "<$COMP_LINE|$COMP_POINT|\${#COMP_WORDS[@]}|$COMP_CWORD|$COMP_TYPE|$COMP_KEY>"; COMPREPLY=(r1 r2 "r 3"); compopt -o nospace; echo $?; return 3; }
    t compgen -F fn r; declare -p COMPREPLY COMP_LINE COMP_WORDS; t compgen -F nofn r; t compgen -F fn -W 'w1 r9' -X '*9' -P x r
    g() { COMPREPLY=(); }; t compgen -F g; h() { COMPREPLY=one; return 124; }; t compgen -F h; k() { COMPREPLY=($'a\\nb' 'c d' ''); }; t compgen -F k; t compgen -F k -X ''
    s() { unset -v COMPREPLY; COMPREPLY=hello; }; t compgen -F s; l() { local COMPREPLY; COMPREPLY=(x); }; t compgen -F l
    t compgen -C 'printf "%s\\n" p1 p2' p; t compgen -C 'echo "1:$COMP_LINE:$COMP_POINT:$COMP_KEY:$COMP_TYPE"; #' x; f2() { echo foo; echo bar; }; t compgen -C f2 b`,
}

describe.skipIf(!hasBash)('compgen, complete and compopt do what bash does', () => {
  for (const [name, script] of Object.entries(scripts)) {
    it(name, async () => {
      expect(await inWorkspace(script)).toBe(inBash(script))
    })
  }
})

describe('completing a line', () => {
  const complete = async (setUp: string, marked: string): Promise<unknown> => {
    const cursor = marked.indexOf('|')
    const ws = new Workspace({ '/w': new RAMFileSystem() })
    const session = await ws.session('s')
    expect((await session.shell(setUp)).stderrText).toBe('')
    const found = await session.complete(marked.slice(0, cursor) + marked.slice(cursor + 1), cursor)
    const after = await session.shell('echo "$?:$seen:${COMP_LINE+set}"')
    await ws.close()
    return found === null ? null : { ...found, after: after.stdoutText.trim() }
  }
  const F = `_f() { seen="$1,$2,$3,$COMP_LINE,$COMP_POINT,$COMP_CWORD,\${#COMP_WORDS[@]},\${COMP_WORDS[*]},$COMP_TYPE,$COMP_KEY"; COMPREPLY=($(compgen -W 'one two "three four"' -- "$2")); compopt -o nospace; echo noise; }; complete -F _f cmd;`

  it('asks nobody where nothing was said', async () => {
    expect(await complete('true', 'cmd |')).toBe(null)
    expect(await complete('complete -W x other', 'cmd |')).toBe(null)
    expect(await complete('complete -W x cmd', 'cm|')).toBe(null)
  })

  it('gives words of a list', async () => {
    const found = { start: 4, words: ['aa', 'ab'], options: [], after: '0::' }
    expect(await complete("complete -W 'ab aa b' cmd", 'cmd a|')).toEqual(found)
    expect(await complete("complete -W 'ab aa b aa' cmd", 'cmd a| x')).toEqual(found)
    expect(await complete("complete -o nosort -W 'ab aa b' cmd; false", '/bin/cmd |')).toEqual({
      start: 9,
      words: ['ab', 'aa', 'b'],
      options: ['nosort'],
      after: '1::',
    })
  })

  it('calls the function of the command', async () => {
    expect(await complete(`${F} false`, 'cmd x t|')).toEqual({
      start: 6,
      words: ['four', 'three', 'two'],
      options: ['nospace'],
      after: '1:cmd,t,x,cmd x t,7,2,3,cmd x t,9,9:',
    })
    expect(await complete(F, 'ls; A=1 cmd |')).toMatchObject({ start: 12, after: '0:cmd,,cmd,ls; A=1 cmd ,12,1,2,cmd ,9,9:' })
    expect(await complete(F, 'ä=1; cmd --a=o|')).toMatchObject({ start: 13, words: ['one'] })
    expect(await complete(F, 'cmd --a=o|')).toMatchObject({ start: 8, after: '0:cmd,o,=,cmd --a=o,9,3,4,cmd --a = o,9,9:' })
    expect(await complete(F, 'if cmd "o|')).toMatchObject({ start: 7, words: ['one'] })
  })

  it('looks again where a function loads the specification', async () => {
    const load = '_load() { complete -W \'loaded\' "$1"; return 124; }; complete -D -F _load'
    expect(await complete(load, 'anything |')).toMatchObject({ start: 9, words: ['loaded'] })
    expect(await complete('_load() { return 124; }; complete -D -F _load', 'anything |')).toMatchObject({ words: [] })
  })

  it('completes commands and empty lines where that was asked for', async () => {
    expect(await complete("complete -I -W 'first'", 'f|')).toMatchObject({ start: 0, words: ['first'] })
    expect(await complete("complete -E -W 'empty'", '|')).toMatchObject({ start: 0, words: ['empty'] })
    expect(await complete("complete -E -W 'empty'", 'ls; |')).toMatchObject({ start: 4, words: ['empty'] })
  })

  it('ends with its signal', async () => {
    const ws = new Workspace()
    const session = await ws.session('s')
    await session.shell('loop() { while :; do :; done; }; complete -F loop cmd')
    const controller = new AbortController()
    const completing = session.complete('cmd ', 4, controller.signal)
    setTimeout(() => controller.abort(), 20)
    expect(await completing).toBe(null)
    expect((await session.shell('echo on')).stdoutText).toBe('on\n')
    await ws.close()
  })

  it('does not end the shell', async () => {
    expect(await complete("trap 'seen=trapped' EXIT; seen=; complete -W x cmd", 'cmd |')).toMatchObject({ words: ['x'] })
    expect(await complete('complete -F gone cmd', 'cmd |')).toMatchObject({ words: [], options: [] })
  })
})
