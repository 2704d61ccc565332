import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { HostFileSystem } from '../../../platforms/node/host-file-system.ts'
import type { FileSystem } from '../../../src/index.ts'
import { Workspace } from '../../../src/index.ts'
import { StoredStateStore } from '../../../src/state/stored-state-store.ts'
import { MemoryStore } from '../../../src/store/memory.ts'
import { FaultyStore } from '../../contract/faulty-store.ts'
import { Chance } from './random-script.ts'
import { treeState } from './tree-state.ts'

const root = mkdtempSync(join(tmpdir(), 'apply-crash-'))
let folders = 0

afterAll(() => rmSync(root, { recursive: true, force: true }))

function newFolder(): string {
  const folder = join(root, String(++folders))
  mkdirSync(folder)
  return folder
}

const SETUP = `umask 022; mkdir -p gone/a keep; echo x > gone/a/x; echo y > gone/y; echo one > keep/one; echo two > keep/two; echo f > becomes-dir; mkdir becomes-file; echo i > becomes-file/i
ln -s keep link; echo base > report; seq 1 3000 > long`
const CHANGES = `umask 022; rm -r gone; echo 1 >> keep/one; rm keep/two; rm becomes-dir; mkdir becomes-dir; echo in > becomes-dir/in; rm -r becomes-file; echo file > becomes-file
rm link; ln -s report link; chmod 600 report; mkdir -p new/deep; echo n > new/deep/n; ln new/deep/n new/same; ln -s ../report new/l; seq 1 9000 > long`

/** The death of a process: from the n-th change on nothing is done any more, and that one may be done by half. */
class Death {
  left: number
  /** It came to that. */
  came = false

  constructor(changes: number) {
    this.left = changes
  }

  /** Throws when it is time, having done what `half` does. */
  meet(half: () => unknown = () => undefined): void {
    if (this.left > 0) {
      this.left -= 1
      return
    }
    if (!this.came) half()
    this.came = true
    throw new Error('the process is dead')
  }
}

const CHANGING: ReadonlySet<string> = new Set([
  'write',
  'append',
  'writeAt',
  'truncate',
  'mkdir',
  'rmdir',
  'unlink',
  'rename',
  'link',
  'symlink',
  'setattr',
  'copyTree',
  'removeTree',
])

function mortal(fs: FileSystem, death: Death): FileSystem {
  return new Proxy(fs, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown
      if (typeof value !== 'function') return value
      return (...args: readonly unknown[]) => {
        const call = value as (...args: readonly unknown[]) => unknown
        if (CHANGING.has(String(name))) {
          death.meet(() => {
            const [path, data] = args
            if ((name === 'write' || name === 'append') && data instanceof Uint8Array)
              call.call(target, path, data.subarray(0, data.length >> 1))
          })
        } else if (death.came) death.meet()
        return call.apply(target, [...args])
      }
    },
  })
}

interface Scene {
  readonly folder: string
  readonly store: MemoryStore
  readonly jobId: string
}

async function scene(): Promise<Scene> {
  const folder = newFolder()
  const store = new MemoryStore()
  const ws = workspace(new HostFileSystem({ root: folder }), store)
  await ws.jobs.run({ command: SETUP, cwd: '/' })
  const job = await ws.jobs.run({ command: CHANGES, cwd: '/', stage: true })
  return { folder, store, jobId: job.id }
}

function workspace(fs: FileSystem, store: MemoryStore | FaultyStore): Workspace {
  return new Workspace(
    { '/': fs, '/tmp': new HostFileSystem({ root: tmpdir() }) },
    { workspaceId: 'w', store: new StoredStateStore(store) },
  )
}

async function state(folder: string): Promise<readonly string[]> {
  return (await treeState(new HostFileSystem({ root: folder }))).filter((line) => !line.startsWith('/tmp'))
}

/** Applies until death comes; false where the apply came to its end before. */
async function dies({ folder, store, jobId }: Scene, death: Death): Promise<boolean> {
  const faulty = new FaultyStore(store)
  faulty.plan = (operation) => {
    if (operation === 'put' || operation === 'write' || operation === 'delete') death.meet()
    else if (death.came) death.meet()
    return null
  }
  const ws = workspace(mortal(new HostFileSystem({ root: folder }), death), faulty)
  try {
    await (await ws.jobs.open(jobId)).apply()
    return death.came
  } catch {
    return true
  }
}

describe('an apply whose process dies', () => {
  it('is finished by the next one, whatever was the last thing it did', async () => {
    const done = await scene()
    const before = await state(done.folder)
    expect(await dies(done, new Death(Number.POSITIVE_INFINITY))).toBe(false)
    const after = await state(done.folder)
    expect(after).not.toEqual(before)
    const known = new Set([...before, ...after])
    let deaths = 0
    for (let n = 0; ; n++) {
      const one = await scene()
      if (!(await dies(one, new Death(n)))) break
      deaths += 1
      // At any moment a path is what it was or what it is to be: nothing is half written but what has a temporary name.
      const torn = (await state(one.folder)).filter((line) => !known.has(line) && !line.includes('.mirage-apply-'))
      // A name that is to be another's is one of several only when both are there.
      expect([n, torn.filter((line) => !/^\/new\/(deep\/n|same) /.test(line) && !/^\/\S+ directory/.test(line))]).toEqual([n, []])
      const ws = workspace(new HostFileSystem({ root: one.folder }), one.store)
      const job = await ws.jobs.open(one.jobId)
      await job.apply()
      expect([n, await state(one.folder), (await job.status()).filesystem?.state, await job.changes()]).toEqual([n, after, 'applied', []])
      const { apply_history } = await job.status()
      expect(apply_history.every((record) => (record as { state: string }).state === 'committed')).toBe(true)
      await ws.close()
    }
    expect(deaths).toBeGreaterThan(30)
  }, 120_000)

  it('does not overwrite what somebody wrote before the next one', async () => {
    let conflicts = 0
    for (let n = 3; n < 30; n += 3) {
      const one = await scene()
      expect(await dies(one, new Death(n))).toBe(true)
      writeFileSync(join(one.folder, 'long'), 'mine\n')
      const ws = workspace(new HostFileSystem({ root: one.folder }), one.store)
      const job = await ws.jobs.open(one.jobId)
      const error = await job.apply().then(
        () => null,
        (thrown: unknown) => thrown as { code: string },
      )
      expect(readFileSync(join(one.folder, 'long'), 'utf8')).toBe('mine\n')
      if (error !== null) {
        expect(error.code).toBe('CONFLICT')
        conflicts += 1
      }
      await ws.close()
    }
    expect(conflicts).toBeGreaterThan(5)
  }, 60_000)
})

describe('mirage apply, killed', () => {
  const cli = resolve('dist/platforms/node/cli.js')

  it.runIf(existsSync(cli))(
    'comes to its end when it is called again',
    async () => {
      const chance = new Chance(7)
      for (let round = 0; round < 2; round++) {
        const folder = newFolder()
        const stage = join(newFolder(), 'stage')
        const options = { cwd: folder, env: { ...process.env, MIRAGE_RUN_HOME: join(folder, '../home') }, encoding: 'utf8' as const }
        for (let i = 0; i < 300; i++) writeFileSync(join(folder, `f${i}`), `old ${i}\n`)
        const script = 'for i in $(seq 0 299); do echo "new $i" > f$i; echo "more $i" > g$i; done'
        expect(spawnSync(process.execPath, [cli, 'run', '--stage', stage, '--', 'sh', '-c', script], options).status).toBe(0)
        for (let kills = 0; kills < 3; kills++) {
          const child = spawn(process.execPath, [cli, 'apply', stage], { ...options, stdio: 'ignore' })
          const gone = new Promise((done) => child.once('exit', done))
          const delay = 100 + chance.below(250)
          await Promise.race([gone, new Promise((done) => setTimeout(done, delay))])
          child.kill('SIGKILL')
          await gone
          for (let i = 0; i < 300; i++) expect([`old ${i}\n`, `new ${i}\n`]).toContain(readFileSync(join(folder, `f${i}`), 'utf8'))
        }
        const last = spawnSync(process.execPath, [cli, 'apply', stage], options)
        expect([last.status, last.stderr]).toEqual([0, ''])
        const names = readdirSync(folder)
        expect([names.length, names.filter((name) => name.startsWith('.'))]).toEqual([600, []])
        for (let i = 0; i < 300; i++) {
          expect(readFileSync(join(folder, `f${i}`), 'utf8')).toBe(`new ${i}\n`)
          expect(readFileSync(join(folder, `g${i}`), 'utf8')).toBe(`more ${i}\n`)
        }
      }
    },
    120_000,
  )
})
