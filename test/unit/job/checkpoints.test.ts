import { afterEach, describe, expect, it } from 'vitest'
import { decode, encode } from '../../../src/bytes.ts'
import { RAMFileSystem, RAMWorkspaceStateStore, Workspace } from '../../../src/index.ts'
import { namedTrees } from '../../../src/job/content-roots.ts'
import { storedJobs } from '../../../src/job/stored-jobs.ts'
import { MemoryStore } from '../../../src/store/memory.ts'
import type { Store } from '../../../src/store/store.ts'

const open: Workspace[] = []

afterEach(async () => {
  for (const ws of open.splice(0)) await ws.close()
})

function workspace(store = new RAMWorkspaceStateStore(), files = new RAMFileSystem()): Workspace {
  const ws = new Workspace({ '/': files }, { workspaceId: 'w', store })
  open.push(ws)
  return ws
}

async function objectsOf(store: RAMWorkspaceStateStore): Promise<Store> {
  return store.objects('w')
}

describe('checkpoints of a Job', () => {
  it('are made once for a request, and answered as the format says', async () => {
    const store = new RAMWorkspaceStateStore()
    const job = await workspace(store).jobs.run({ command: 'printf a > report.txt', stage: true, cwd: '/' })
    const first = await job.checkpoints.create({ requestId: 'save-1' })
    expect(first.checkpoint_id).toMatch(/^request-[0-9a-f]{64}$/)
    expect(first).toEqual({
      schema_version: 1,
      operation: 'checkpoint.create',
      job_id: job.id,
      request_id: 'save-1',
      checkpoint_id: first.checkpoint_id,
      kind: 'workspace',
      reused: false,
      checkpoint: {
        schema_version: 3,
        kind: 'workspace',
        checkpoint_id: first.checkpoint_id,
        request_id: 'save-1',
        run_id: job.id,
        source_attempt_id: expect.stringMatching(/^attempt-/),
        workspace_generation: 0,
        created_at_unix_ms: expect.any(Number),
        consistency: 'stopped',
        source_stage: job.id,
        upper_snapshot: ['/', '/tmp'].map((prefix) => ({ prefix, tree: expect.stringMatching(/^[0-9a-f]{64}$/) })),
        preimages_snapshot: `checkpoints/${first.checkpoint_id}/preimages.json`,
        target: 'w',
        lower_dirs: ['/', '/tmp'],
        protect_target: true,
        access_policy: [],
      },
    })
    const again = await (await workspace(store).jobs.open(job.id)).checkpoints.create({ requestId: 'save-1', kind: 'workspace' })
    expect(again).toEqual({ ...first, reused: true })
    const other = await job.checkpoints.create()
    expect(other.checkpoint_id).toMatch(/^checkpoint-[0-9a-f]{32}$/)
    expect(await job.checkpoints.list()).toEqual({
      schema_version: 1,
      operation: 'checkpoint.list',
      job_id: job.id,
      kind_filter: null,
      execution_blocker: null,
      checkpoints: [first.checkpoint, other.checkpoint],
    })
    expect((await job.checkpoints.list({ kind: 'execution' })).checkpoints).toEqual([])
    expect((await job.status()).checkpoints).toEqual([first.checkpoint, other.checkpoint])
    expect(await job.checkpoints.show(first.checkpoint_id)).toEqual({
      schema_version: 1,
      operation: 'checkpoint.show',
      job_id: job.id,
      kind: 'workspace',
      branch_references: 0,
      checkpoint: first.checkpoint,
    })
  })

  it('are found by the beginnings of their ids', async () => {
    const job = await workspace().jobs.run({ command: 'printf a > report.txt', stage: true })
    const ids: string[] = []
    for (let i = 0; i < 20; i++) ids.push((await job.checkpoints.create()).checkpoint_id)
    const [id] = ids as [string]
    expect((await job.checkpoints.show(id.slice(0, 24))).checkpoint.checkpoint_id).toBe(id)
    expect((await job.checkpoints.show(id.slice('checkpoint-'.length, 30))).checkpoint.checkpoint_id).toBe(id)
    await expect(job.checkpoints.show('checkpoint-')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('20 checkpoints begin so'),
    })
    for (const missing of ['request-', 'zzz', 'latest']) {
      await expect(job.checkpoints.show(missing)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    }
    for (const wrong of ['', '.requests', '../x', 'a/b', 'a'.repeat(257)]) {
      await expect(job.checkpoints.show(wrong)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    }
  })

  it('are refused where there is nothing to keep, and where it may change', async () => {
    const store = new RAMWorkspaceStateStore()
    const ws = workspace(store)
    const direct = await ws.jobs.run({ command: 'true' })
    await expect(direct.checkpoints.create()).rejects.toMatchObject({ code: 'EINVAL', message: expect.stringContaining('no stage') })
    const running = await ws.jobs.start({ command: 'while :; do sleep 0.05; done', stage: true })
    await expect(running.checkpoints.create()).rejects.toThrow('JOB_BUSY')
    await expect((await workspace(store).jobs.open(running.id)).checkpoints.create()).rejects.toThrow('JOB_BUSY')
    await running.kill()
    expect((await running.checkpoints.create()).reused).toBe(false)
    for (const wrong of [{ requestId: '' }, { requestId: 'x'.repeat(257) }, { kind: 'memory' }, { ramStorage: 'raw' }]) {
      await expect(running.checkpoints.create(wrong as object)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    }
  })

  it('say of a Job whose runner vanished that nobody knows how it ended', async () => {
    const store = new RAMWorkspaceStateStore()
    const ws = workspace(store)
    const job = await ws.jobs.run({ command: 'true', stage: true })
    const key = `jobs/${job.id}/run.json`
    const objects = await objectsOf(store)
    const record = JSON.parse(decode(((await objects.get(key)) as { bytes: Uint8Array }).bytes))
    await objects.put(key, encode(JSON.stringify({ ...record, state: 'running' })))
    await expect(job.checkpoints.create()).rejects.toThrow('EXECUTION_UNKNOWN')
  })

  it('stay what they are, whatever becomes of the Job and the workspace', async () => {
    const files = new RAMFileSystem({ files: { '/report.txt': 'before', '/gone.txt': 'x' } })
    const ws = workspace(undefined, files)
    const job = await ws.jobs.run({
      command: 'cd /; printf a > report.txt; rm gone.txt; mkdir -m 700 new; ln -s report.txt new/link',
      stage: true,
    })
    const { checkpoint_id: checkpoint } = await job.checkpoints.create()
    const seen = (await job.changes({ checkpoint })).map(({ kind, path }) => `${kind} ${path}`)
    expect(seen).toEqual(['deleted gone.txt', 'added new', 'added new/link', 'modified report.txt'])
    expect(decode((await job.inspect('cat /report.txt; readlink /new/link', { checkpoint })).stdout)).toBe('areport.txt\n')
    expect(decode(await (await job.files({ checkpoint })).read('/report.txt'))).toBe('a')
    await expect(job.changes({ checkpoint: 'other' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('that were deleted stay deleted: their requests are refused, and other requests are not', async () => {
    const job = await workspace().jobs.run({ command: 'printf a > report.txt', stage: true })
    const made = await job.checkpoints.create({ requestId: 'one' })
    expect(await job.checkpoints.delete('request-')).toEqual({
      schema_version: 1,
      operation: 'checkpoint.delete',
      job_id: job.id,
      checkpoint_id: made.checkpoint_id,
      deleted: true,
    })
    expect((await job.checkpoints.list()).checkpoints).toEqual([])
    await expect(job.checkpoints.create({ requestId: 'one' })).rejects.toMatchObject({
      code: 'EEXIST',
      message: expect.stringContaining('already committed'),
    })
    await expect(job.checkpoints.delete(made.checkpoint_id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect((await job.checkpoints.create({ requestId: 'two' })).reused).toBe(false)
  })

  it('are swept: what was never finished, or not wholly deleted; nothing else', async () => {
    const store = new RAMWorkspaceStateStore()
    const job = await workspace(store).jobs.run({ command: 'printf a > report.txt', stage: true })
    const kept = await job.checkpoints.create({ requestId: 'kept' })
    const objects = await objectsOf(store)
    await objects.put(`jobs/${job.id}/checkpoints/checkpoint-0/preimages.json`, encode('{}'))
    expect(await job.checkpoints.gc()).toEqual({
      schema_version: 1,
      operation: 'checkpoint.gc',
      job_id: job.id,
      scope: 'job_checkpoint_transactions',
      kind_filter: null,
      root: 'checkpoints',
      removed_transactions: 1,
      execution_removed_transactions: 0,
      published_checkpoints_deleted: 0,
    })
    expect(await job.checkpoints.gc({ kind: 'workspace' })).toMatchObject({ scope: 'job_workspace_transactions', removed_transactions: 0 })
    expect((await job.checkpoints.list()).checkpoints).toEqual([kept.checkpoint])
    expect((await job.checkpoints.create({ requestId: 'kept' })).reused).toBe(true)
    // What any document names is needed.
    const place = await storedJobs(objects).place(job.id)
    const tree = kept.checkpoint.upper_snapshot[0]?.tree
    await objects.put('something/else.json', encode(JSON.stringify({ tree: 'f'.repeat(64) })))
    expect([...(await namedTrees(place))].filter((id) => id === tree || id === 'f'.repeat(64)).length).toBe(2)
    // Whatever a Job is called.
    for (const name of ['trees', 'packs', 'objects']) {
      await objects.put(
        `jobs/${name}/stage.json`,
        encode(JSON.stringify({ tree: name.charAt(0) === 't' ? 'a'.repeat(64) : 'b'.repeat(64) })),
      )
    }
    expect([...(await namedTrees(place))]).toEqual(expect.arrayContaining(['a'.repeat(64), 'b'.repeat(64)]))
  })

  it('are let go by forks whose process ended before they began', async () => {
    const store = new RAMWorkspaceStateStore()
    const job = await workspace(store).jobs.run({ command: 'true', stage: true })
    const { checkpoint_id: checkpoint } = await job.checkpoints.create()
    await (await job.fork({ checkpoint })).ended
    await (await objectsOf(store)).put(`jobs/${job.id}/checkpoints/${checkpoint}/references/run-unborn`, encode('{}'))
    expect((await job.checkpoints.show(checkpoint)).branch_references).toBe(2)
    expect((await job.checkpoints.gc()).removed_transactions).toBe(1)
    expect((await job.checkpoints.show(checkpoint)).branch_references).toBe(1)
  })

  it('are there whole or not at all, wherever the store stops', async () => {
    for (let failing = 0; ; failing++) {
      const objects = new MemoryStore()
      const write = objects.write.bind(objects)
      let left = Number.POSITIVE_INFINITY
      // A store that can't make several changes in one step, and fails.
      Object.assign(objects, { write: undefined })
      objects.put = async (key, bytes) => {
        if (left-- <= 0) throw new Error('the store is gone')
        const changed = write([{ type: 'put', key, bytes }])
        return changed.state === 'written' ? { state: 'written', version: changed.values[0]?.version ?? '' } : { state: 'lost' }
      }
      const store = new RAMWorkspaceStateStore()
      store.objects = () => objects
      const job = await workspace(store).jobs.run({ command: 'printf a > report.txt', stage: true, cwd: '/' })
      left = failing
      const isFailing = await job.checkpoints.create({ requestId: 'r' }).then(
        () => false,
        () => true,
      )
      left = Number.POSITIVE_INFINITY
      const there = (await job.checkpoints.list()).checkpoints
      for (const { checkpoint_id: checkpoint } of there) {
        expect(decode((await job.inspect('cat /report.txt', { checkpoint })).stdout)).toBe('a')
      }
      const made = await job.checkpoints.create({ requestId: 'r' })
      expect(made.reused).toBe(there.length === 1)
      expect((await job.checkpoints.list()).checkpoints).toEqual([made.checkpoint])
      if (!isFailing) {
        expect(failing).toBe(3)
        break
      }
    }
  })
})

describe('forks of a Job', () => {
  it('begin with what it staged, and know nothing of each other', async () => {
    const files = new RAMFileSystem({ files: { '/other.txt': 'other' } })
    const store = new RAMWorkspaceStateStore()
    const ws = workspace(store, files)
    const job = await ws.jobs.run({
      command: 'printf seed > report.txt; rm other.txt',
      stage: true,
      cwd: '/',
      access: ['secret.txt:deny'],
      timeoutMs: 60_000,
    })
    const { checkpoint_id: checkpoint } = await job.checkpoints.create()
    const left = await job.fork({ checkpoint, command: 'printf %s-left "$(cat report.txt)" > report.txt', name: 'left' })
    const right = await (await workspace(store, files).jobs.open(job.id)).fork({
      checkpoint: checkpoint.slice(0, 20),
      command: 'printf %s-right "$(cat report.txt)" > report.txt; printf x > other.txt',
    })
    expect((await left.ended).state).toBe('completed')
    expect((await right.ended).state).toBe('completed')
    const read = async (one: typeof job): Promise<string> => decode((await one.inspect('cat /report.txt')).stdout)
    expect(await read(left)).toBe('seed-left')
    expect(await read(right)).toBe('seed-right')
    expect(await read(job)).toBe('seed')
    expect(files.readdir('/').map(({ name }) => name)).toEqual(['other.txt'])
    expect((await left.changes()).map(({ kind, path }) => `${kind} ${path}`)).toEqual(['deleted other.txt', 'added report.txt'])
    expect((await right.changes()).map(({ kind, path }) => `${kind} ${path}`)).toEqual(['modified other.txt', 'added report.txt'])
    const { run } = await left.status()
    expect(run).toMatchObject({
      name: 'left',
      parent_run_id: job.id,
      lineage: { parent_run_id: job.id, checkpoint_id: checkpoint },
      resource_limits: { timeout_ms: 60_000 },
    })
    expect((await job.checkpoints.show(checkpoint)).branch_references).toBe(2)
    await expect(job.checkpoints.delete(checkpoint)).rejects.toThrow(/^CHECKPOINT_REFERENCED: 2 /)
    expect((await ws.jobs.list()).length).toBe(3)
  })

  it('are bound as the Job was', async () => {
    const ws = workspace(undefined, new RAMFileSystem({ files: { '/work/secret.txt': 'secret', '/work/open.txt': 'open' } }))
    const job = await ws.jobs.run({ command: 'true', stage: true, cwd: '/work', access: ['secret.txt:deny'], env: { TOKEN: 'private' } })
    const child = await job.fork({ command: 'cat open.txt; cat secret.txt || echo "refused in $PWD, ${TOKEN-without}"' })
    let output = ''
    const told = await job.fork({
      command: 'cat secret.txt; pwd; echo "$TOKEN"',
      env: { TOKEN: 'given' },
      onOutput: (bytes, stream) => {
        if (stream === 'stdout') output += decode(bytes)
      },
    })
    await Promise.all([child.ended, told.ended])
    expect((await child.review()).run.output.stdout).toBe('openrefused in /work, without\n')
    expect(output).toBe('/work\ngiven\n')
    expect((await job.checkpoints.list()).checkpoints[0]?.access_policy).toEqual(['secret.txt:deny'])
  })

  it('conflict where they are applied one after the other, and not where they changed other files', async () => {
    const files = new RAMFileSystem({ files: { '/shared.txt': 'before' } })
    const ws = workspace(undefined, files)
    const job = await ws.jobs.run({ command: 'printf seed > report.txt', stage: true, cwd: '/' })
    const { checkpoint_id: checkpoint } = await job.checkpoints.create()
    const left = await job.fork({ checkpoint, command: 'printf left > report.txt; printf left > shared.txt; printf left > left.txt' })
    const right = await job.fork({ checkpoint, command: 'printf right > report.txt; printf right > right.txt; rm shared.txt' })
    await Promise.all([left.ended, right.ended])
    await left.apply()
    const applied = files.snapshot()
    for (const selection of [{}, { paths: ['report.txt'] }, { paths: ['shared.txt'] }]) {
      await expect(right.apply(selection)).rejects.toMatchObject({ code: 'CONFLICT' })
      expect(files.snapshot().bytes).toBe(applied.bytes)
    }
    expect(decode(files.read('/report.txt'))).toBe('left')
    expect(decode(files.read('/shared.txt'))).toBe('left')
    await right.apply({ paths: ['right.txt'] })
    expect(decode(files.read('/right.txt'))).toBe('right')
    expect((await right.changes()).map(({ path }) => path)).toEqual(['report.txt', 'shared.txt'])
  })

  it('begin with a savepoint although the Job was applied and can hold no other', async () => {
    const files = new RAMFileSystem()
    const ws = workspace(undefined, files)
    const job = await ws.jobs.run({ command: 'printf a > one.txt; printf b > two.txt', stage: true, cwd: '/' })
    const { checkpoint_id: checkpoint } = await job.checkpoints.create({ requestId: 'r' })
    await job.apply({ paths: ['one.txt'] })
    const later = await job.checkpoints.create()
    expect(later.checkpoint.workspace_generation).toBe(1)
    await job.apply()
    expect(await job.changes()).toEqual([])
    const seen = async (at: string): Promise<readonly string[]> => (await job.changes({ checkpoint: at })).map(({ path }) => path)
    expect(await seen(checkpoint)).toEqual(['one.txt', 'two.txt'])
    expect(await seen(later.checkpoint_id)).toEqual(['two.txt'])
    expect((await job.review({ checkpoint })).filesystem?.changes.map(({ path }) => path)).toEqual(['one.txt', 'two.txt'])
    await expect(job.checkpoints.create()).rejects.toMatchObject({ code: 'EINVAL' })
    expect((await job.checkpoints.create({ requestId: 'r' })).reused).toBe(true)
    await expect(job.fork()).rejects.toMatchObject({ code: 'EINVAL' })
    const child = await job.fork({ checkpoint, command: 'cat one.txt two.txt > both.txt' })
    await child.ended
    expect(decode((await child.inspect('cat /both.txt')).stdout)).toBe('ab')
  })

  it('keep their stage in their own place, and go on without the checkpoint of their own', async () => {
    const ws = workspace()
    const job = await ws.jobs.run({ command: ['sh', '-c', 'printf "%s" one >> log'], stage: true, cwd: '/' })
    const second = await job.fork()
    expect((await second.ended).state).toBe('completed')
    const third = await second.fork()
    await third.ended
    expect(decode((await third.inspect(['cat', '/log'])).stdout)).toBe('oneoneone')
    expect((await job.checkpoints.list()).checkpoints.length).toBe(1)
    expect((await third.status()).run.command).toEqual(['sh', '-c', 'printf "%s" one >> log'])
    // The baseline is that of the first one.
    expect((await third.changes()).map(({ kind, path }) => `${kind} ${path}`)).toEqual(['added log'])
  })

  it('are refused before anything is made', async () => {
    const store = new RAMWorkspaceStateStore()
    const ws = workspace(store)
    const job = await ws.jobs.run({ command: 'printf a > report.txt', stage: true, cwd: '/' })
    const { checkpoint_id: checkpoint } = await job.checkpoints.create()
    const running = await ws.jobs.start({ command: 'while :; do sleep 0.05; done', stage: true })
    const before = await (await objectsOf(store)).list('')
    await expect(running.fork()).rejects.toThrow('JOB_BUSY')
    await expect(job.fork({ checkpoint: 'nothing' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(job.fork({ checkpoint, id: running.id })).rejects.toMatchObject({ code: 'EEXIST' })
    await expect(job.fork({ checkpoint, command: '' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await expect(job.fork({ state: 'memory' } as object)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    await expect(job.fork({ requestId: 'x' } as object)).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    expect(await (await objectsOf(store)).list('')).toEqual(before)
    await running.kill()
    await (await objectsOf(store)).delete(`jobs/${job.id}/workspace-launch-policy.json`)
    await expect(job.fork({ checkpoint })).rejects.toMatchObject({ code: 'CAPABILITY_UNSUPPORTED' })
    const direct = await ws.jobs.run({ command: 'true' })
    await expect(direct.fork()).rejects.toMatchObject({ code: 'EINVAL' })
  })
})
