import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { HostFileSystem } from '../../../platforms/node/host-file-system.ts'
import { HostSite } from '../../../platforms/node/host-site.ts'
import { hostExecutor } from '../../../platforms/node/index.ts'
import { decode } from '../../../src/bytes.ts'
import { standardCommands } from '../../../src/commands/standard.ts'
import { webHost } from '../../../src/host.ts'
import type { CommandSite, Executor, SiteCommand } from '../../../src/job/executor.ts'
import { stagedMount } from '../../../src/job/stage.ts'
import { machineExecutor } from '../../../src/machine-executor.ts'
import { OPEN_RULES } from '../../../src/profile.ts'
import { DEFAULT_LIMITS } from '../../../src/shell/machine/machine.ts'
import { mountWorkspace } from '../../../src/workspace-mounts.ts'

const EXECUTORS: Readonly<Record<string, () => Executor>> = {
  machine: () =>
    machineExecutor({
      host: webHost,
      commands: standardCommands,
      limits: DEFAULT_LIMITS,
      builtIn: () =>
        new Map(
          mountWorkspace(new Map(), webHost, standardCommands.keys())
            .mounts()
            .flatMap(({ prefix, fs, mode }) => (prefix === '/' ? [] : [[prefix, { fs, mode }]])),
        ),
    }),
  host: () => hostExecutor(),
}

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

interface Opened {
  readonly folder: string
  readonly site: CommandSite
  readonly upper: string
  sh(
    line: string,
    options?: Partial<SiteCommand>,
  ): Promise<{ readonly out: string; readonly err: string; readonly status: number | null; readonly timedOut: boolean }>
}

async function opened(executor: Executor): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'site-'))
  const upper = mkdtempSync(join(tmpdir(), 'site-upper-'))
  folders.push(folder, upper)
  writeFileSync(join(folder, 'a.txt'), 'one\n')
  const staged = stagedMount(new HostFileSystem({ root: folder }), new HostFileSystem({ root: upper }))
  const fields = { cwd: '/', variables: new Map(), functions: new Map(), aliases: new Map(), umask: 0o022, rules: OPEN_RULES }
  const site = await executor.open?.({
    jobId: 'site-test',
    mounts: new Map([['/', { mode: 'exec', fs: staged.overlay, staged }]]),
    isStaged: true,
    fields,
    access: [],
  })
  if (site === undefined) throw new Error('no site')
  return {
    folder,
    upper,
    site,
    sh: async (line, options = {}) => {
      const text = { stdout: '', stderr: '' }
      const end = await site.run({
        line,
        session: null,
        cwd: null,
        env: {},
        mergesErrors: false,
        timeoutMs: 60_000,
        missing: () => undefined,
        signal: undefined,
        output: (bytes, stream) => {
          text[stream] += decode(bytes)
        },
        ...options,
      })
      return { out: text.stdout, err: text.stderr, ...end }
    },
  }
}

describe.each(Object.entries(EXECUTORS))('a site of the %s', (_, executor) => {
  it('runs lines in shells of their own', async () => {
    const { sh, site } = await opened(executor())
    expect(await sh('cat a.txt; echo oops >&2; cd /; x=1; exit 3')).toEqual({ out: 'one\n', err: 'oops\n', status: 3, timedOut: false })
    expect(await sh('echo "[$x]"; echo $Y', { env: { Y: 'why' } })).toMatchObject({ out: '[]\nwhy\n', status: 0 })
    expect(await sh('echo a; echo b >&2; echo c', { mergesErrors: true })).toMatchObject({ out: 'a\nb\nc\n', err: '' })
    await site.close()
  })

  it('keeps directory, variables and functions of a shell that lives on', async () => {
    const { sh, site } = await opened(executor())
    const session = 'main'
    await sh('mkdir -p d/e && cd d/e; x=5; f() { echo "f $1 $x"; }', { session })
    expect(await sh('f 1; [[ $PWD == */d/e ]] && echo there; false', { session })).toMatchObject({ out: 'f 1 5\nthere\n', status: 1 })
    expect(await sh("echo 'unfinished", { session })).toMatchObject({ out: '' })
    expect(await sh('cat; echo after', { session })).toMatchObject({ out: 'after\n', status: 0 })
    expect(await sh('printf "no newline"; printf "err" >&2', { session })).toMatchObject({ out: 'no newline', err: 'err', status: 0 })
    expect(await sh('exit 7', { session })).toMatchObject({ status: 7 })
    expect(await sh('echo "[$x]"', { session })).toMatchObject({ out: '[]\n', status: 0 })
    await site.close()
  })

  it('ends a line at its time limit, and a shell that lives on with it', async () => {
    const { sh, site } = await opened(executor())
    expect(await sh('echo a; sleep 100', { timeoutMs: 500 })).toEqual({ out: 'a\n', err: '', status: null, timedOut: true })
    await sh('x=1', { session: 's' })
    expect(await sh('while :; do :; done', { session: 's', timeoutMs: 500 })).toMatchObject({ status: null, timedOut: true })
    expect(await sh('echo "[$x]"', { session: 's' })).toMatchObject({ out: '[]\n', status: 0 })
    await site.close()
  })

  it('shows its files between lines, and leaves the changes on the stage alone', async () => {
    const { sh, site, folder, upper } = await opened(executor())
    await sh('echo two >> a.txt; mkdir n')
    expect(decode(await site.fs.read('/a.txt', 0, 100))).toBe('one\ntwo\n')
    await site.fs.write('/n/made.txt', new TextEncoder().encode('by a tool\n'))
    expect(await sh('cat n/made.txt')).toMatchObject({ out: 'by a tool\n' })
    expect(await site.close()).toEqual([])
    expect(readdirSync(folder)).toEqual(['a.txt'])
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('one\n')
    expect(readFileSync(join(upper, 'a.txt'), 'utf8')).toBe('one\ntwo\n')
    expect(readFileSync(join(upper, 'n/made.txt'), 'utf8')).toBe('by a tool\n')
  })

  it('ends a line when the signal fires', async () => {
    const { sh, site } = await opened(executor())
    const stop = new AbortController()
    const running = sh('touch started; sleep 100', { signal: stop.signal })
    while (!(await site.fs.readdir('/')).some(({ name }) => name === 'started')) await new Promise((resolve) => setTimeout(resolve, 5))
    stop.abort()
    expect(await running).toMatchObject({ status: null, timedOut: false })
    await site.close()
  })
})

it('removes the copy that processes of the host worked in', async () => {
  const { site, sh } = await opened(hostExecutor())
  expect(site).toBeInstanceOf(HostSite)
  const { out } = await sh('pwd -P')
  expect(existsSync(out.trim())).toBe(true)
  await site.close()
  expect(existsSync(out.trim())).toBe(false)
})
