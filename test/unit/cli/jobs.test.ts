import { execFile, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

// What runs is the built program: `npm run build` first.

const program = resolve('dist/platforms/node/cli.js')
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cli-jobs-')))
const LONG = 120_000
let count = 0

beforeAll(() => {
  if (!existsSync(program)) throw new Error('nothing is built: npm run build')
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Ended {
  readonly stdout: string
  readonly stderr: string
  readonly status: number | null
}

/** A folder to work on, a place for Jobs, and the program in that folder. */
class Place {
  readonly root: string = join(folder, `place-${count++}`)
  readonly ws: string = join(this.root, 'ws')
  readonly runs: string = join(this.root, 'runs')
  readonly stage: string = join(this.root, 'stage')
  readonly env: Readonly<Record<string, string | undefined>> = { ...process.env, HOME: this.root, MIRAGE_RUN_HOME: this.runs, NAME: 'v' }

  constructor(files: Readonly<Record<string, string>> = {}) {
    mkdirSync(this.ws, { recursive: true })
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.ws, name), text)
  }

  mirage(...args: readonly string[]): Promise<Ended> {
    return new Promise((done) => {
      const child = execFile(process.execPath, [program, ...args], { cwd: this.ws, env: this.env }, (error, stdout, stderr) =>
        done({ stdout, stderr, status: error === null ? 0 : typeof error.code === 'number' ? error.code : null }),
      )
      child.stdin?.end()
    })
  }

  async ok(...args: readonly string[]): Promise<string> {
    const { stdout, stderr, status } = await this.mirage(...args)
    expect({ args, stderr, status }).toEqual({ args, stderr: '', status: 0 })
    return stdout
  }

  async json(...args: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
    return JSON.parse(await this.ok(...args, '--json'))
  }

  /** Refused, with a message. */
  async no(message: string | RegExp, ...args: readonly string[]): Promise<void> {
    const { stdout, stderr, status } = await this.mirage(...args)
    expect(stderr).toMatch(message)
    expect({ args, stdout, status }).toEqual({ args, stdout: '', status: 1 })
  }

  read(name: string): string {
    return readFileSync(join(this.ws, name), 'utf8')
  }

  /** Names in the folder, sorted. */
  names(): readonly string[] {
    return readdirSync(this.ws).sort()
  }
}

const sh = (script: string): readonly string[] => ['--', '/bin/sh', '-c', script]
const changes = ({ filesystem }: Readonly<Record<string, unknown>>): readonly string[] =>
  (filesystem as { readonly changes: readonly { readonly kind: string; readonly path: string }[] }).changes.map(
    ({ kind, path }) => `${kind} ${path}`,
  )

describe('a Job that is not staged', () => {
  test.concurrent('changes the folder at once, and has the status and the streams of its command', { timeout: LONG }, async () => {
    const at = new Place({ in: 'text' })
    expect(await at.mirage('run', '--name', 'hello', ...sh('cat in; cat in >&2; printf hi > out; exit 7'))).toEqual({
      stdout: 'text',
      stderr: 'text',
      status: 7,
    })
    expect(at.read('out')).toBe('hi')
    const { run, filesystem, live } = await at.json('status')
    expect(run).toMatchObject({
      state: 'failed',
      name: 'hello',
      overlay: null,
      workspace: at.ws,
      storage: expect.stringMatching(/runs.run-/),
    })
    expect({ filesystem, live }).toEqual({ filesystem: null, live: false })
    expect(await at.ok('jobs')).toMatch(/^JOB .*\nrun-[0-9a-f-]{36} {2}failed {2}.* hello {2}\/bin\/sh -c 'cat in/)
    expect(await at.ok('--name', 'two', '--stdio', 'capture', ...sh('echo kept'))).toMatch(/^Job run-[0-9a-f-]{36}: completed\n$/)
    const review = await at.json('review', 'last')
    expect(review.run).toMatchObject({ name: 'two', exit_code: 0, output: { stdout: 'kept\n', stderr: '', stdout_truncated: false } })
    expect(await at.mirage('run', '--', './nothing')).toEqual({
      stdout: '',
      stderr: 'mirage: ./nothing: No such file or directory\n',
      status: 1,
    })
    expect(await at.mirage('run', ...sh('kill -9 $$'))).toEqual({ stdout: '', stderr: 'mirage: ended by SIGKILL\n', status: 1 })
    await at.no(/has no stage/, 'apply', 'last')
    await at.no(/has no stage/, 'drop', 'last')
  })

  test.concurrent('ends at its time limit, or when it is told to', { timeout: LONG }, async () => {
    const at = new Place()
    expect(await at.mirage('run', '--timeout', '100ms', ...sh('sleep 30'))).toEqual({
      stdout: '',
      stderr: 'mirage: still running after 100 ms\n',
      status: 1,
    })
    expect((await at.json('review', 'last')).run).toMatchObject({
      state: 'failed',
      exit_code: null,
      failure: { kind: 'deadline_exceeded' },
    })
    const child = spawn(process.execPath, [program, 'run', ...sh('echo started; sleep 30')], { cwd: at.ws, env: at.env })
    child.stdout.once('data', () => child.kill('SIGINT'))
    expect(await new Promise((done) => child.on('close', done))).toBe(130)
    expect((await at.json('status')).run).toMatchObject({ state: 'cancelled' })
  })
})

describe('a staged Job', () => {
  test.concurrent('is looked at, applied in parts, and dropped', { timeout: LONG }, async () => {
    const at = new Place({ 'report.txt': 'original', 'old.txt': 'old' })
    await at.ok('run', '--stage', at.stage, ...sh('printf proposal > report.txt; rm old.txt; mkdir new; echo x > new/file'))
    expect(at.names()).toEqual(['old.txt', 'report.txt'])
    expect(at.read('report.txt')).toBe('original')
    expect(await at.ok('inspect', at.stage, '--', 'cat', 'report.txt')).toBe('proposal')
    expect(await at.mirage('inspect', at.stage, ...sh('ls; echo y > report.txt; exit 3'))).toMatchObject({ status: 3 })
    await at.no(/^mirage: nothing: No such file or directory\n$/, 'inspect', at.stage, '--', 'nothing')
    expect(changes(await at.json('review', at.stage))).toEqual(['added new', 'added new/file', 'deleted old.txt', 'modified report.txt'])
    const text = await at.ok('review', at.stage, '--diff')
    expect(text).toContain(`changes to ${at.ws}: 2 added, 1 modified, 1 deleted\n  A  new  (directory)\n  A  new/file  (2 bytes)\n`)
    expect(text).toContain('--- a/report.txt\n+++ b/report.txt\n@@ -1 +1 @@\n-original\n')
    expect(await at.ok('apply', at.stage, '--path', 'new/file')).toMatch(
      new RegExp(`^2 changes were made in ${at.ws} \\(apply [0-9a-f-]{36}\\); 2 left on the stage\n$`),
    )
    expect(at.names()).toEqual(['new', 'old.txt', 'report.txt'])
    expect(await at.ok('apply', at.stage, '--include', '*.txt', '--exclude', 'old*')).toMatch(/^1 change was made/)
    expect(at.read('report.txt')).toBe('proposal')
    const { workspace_generation, filesystem, apply_history } = await at.json('status', at.stage)
    expect({ workspace_generation, filesystem }).toMatchObject({ workspace_generation: 2, filesystem: { whiteouts: 1, changed_files: 0 } })
    expect(apply_history).toHaveLength(2)
    expect(await at.ok('drop', at.stage)).toMatch(/^the stage of Job run-.* is dropped; its record is kept\n$/)
    expect(await at.ok('drop', at.stage)).toMatch(/was dropped before\n$/)
    expect(changes(await at.json('review', at.stage))).toEqual([])
    await at.no(/was dropped: there is nothing to apply/, 'apply', at.stage)
    expect(at.names()).toEqual(['new', 'old.txt', 'report.txt'])
  })

  test.concurrent('writes over nobody, and can be applied elsewhere', { timeout: LONG }, async () => {
    const at = new Place({ a: 'base', b: 'base' })
    await at.ok('run', '--stage', at.stage, ...sh('printf agent > a; printf agent > b'))
    writeFileSync(join(at.ws, 'a'), 'human')
    await at.no(
      /the target changed after staging, and what others wrote is not overwritten: 'a'; nothing was applied/,
      'apply',
      at.stage,
      '--all',
    )
    expect([at.read('a'), at.read('b')]).toEqual(['human', 'base'])
    expect(await at.ok('inspect', at.stage, '--', 'cat', 'a')).toBe('agent')
    const other = join(at.root, 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'a'), 'base')
    writeFileSync(join(other, 'b'), 'base')
    expect(await at.ok('apply', at.stage, '--target', other)).toContain(`2 changes were made in ${other}`)
    expect(readFileSync(join(other, 'a'), 'utf8')).toBe('agent')
    expect(at.read('b')).toBe('base')
  })

  test.concurrent('keeps denied paths from the command, and leaves them as they are', { timeout: LONG }, async () => {
    const at = new Place({ 'secret.txt': 'secret', other: 'a' })
    const { stdout, status } = await at.mirage(
      'run',
      '--access',
      'secret.txt:deny',
      '--stage',
      at.stage,
      ...sh('cat secret.txt; echo b > other'),
    )
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 })
    const review = await at.json('review', at.stage)
    expect(changes(review)).toEqual(['modified other'])
    expect(review.filesystem).toMatchObject({ access_policy: ['secret.txt:deny'], upper: join(at.stage, 'upper'), target: at.ws })
    expect(await at.ok('review', at.stage)).toMatch(/^access: +secret\.txt:deny$/m)
    await at.ok('apply', at.stage)
    expect([at.read('secret.txt'), at.read('other')]).toEqual(['secret', 'b\n'])
  })

  test.concurrent('that runs is stopped before anything is decided', { timeout: LONG }, async () => {
    const at = new Place()
    const child = spawn(
      process.execPath,
      [program, 'run', '--stage', at.stage, ...sh('echo x > started; echo up; while :; do sleep 0.1; done')],
      {
        cwd: at.ws,
        env: at.env,
      },
    )
    const ended = new Promise((done) => child.on('close', done))
    await new Promise((done) => child.stdout.once('data', done))
    expect(await at.json('status', at.stage)).toMatchObject({ live: true, run: { state: 'running' } })
    await at.no(/^mirage: JOB_BUSY: /, 'apply', at.stage)
    expect(await at.json('kill', at.stage)).toMatchObject({ operation: 'kill', state: 'stopping', termination_requested: true })
    expect(await ended).toBe(130)
    expect(await at.json('status', at.stage)).toMatchObject({ live: false, run: { state: 'cancelled' } })
    expect(await at.json('kill', at.stage)).toMatchObject({ state: 'cancelled', already_stopped: true })
    expect(at.names()).toEqual([])
    expect(changes(await at.json('review', at.stage))).toEqual(['added started'])
  })

  test.concurrent('whose runner was killed says so, and is settled by kill', { timeout: LONG }, async () => {
    const at = new Place()
    const child = spawn(
      process.execPath,
      [program, 'run', '--executor', 'machine', '--stage', at.stage, '-c', 'echo x > a; echo up; sleep 60'],
      {
        cwd: at.ws,
        env: at.env,
      },
    )
    await new Promise((done) => child.stdout.once('data', done))
    const gone = new Promise((done) => child.on('close', done))
    child.kill('SIGKILL')
    await gone
    expect(await at.ok('status', at.stage)).toMatch(/^state: +stale: /m)
    await at.no(/^mirage: EXECUTION_UNKNOWN: /, 'apply', at.stage)
    await at.no(/^mirage: EXECUTION_UNKNOWN: /, 'checkpoint', 'create', at.stage)
    expect(await at.ok('kill', at.stage)).toMatch(/is over: terminated\n$/)
    expect(changes(await at.json('review', at.stage))).toEqual(['added a'])
    expect(readdirSync(at.stage).filter((name) => name.startsWith('work-'))).toEqual([])
    await at.ok('apply', at.stage)
    expect(at.read('a')).toBe('x\n')
  })
})

test('a command that is run at a terminal has it', { timeout: LONG }, async () => {
  const at = new Place()
  const script = 'test -t 0 && test -t 1 && test -t 2 && stty size && read x && echo "<$x>" && echo "$x" > typed'
  const driver = [resolve('test/unit/cli/pty-drive.py'), '80', '24', process.execPath, program, 'run', '--stage', at.stage, ...sh(script)]
  const steps = [{ expect: '24 80' }, { send: 'hello\r' }, { expect: '<hello>' }, { expect: 'are staged' }]
  const { stdout } = spawnSync('python3', driver, { cwd: at.ws, env: at.env, input: JSON.stringify(steps), encoding: 'utf8' })
  expect(JSON.parse(stdout)).toMatchObject({ failed: null })
  expect(await at.ok('inspect', at.stage, '--', 'cat', 'typed')).toBe('hello\n')
})

test.runIf(process.platform === 'linux')('what a killed runner left running is ended by kill', { timeout: LONG }, async () => {
  const at = new Place()
  const script = "trap '' HUP; setsid sh -c 'sleep 600' & echo $$; sleep 600"
  const child = spawn(process.execPath, [program, 'run', ...sh(script)], { cwd: at.ws, env: at.env })
  const pid = Number(await new Promise((done) => child.stdout.once('data', done)))
  const gone = new Promise((done) => child.on('close', done))
  child.kill('SIGKILL')
  child.stdout.destroy()
  await gone
  const { run_id: id } = (await at.json('status')).run as { readonly run_id: string }
  const left = (): number => processEnvironments().filter((variables) => variables.includes(`MIRAGE_JOB_ID=${id}`)).length
  expect(existsSync(`/proc/${pid}`)).toBe(true)
  expect(left()).toBeGreaterThanOrEqual(2)
  expect(await at.ok('kill', 'last')).toMatch(/is over: terminated\n$/)
  expect(left()).toBe(0)
})

describe('checkpoints and forks', () => {
  test.concurrent('one request makes one checkpoint, which outlives what becomes of the stage', { timeout: LONG }, async () => {
    const at = new Place()
    await at.ok('run', '--stage', at.stage, ...sh('printf a > report.txt'))
    const first = await at.json('checkpoint', 'create', at.stage, '--request-id', 'save-1')
    const again = await at.json('checkpoint', 'create', at.stage, '--request-id', 'save-1')
    const id = String(first.checkpoint_id)
    expect([first.reused, again.reused, again.checkpoint_id]).toEqual([false, true, id])
    await at.no(
      /^mirage: CAPABILITY_UNSUPPORTED: Job run-/,
      'checkpoint',
      'create',
      at.stage,
      '--request-id',
      'save-1',
      '--kind',
      'execution',
    )
    expect((await at.json('checkpoint', 'list', at.stage)).checkpoints).toHaveLength(1)
    expect(await at.ok('checkpoint', 'list', at.stage)).toMatch(new RegExp(`^CHECKPOINT .*\n${id}  workspace  `))
    await at.ok('apply', at.stage)
    expect(changes(await at.json('review', at.stage))).toEqual([])
    expect(changes(await at.json('review', at.stage, '--checkpoint', id))).toEqual(['added report.txt'])
    expect(await at.ok('inspect', at.stage, '--checkpoint', id.slice(0, 16), '--', 'cat', 'report.txt')).toBe('a')
    await at.no(/was applied: there is nothing to drop/, 'drop', at.stage)
    expect(await at.ok('apply', at.stage, '--path', 'x')).toMatch(/is already applied/)
    expect(await at.json('checkpoint', 'show', at.stage, id)).toMatchObject({ kind: 'workspace', branch_references: 0 })
    expect(await at.json('checkpoint', 'gc', at.stage)).toMatchObject({ removed_transactions: 0, published_checkpoints_deleted: 0 })
    expect(await at.ok('checkpoint', 'delete', at.stage, id)).toBe(`${id} is deleted\n`)
    await at.no(/already committed/, 'checkpoint', 'create', at.stage, '--request-id', 'save-1')
  })

  test.concurrent('two forks know nothing of each other, and keep their checkpoint', { timeout: LONG }, async () => {
    const at = new Place()
    await at.ok('run', '--stage', at.stage, ...sh('printf seed > report.txt'))
    const id = String((await at.json('checkpoint', 'create', at.stage)).checkpoint_id)
    const [left, right] = [join(at.root, 'left'), join(at.root, 'right')]
    const forked = (stage: string, word: string): readonly string[] => [
      'fork',
      at.stage,
      '--checkpoint',
      id,
      '--stage',
      stage,
      ...sh(`printf "%s-${word}" "$(cat report.txt)" > report.txt`),
    ]
    await at.ok(...forked(left, 'left'))
    await at.ok(...forked(right, 'right'))
    const shown = (stage: string): Promise<string> => at.ok('inspect', stage, '--', 'cat', 'report.txt')
    expect([await shown(left), await shown(right), await shown(at.stage)]).toEqual(['seed-left', 'seed-right', 'seed'])
    expect(at.names()).toEqual([])
    expect(await at.json('checkpoint', 'show', at.stage, id)).toMatchObject({ branch_references: 2 })
    await at.no(/^mirage: CHECKPOINT_REFERENCED: /, 'checkpoint', 'delete', at.stage, id)
    expect((await at.json('status', left)).run).toMatchObject({ lineage: { checkpoint_id: id } })
    await at.ok('apply', left)
    await at.no(/the target changed after staging/, 'apply', right)
    expect(at.read('report.txt')).toBe('seed-left')
    // The same command again, in the run home.
    expect(await at.ok('fork', at.stage, '--stdio', 'capture')).toMatch(/^Job run-[0-9a-f-]{36}: completed; /)
  })

  test.concurrent('what needs a saved execution is refused for a process of the host, and nothing is touched', {
    timeout: LONG,
  }, async () => {
    const at = new Place()
    await at.ok('run', '--stage', at.stage, ...sh('printf proposal > report.txt'))
    expect((await at.json('status', at.stage)).checkpoint_capability).toMatchObject({ workspace: true, execution: false })
    const before = tree(at.root)
    for (const line of [
      ['checkpoint', 'create', at.stage, '--kind', 'execution'],
      ['suspend', at.stage],
      ['resume', at.stage],
      ['fork', at.stage, '--state', 'execution'],
    ])
      await at.no(/^mirage: CAPABILITY_UNSUPPORTED: Job run-[0-9a-f-]{36}: /, ...line)
    expect(tree(at.root)).toEqual(before)
  })
})

describe('the machine', () => {
  test.concurrent('runs on the folder, with what it is given', { timeout: LONG }, async () => {
    const at = new Place({ in: 'b\na\n', 'secret.txt': 'hidden' })
    mkdirSync(join(at.root, 'lib'))
    writeFileSync(join(at.root, 'lib/x'), 'of lib\n')
    const line = 'sort in > /tmp/t; cat /tmp/t > out; echo "$NAME:$HOME:$PWD"; cat /lib/x; echo no > /lib/y; cat secret.txt; pwd'
    const given = ['--executor', 'machine', '--pass-env', 'NAME', '--mount', '../lib:read', '--access', 'secret.txt:deny']
    const { stdout, status, stderr } = await at.mirage('run', ...given, '--stage', at.stage, '-c', line)
    expect({ stdout, status }).toEqual({ stdout: 'v:/:/\nof lib\n/\n', status: 0 })
    expect(stderr).toContain('/lib/y: Read-only file system')
    expect(stderr).toContain('secret.txt: Permission denied')
    expect(at.names()).toEqual(['in', 'secret.txt'])
    expect(changes(await at.json('review', at.stage))).toEqual(['added out'])
    expect(await at.ok('inspect', at.stage, '--', 'cat', 'out', '/lib/x')).toBe('a\nb\nof lib\n')
    expect(readdirSync(at.stage).filter((name) => name === 'tmp' || name.startsWith('work-'))).toEqual([])
    expect((await at.json('review', at.stage)).safety).toMatchObject({ network_non_bypassable: true, filesystem_non_bypassable: true })
  })
})

describe('a running script of the machine', () => {
  const script = 'echo $$ > /tmp/kept; for i in 1 2 3 4 5 6; do echo $i; echo $i >> log; sleep 0.3; done; cat /tmp/kept | wc -l; exit 4'

  test.concurrent('is suspended by one process, forked and resumed by others, and goes on where it was', { timeout: LONG }, async () => {
    const at = new Place()
    const child = spawn(process.execPath, [program, 'run', '--executor', 'machine', '--stage', at.stage, '-c', script], {
      cwd: at.ws,
      env: at.env,
    })
    let said = ''
    const ended = new Promise((done) => child.on('close', done))
    await new Promise((done) => {
      child.stdout.on('data', (chunk) => {
        said += chunk
        if (said.includes('2')) done(null)
      })
    })
    const suspended = await at.json('suspend', at.stage, '--request-id', 'stop', '--timeout', '1m')
    expect(suspended).toMatchObject({ operation: 'suspend', state: 'suspended', request_id: 'stop', kind: 'execution' })
    expect(await ended).toBe(75)
    expect(await at.json('status', at.stage)).toMatchObject({
      live: false,
      run: { state: 'suspended' },
      checkpoint_capability: { execution: true, execution_blocker: null },
    })
    await at.no(/^mirage: JOB_BUSY: .* is suspended/, 'apply', at.stage)
    expect((await at.ok('inspect', at.stage, '--', 'cat', 'log')).length).toBe(said.length)

    const fork = join(at.root, 'fork')
    const forked = await at.mirage('fork', at.stage, '--state', 'execution', '--stage', fork, '--request-id', 'twin')
    expect(forked).toEqual({ stdout: `1\n2\n3\n4\n5\n6\n1\n`.slice(said.length), stderr: '', status: 4 })
    expect(await at.ok('fork', at.stage, '--state', 'execution', '--request-id', 'twin')).toMatch(/was forked by that request before/)
    const resumed = await at.mirage('resume', at.stage)
    expect(resumed).toEqual(forked)
    for (const stage of [fork, at.stage]) expect(await at.ok('inspect', stage, '--', 'cat', 'log')).toBe('1\n2\n3\n4\n5\n6\n')
    expect(changes(await at.json('review', fork))).toEqual(['added log'])
    const { run, live } = await at.json('status', at.stage)
    expect({ run, live }).toMatchObject({ live: false, run: { state: 'failed' } })
    expect((await at.json('review', at.stage)).run).toMatchObject({ exit_code: 4 })
    await at.no(/only a suspended one can go on/, 'resume', at.stage)
    expect(readdirSync(at.stage).filter((name) => name === 'tmp' || name.startsWith('work-'))).toEqual([])
    expect(at.names()).toEqual([])
  })

  test.concurrent('suspends itself, and what it was doing can be given up', { timeout: LONG }, async () => {
    const at = new Place()
    const { stdout, status, stderr } = await at.mirage(
      ...'run --executor machine --suspend-after 300ms -c'.split(' '),
      'echo on; sleep 60; echo off',
    )
    expect({ stdout, status }).toEqual({ stdout: 'on\n', status: 75 })
    expect(stderr).toMatch(/^mirage: Job run-.* is suspended: mirage resume .* goes on with it\n$/)
    expect(await at.json('kill', 'last')).toMatchObject({ state: 'terminated', suspended_head_released: true })
    expect(await at.json('status', 'last')).toMatchObject({ run: { state: 'terminated' } })
  })
})

describe('other folders', () => {
  test.concurrent('are read, staged, or written to at once', { timeout: LONG }, async () => {
    const at = new Place({ own: 'own\n' })
    for (const name of ['lib', 'data', 'log']) {
      mkdirSync(join(at.root, name))
      writeFileSync(join(at.root, name, 'x'), name)
    }
    const shown = (name: string): string => readFileSync(join(at.root, name, 'x'), 'utf8')
    const given = ['--mount', '../lib:read', '--mount', '../data:/in/data:stage', '--mount', '../log:log:write']
    for (const executor of ['host', 'machine']) {
      const stage = join(at.root, `stage-${executor}`)
      await at.ok(
        'run',
        '--executor',
        executor,
        '--stage',
        stage,
        ...given,
        ...sh(`cat lib/x; printf ${executor} | tee own in/data/x > log/x`),
      )
      expect([at.read('own'), shown('data'), shown('log'), shown('lib')]).toEqual(['own\n', 'data', executor, 'lib'])
      expect(changes(await at.json('review', stage))).toEqual(['modified in/data/x', 'modified own'])
      expect(await at.ok('inspect', stage, '--', 'cat', 'in/data/x', 'lib/x', 'log/x')).toBe(`${executor}lib${executor}`)
    }
    await at.ok('apply', join(at.root, 'stage-machine'))
    expect([at.read('own'), shown('data')]).toEqual(['machine', 'machine'])
    await at.no(/^mirage: CAPABILITY_UNSUPPORTED: .*can not see other mounts/, 'run', '--mount', '../lib:read', ...sh('true'))
    await at.no(/^mirage: CAPABILITY_UNSUPPORTED: .*can only be denied/, 'run', '--access', 'own:deny', ...sh('true'))
    expect(await at.mirage('run', '--access', 'own:ask', ...sh('true'))).toMatchObject({ status: 1 })
  })
})

describe('which Job is meant', () => {
  test.concurrent('its id or the beginning of that, its folder or what is in it, the folder it worked on, last', {
    timeout: LONG,
  }, async () => {
    const at = new Place()
    await at.ok('run', '--name', 'home', '--', 'true')
    await at.ok('run', '--name', 'staged', '--stage', at.stage, '--', 'touch', 'made')
    const name = async (selector: string): Promise<unknown> => ((await at.json('status', selector)).run as { readonly name: string }).name
    expect(await name('last')).toBe('home')
    expect(await name(at.stage)).toBe('staged')
    expect(await name(join(at.stage, 'upper/made'))).toBe('staged')
    expect(await name('../stage/run.json')).toBe('staged')
    expect(await name('.')).toBe('staged')
    const { run_id: id } = (await at.json('status', at.stage)).run as { readonly run_id: string }
    expect(await name(id)).toBe('staged')
    expect(await name(id.slice(4, 20))).toBe('staged')
    await at.no(/^mirage: 'run-' could be run-/, 'status', 'run-')
    await at.no(/^mirage: there is no Job 'nothing' in /, 'status', 'nothing')
    await at.no(/there is no such folder of a Job/, 'status', './nothing')
    expect(await at.mirage('run', '--stage', at.stage, '--', 'true')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`stage: ${at.stage} is not empty`),
    })
  })
})

/** What the processes of this machine started with, as far as it may be seen. */
function processEnvironments(): readonly string[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      return [readFileSync(`/proc/${name}/environ`, 'latin1')]
    } catch {
      return []
    }
  })
}

/** Paths and contents of everything in a folder. */
function tree(root: string): readonly string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return entry.isFile() ? `${path} ${readFileSync(path, 'utf8')}` : path
    })
    .sort()
}
