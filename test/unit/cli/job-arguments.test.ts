import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseCommandLine } from '../../../platforms/node/cli/arguments.ts'
import { duration } from '../../../platforms/node/cli/duration.ts'
import { parseJobArguments, wordHelp } from '../../../platforms/node/cli/job-arguments.ts'
import { WORDS } from '../../../platforms/node/cli/job-words.ts'
import { runRequest } from '../../../platforms/node/cli/run-request.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'job-arguments-')))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const parse = (line: string): ReturnType<typeof parseJobArguments> => parseJobArguments(line.split(' '))

describe('which lines are about Jobs', () => {
  test.each([
    ['run -- a', ['run', '--', 'a']],
    ['status x --json', ['status', 'x', '--json']],
    ['--name n --config f -- a -b', ['run', '--name', 'n', '--config', 'f', '--', 'a', '-b']],
    ['--stage=d -- a', ['run', '--stage=d', '--', 'a']],
  ])('mirage %s', (line, argv) => {
    expect(parseCommandLine(line.split(' '), true)).toEqual({ action: 'job', argv })
  })

  test.each([
    ['-- run', 'script'],
    ['./run', 'script'],
    ['-c run', 'line'],
    ['--json history', 'history'],
  ])('mirage %s is not', (line, action) => {
    expect(parseCommandLine(line.split(' '), true)).toMatchObject({ action })
  })

  test('options of a workspace say nothing to a Job', () => {
    expect(() => parseCommandLine(['--root', 'r', 'status'], true)).toThrow(
      "option '--root' does not go with status: the options of status come after it",
    )
  })
})

describe('words and options', () => {
  test('are read in any order, the command behind --', () => {
    const given = parse('run --access a:deny --stage=/s -cx --access b:deny --clear-access -- --name x')
    expect(given.texts('access')).toEqual(['a:deny', 'b:deny'])
    expect(given.text('stage')).toBe('/s')
    expect(given.text('command')).toBe('x')
    expect(given.text('name')).toBeUndefined()
    expect(given.flag('clear-access')).toBe(true)
    expect(given.command).toEqual(['--name', 'x'])
    expect(parse('status --json a').operands).toEqual(['a'])
    expect(parse('status a -o /r').text('output-dir')).toBe('/r')
  })

  test.each([
    ['kill', 'kill needs a JOB; usage: mirage kill JOB [OPTION…]'],
    ['kill a b', "kill: too many operands: 'b'; usage: mirage kill JOB [OPTION…]"],
    ['run make', "run: too many operands: 'make'; a command comes after '--'; usage: mirage run [OPTION…] -- COMMAND [ARG…]"],
    ['run --', "run: no command follows '--'; usage: mirage run [OPTION…] -- COMMAND [ARG…]"],
    ['kill a -- b', 'kill takes no command; usage: mirage kill JOB [OPTION…]'],
    ['status --jso', "unknown option '--jso' of status (did you mean '--json'?)"],
    ['status --json=1', "option '--json' takes no value"],
    ['run --name', "option '--name' needs a value: NAME"],
  ])('mirage %s', (line, message) => {
    expect(() => parse(line)).toThrow(expect.objectContaining({ name: 'UsageError', message }))
  })

  test.each(['--safe', '--strict', '--overlaynet=auto', '--overlaynet-deny-all', '--memory=1g', '--ask'])('%s is refused', (option) => {
    expect(() => parse(`run ${option} -- x`)).toThrow(expect.objectContaining({ code: 'CAPABILITY_UNSUPPORTED' }))
  })

  test('each word has its help', () => {
    for (const word of WORDS) {
      expect(parse(`${word.name} --help`).help).toBe(true)
      const help = wordHelp(word)
      for (const { name } of word.options) expect(help).toContain(`--${name}`)
      expect(help.split('\n').filter((line) => line.length > 160)).toEqual([])
    }
  })
})

test.each([
  ['100ms', 100],
  ['30s', 30_000],
  ['1.5m', 90_000],
  ['1h', 3_600_000],
])('%s', (text, ms) => {
  expect(duration(text, 'timeout')).toBe(ms)
})

test.each(['', '5', 's', '-1s', '1d', '1 s', '1e3s'])('%j is no time', (text) => {
  expect(() => duration(text, 'timeout')).toThrow(`timeout holds '${text}'; it may hold a time such as 100ms, 30s, 2m or 1h`)
})

describe('what run is to do', () => {
  const request = (...argv: string[]): ReturnType<typeof runRequest> => runRequest(parseJobArguments(['run', ...argv]))

  test('says the command line over the configuration, whose folders are meant from its own', async () => {
    const path = join(folder, 'task.toml')
    mkdirSync(join(folder, 'ws'))
    mkdirSync(join(folder, 'lib'))
    writeFileSync(
      path,
      `name = "task"
[run]
command = ["make", "all"]
timeout = "2m"
stage = "stage"
workspace = "ws"
stdio = "capture"
access = ["secret.txt:deny"]
pass_env = ["CI"]
`,
    )
    const mount = `${folder}/lib:/lib:read`
    expect(await request('--config', path, '--mount', mount)).toEqual({
      command: ['make', 'all'],
      executor: 'host',
      workspace: {
        schema_version: 1,
        root: join(folder, 'ws'),
        directory: '/',
        mounts: [{ prefix: '/lib', folder: join(folder, 'lib'), mode: 'read' }],
        pass_env: ['CI'],
        private_tmp: false,
      },
      stage: join(folder, 'stage'),
      name: 'task',
      timeoutMs: 120_000,
      access: ['secret.txt:deny'],
      stdio: 'capture',
    })
    const over = [
      '--name',
      'mine',
      '--timeout',
      '1s',
      '--clear-access',
      '--access',
      'x:deny',
      '--executor',
      'machine',
      '--stdio',
      'inherit',
    ]
    expect(await request('--config', path, ...over, '--', 'true')).toMatchObject({
      command: ['true'],
      executor: 'machine',
      name: 'mine',
      timeoutMs: 1000,
      access: ['x:deny'],
      stdio: 'inherit',
    })
    expect(await request('--config', path, '-c', 'a | b')).toMatchObject({ command: 'a | b' })
  })

  test.each([
    ['a = 1', /: a is not known; it may be stage, name, /],
    ['name = 1', /: name holds 1; it may hold a text$/],
    ['run = 1', /: run holds 1; it may hold a table, \[run\]$/],
    ['name = "a"\n[run]\nname = "b"', /: run\.name is given twice/],
    ['access = "a:deny"', /: access holds "a:deny"; it may hold a list of texts$/],
    ['command = []', /: command holds no command$/],
    ['x = [', /: line 1, column \d+: /],
    ['[overlaynet]\nmode = "off"', /overlaynet: nothing here stands between/],
  ])('refuses a configuration with %j', async (toml, message) => {
    const path = join(folder, 'bad.toml')
    writeFileSync(path, toml)
    await expect(request('--config', path, '--', 'true')).rejects.toThrow(message)
  })

  test('refuses what can not be', async () => {
    const refused = async (message: string, ...argv: string[]): Promise<void> => {
      await expect(request(...argv, '--', 'true')).rejects.toThrow(message)
    }
    mkdirSync(join(folder, 'full/of'), { recursive: true })
    await refused('executor vm: there are no virtual machines or containers here', '--executor', 'vm')
    await refused("executor holds 'x'; it may hold host or machine", '--executor', 'x')
    await refused("stdio holds 'tty'; it may hold inherit or capture", '--stdio', 'tty')
    await refused(`the workspace: there is no folder ${folder}/none`, '--workspace', join(folder, 'none'))
    await refused('suspend-after: a process of the host can not be suspended', '--suspend-after', '1s')
    await refused('lie in each other', '--workspace', folder, '--stage', join(folder, 'inside/deep'))
    await refused('is not empty: choose a folder that is new', '--workspace', join(folder, 'ws'), '--stage', join(folder, 'full'))
    await refused('a folder can be staged only where the Job is', '--mount', `${folder}:/m:stage`)
    await refused("its mode holds 'rw'; it may hold read or stage or write", '--mount', `${folder}:/m:rw`)
    await refused("pass-env holds 'a b'", '--pass-env', 'a b')
    await refused("run: give either a line with -c or a command after '--'", '-c', 'x')
    await expect(request()).rejects.toThrow('run needs a command; usage: mirage run')
  })
})
