import { describe, expect, it } from 'vitest'
import { decode, encode } from '../../../src/bytes.ts'
import { RAMFileSystem, RAMWorkspaceStateStore, Workspace } from '../../../src/index.ts'

describe('a staged Job in a workspace', () => {
  it('keeps its changes aside and shows them to inspect', async () => {
    const files = new RAMFileSystem({ files: { '/report.txt': 'original' } })
    const store = new RAMWorkspaceStateStore()
    const ws = new Workspace({ '/': files }, { workspaceId: 'w', store })
    const job = await ws.jobs.run({ command: 'printf proposal > report.txt; echo told; mkdir new; rm -f nothing', stage: true, cwd: '/' })
    expect(decode(files.read('/report.txt'))).toBe('original')
    expect(decode((await job.inspect('cat report.txt; ls')).stdout)).toContain('proposal')
    const status = await job.status()
    expect(status.run.state).toBe('completed')
    expect(status.live).toBe(false)
    expect(status.filesystem).toEqual({ state: 'staged', changed_files: 2, whiteouts: 0, sample_paths: ['new', 'report.txt'] })

    const other = new Workspace({ '/': files }, { workspaceId: 'w', store })
    expect(await other.jobs.list()).toEqual([job.id])
    const found = await other.jobs.open(job.id)
    expect(decode((await found.inspect(['cat', '/report.txt'])).stdout)).toBe('proposal')
    expect((await found.status()).filesystem?.changed_files).toBe(2)
    await ws.close()
    await other.close()
  })

  it('gives its files to be read beside those of the workspace', async () => {
    const ws = new Workspace({
      '/': new RAMFileSystem({ files: { '/a/old.txt': 'old', '/a/gone.txt': 'gone' } }),
      '/data': new RAMFileSystem(),
    })
    const job = await ws.jobs.run({ command: 'cd /a; printf new > old.txt; rm gone.txt; ln -s /a/old.txt /data/link', stage: true })
    expect((await job.changes()).map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'deleted a/gone.txt',
      'modified a/old.txt',
      'added data/link',
    ])
    const files = await job.files()
    expect(decode(await files.read('/data/link'))).toBe('new')
    expect(decode(await ws.fs.read('/a/old.txt'))).toBe('old')
    expect(() => files.stat('/a/gone.txt')).toThrow(expect.objectContaining({ code: 'ENOENT' }))
    expect(() => files.write('/a/old.txt', encode('more'))).toThrow(expect.objectContaining({ code: 'EROFS' }))
    await ws.close()
  })

  it('is reviewed while it is suspended, with what it has written so far', async () => {
    const ws = new Workspace()
    let heard = (): void => undefined
    const begun = new Promise<void>((resolve) => {
      heard = resolve
    })
    const command = 'echo begun; echo 1 > /a; while [ ! -e /tmp/never ]; do sleep 0.01; done'
    const job = await ws.jobs.start({ command, stage: true, onOutput: () => heard() })
    await begun
    await job.suspend()
    const { run, filesystem } = await job.review()
    expect([run.state, run.failure, run.exit_code, run.output.stdout]).toEqual(['suspended', null, null, 'begun\n'])
    expect(filesystem?.changes.map(({ path }) => path)).toEqual(['a'])
    await job.kill()
    await ws.close()
  })

  it('is killed by another instance', async () => {
    const store = new RAMWorkspaceStateStore()
    const ws = new Workspace({}, { workspaceId: 'w', store })
    const job = await ws.jobs.start({ command: 'while :; do sleep 0.05; done', stage: true })
    const other = new Workspace({}, { workspaceId: 'w', store })
    const seen = await other.jobs.open(job.id)
    expect((await seen.status()).live).toBe(true)
    await expect(seen.inspect('true')).rejects.toThrow('JOB_BUSY')
    expect(await seen.kill()).toEqual({
      schema_version: 1,
      operation: 'kill',
      job_id: job.id,
      state: 'stopping',
      termination_requested: true,
      cooperative: true,
    })
    expect((await job.ended).state).toBe('cancelled')
    expect(await seen.kill()).toMatchObject({ state: 'cancelled', already_stopped: true })
    await ws.close()
    await other.close()
  })

  it('is ended by its time limit', async () => {
    const ws = new Workspace()
    const job = await ws.jobs.run({ command: 'sleep 30', timeoutMs: 20 })
    expect((await job.ended).state).toBe('failed')
    expect((await job.status()).run.overlay).toBe(null)
    await ws.close()
  })

  it('reads what it is given', async () => {
    const ws = new Workspace()
    let out = ''
    await ws.jobs.run({
      command: ['/bin/sh', '-c', 'tr a-z A-Z', 'x'],
      stdin: encode('abc'),
      onOutput: (bytes) => {
        out += decode(bytes)
      },
    })
    expect(out).toBe('ABC')
    await expect(ws.jobs.run({ command: 'true', executor: 'host' })).rejects.toMatchObject({ code: 'CAPABILITY_UNSUPPORTED' })
    await expect(ws.jobs.run({ command: 'true', nonsense: 1 } as never)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await ws.close()
  })
})
