import { spawnSync } from 'node:child_process'
import * as host from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import type { OverlayChange } from '../../../src/fs/overlay.ts'
import { runAttempt, staged, startAttempt } from './host-attempt.ts'

let base: string
let source: string
let folder: string

beforeEach(() => {
  base = host.mkdtempSync(join(host.realpathSync(tmpdir()), 'mirage-host-job-'))
  source = join(base, 'source')
  folder = join(base, 'copies')
  host.mkdirSync(source)
  host.mkdirSync(folder)
})

afterEach(() => {
  host.rmSync(base, { recursive: true, force: true })
})

/** What a stage holds, as `KIND PATH`. */
async function changes(mount: ReturnType<typeof staged>): Promise<string[]> {
  return (await mount.staged.overlay.changes()).map(({ kind, path }: OverlayChange) => `${kind} ${path}`)
}

/** Runs a line of shell in `source` itself. */
function direct(line: string): void {
  const { status, stderr } = spawnSync('/bin/sh', ['-c', line], { cwd: source, encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
}

describe('a staged command of the host', () => {
  test('works in a copy: the folder stays, the stage has what changed', async () => {
    direct('printf base > report.txt; printf old > gone; mkdir d; printf x > d/kept')
    const mount = staged(source)
    const end = await runAttempt(
      'printf agent > report.txt; rm gone; mkdir -p new/deep; printf y > new/deep/f; cat d/kept',
      new Map([['/', mount]]),
      { folder },
    )
    expect(end).toMatchObject({ exitCode: 0, signal: null, failure: null, warnings: [], stdout: 'x', stderr: '' })
    expect(host.readFileSync(join(source, 'report.txt'), 'utf8')).toBe('base')
    expect(await changes(mount)).toEqual(['deleted /gone', 'added /new', 'added /new/deep', 'added /new/deep/f', 'modified /report.txt'])
    expect(host.readdirSync(folder)).toEqual([])
  })

  test('its exit status and signal are told', async () => {
    const mounts = new Map([['/', staged(source)]])
    expect(await runAttempt(['/bin/sh', '-c', 'exit 7'], mounts, { folder })).toMatchObject({ exitCode: 7, failure: null })
    expect(await runAttempt('kill -SEGV $$', mounts, { folder })).toMatchObject({ exitCode: null, signal: 'SIGSEGV', failure: null })
    const missing = await runAttempt(['no-such-program-here'], mounts, { folder })
    expect(missing).toMatchObject({ exitCode: null, failure: { kind: 'spawn' } })
  })

  test('kill ends it and what it started', async () => {
    const mounts = new Map([['/', staged(source)]])
    const { running, ended } = await startAttempt('sleep 300 & echo $!; sleep 300', mounts, { folder })
    expect(running.pid).toBeGreaterThan(0)
    running.kill()
    expect(await ended).toMatchObject({ exitCode: null, signal: 'SIGTERM' })
    expect(livingOf(running.pid as number)).toEqual([])
  })

  test('works over files in memory', async () => {
    const ram = new RAMFileSystem({ files: { '/a.txt': 'a\n' } })
    const mount = staged(ram)
    const end = await runAttempt('cat a.txt; echo b >> a.txt; ln -s a.txt l', new Map([['/', mount]]), { folder })
    expect(end.stdout).toBe('a\n')
    expect(await changes(mount)).toEqual(['modified /a.txt', 'added /l'])
  })
})

/** Processes of a group that have not ended; one that ended may be listed for long where nobody asks how. */
function livingOf(group: number): readonly string[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pgid=,stat=,args='], { encoding: 'utf8' })
  return stdout.split('\n').filter((line) => {
    const [itsGroup, state = ''] = line.trim().split(/\s+/)
    return Number(itsGroup) === group && !state.startsWith('Z')
  })
}
