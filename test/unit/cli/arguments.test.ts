import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parseCommandLine } from '../../../platforms/node/cli/arguments.ts'

const settings = { mounts: [], json: false, record: true }

test.each([
  ['', { action: 'interactive', settings }],
  ['-h', { action: 'help' }],
  ['--help sessions', { action: 'help' }],
  ['-V', { action: 'version' }],
  ['--version', { action: 'version' }],
  ['-c ls', { action: 'line', line: 'ls', args: [], settings }],
  ['-cls', { action: 'line', line: 'ls', args: [], settings }],
  ['-c ls name -x --json', { action: 'line', line: 'ls', args: ['name', '-x', '--json'], settings }],
  ['--json -c ls -- -x', { action: 'line', line: 'ls', args: ['-x'], settings: { ...settings, json: true } }],
  ['a.sh -c x', { action: 'script', path: 'a.sh', args: ['-c', 'x'], settings }],
  ['--no-record -- -a.sh', { action: 'script', path: '-a.sh', args: [], settings: { ...settings, record: false } }],
  ['--root=/r --workspace w --session=s --profile p --cwd /c --config f', { action: 'interactive', settings: { ...settings, root: '/r', workspace: 'w', session: 's', profile: 'p', cwd: '/c', config: 'f' } }],
  ['--mount /a=/b --mount=/c/d=e:r', { action: 'interactive', settings: { ...settings, mounts: [{ prefix: '/a', folder: '/b', mode: null }, { prefix: '/c/d', folder: resolve('e'), mode: 'read' }] } }],
  ['--mount /=/x:y:rwx', { action: 'interactive', settings: { ...settings, mounts: [{ prefix: '/', folder: '/x:y', mode: 'exec' }] } }],
  ['--mount /a=/x:y', { action: 'interactive', settings: { ...settings, mounts: [{ prefix: '/a', folder: '/x:y', mode: null }] } }],
  ['sessions --json --root /r', { action: 'sessions', settings: { ...settings, json: true, root: '/r' } }],
  ['--root /r history', { action: 'history', count: null, settings: { ...settings, root: '/r' } }],
  ['history 5 --session s', { action: 'history', count: 5, settings: { ...settings, session: 's' } }],
  ['history --session s 5', { action: 'history', count: 5, settings: { ...settings, session: 's' } }],
])('mirage %s', (line, expected) => {
  expect(parseCommandLine(line === '' ? [] : line.split(' '), true)).toEqual(expected)
}) // biome-ignore format: one case a line

test('without a terminal the script is read from standard input', () => {
  expect(parseCommandLine(['--json'], false)).toEqual({ action: 'stdin', settings: { ...settings, json: true } })
})

test.each([
  ['-c', "option '-c' needs a value"],
  ['--root', "option '--root' needs a value"],
  ['--root=', "option '--root' needs a value that is not empty"],
  ['--json=1', "option '--json' takes no value"],
  ['--sess', "unknown option '--sess' (did you mean '--session'?)"],
  ['--colour', "unknown option '--colour'"],
  ['-x', "unknown option '-x'"],
  ['--mount a', "option '--mount' holds 'a'; it may hold PREFIX=DIR[:mode], such as /code=./src:read"],
  ['--mount a=b', "option '--mount' holds 'a=b'; it may hold PREFIX=DIR[:mode], such as /code=./src:read"],
  ['--mount /a/../b=c', "option '--mount' holds '/a/../b=c'; it may hold PREFIX=DIR[:mode], such as /code=./src:read"],
  ['--mount /a=:r', "option '--mount' holds '/a=:r', which names no folder"],
  ['history x', "history: 'x' is not a number of lines"],
  ['history 1 2', "history: too many operands: '2'"],
  ['sessions x', "sessions: too many operands: 'x'"],
  ['sessions -c x', "option '-c' does not go with sessions"],
])('mirage %s', (line, message) => {
  expect(() => parseCommandLine(line.split(' '), true)).toThrow(message)
})
