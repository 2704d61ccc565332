import { describe, expect, it } from 'vitest'
import { decode } from '../../../src/bytes.ts'
import type { Job } from '../../../src/index.ts'
import { RAMFileSystem, RAMWorkspaceStateStore, Workspace } from '../../../src/index.ts'

const SCRIPT = `
trap 'echo bye $count >> log' EXIT
count=0
(sleep 0.4; echo background >> log) &
while read -r line; do
  count=$((count + 1))
  echo "$count $line" | tee -a log
  echo warned >&2
  sleep 0.02
done
wait
exit 3
`
const LINES = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`)
const OUTPUT = LINES.map((line, i) => `${i + 1} ${line}\n`).join('')
const LOG = `${OUTPUT}background\nbye 30\n`
/** What a log has when the background comes somewhere in the middle. */
const sorted = (text: string): string => text.split('\n').sort().join('\n')

function places(): { make: () => Workspace; files: RAMFileSystem } {
  const files = new RAMFileSystem()
  const store = new RAMWorkspaceStateStore()
  return { files, make: () => new Workspace({ '/': files }, { workspaceId: 'w', store }) }
}

const OPTIONS = { command: SCRIPT, cwd: '/', stdin: `${LINES.join('\n')}\n` }

async function output(job: Job): Promise<string> {
  return (await job.review()).run.output.stdout
}

/** Resolves when `count` lines were written. */
function linesWritten(count: number): { onOutput: (bytes: Uint8Array, stream: string) => void; there: Promise<void> } {
  let left = count
  let tell = (): void => undefined
  const there = new Promise<void>((resolve) => {
    tell = resolve
  })
  return {
    onOutput: (bytes, stream) => {
      if (stream === 'stdout') left -= decode(bytes).split('\n').length - 1
      if (left <= 0) tell()
    },
    there,
  }
}

describe('a Job that is suspended', () => {
  it('goes on in another instance: output, files, status, traps and background', async () => {
    const { make, files } = places()
    const first = make()
    const { onOutput, there } = linesWritten(4)
    const job = await first.jobs.start({ ...OPTIONS, stage: true, onOutput })
    await there
    const answer = await job.suspend({ requestId: 'once' })
    expect(answer).toMatchObject({ operation: 'suspend', state: 'suspended', request_id: 'once', kind: 'execution', job_id: job.id })
    expect((await job.ended).state).toBe('suspended')
    expect(await job.suspend({ requestId: 'once' })).toEqual(answer)
    await first.close()

    const second = make()
    const found = await second.jobs.open(job.id)
    const status = await found.status()
    expect(status).toMatchObject({
      live: false,
      run: { state: 'suspended' },
      execution: { state: 'suspended', head_checkpoint_id: answer.checkpoint_id },
    })
    await expect(found.apply({})).rejects.toThrow('JOB_BUSY')
    await expect(found.checkpoints.delete(answer.checkpoint_id)).rejects.toThrow('CHECKPOINT_REFERENCED')
    expect((await found.changes()).map(({ path }) => path)).toEqual(['log'])
    const resumed = await found.resume()
    const record = await resumed.ended
    expect(record).toMatchObject({ run_id: job.id, state: 'failed' })
    expect(record.attempt_id).not.toBe(status.run.attempt_id)
    const review = await resumed.review()
    expect(review.run.exit_code).toBe(3)
    expect(review.run.output.stdout).toBe(OUTPUT)
    expect(review.run.output.stderr).toBe('warned\n'.repeat(30))
    expect(files.readdir('/')).toEqual([])
    await resumed.apply({})
    expect(sorted(decode(files.read('/log')))).toBe(sorted(LOG))
    await second.close()
  })

  it('suspends itself again and again', async () => {
    const { make, files } = places()
    const ws = make()
    let job = await ws.jobs.run({ ...OPTIONS, suspendAfterMs: 60 })
    let suspensions = 0
    while ((await job.ended).state === 'suspended') {
      suspensions += 1
      job = await (await ws.jobs.open(job.id)).resume({ suspendAfterMs: 60 })
    }
    expect(suspensions).toBeGreaterThan(1)
    expect(await output(job)).toBe(OUTPUT)
    expect(sorted(decode(files.read('/log')))).toBe(sorted(LOG))
    expect((await job.checkpoints.list()).checkpoints).toEqual([])
    await ws.close()
  })

  it('is suspended, kept and killed by another instance', async () => {
    const { make } = places()
    const ws = make()
    const { onOutput, there } = linesWritten(2)
    // Long enough to be met twice by somebody who has to ask.
    const job = await ws.jobs.start({ ...OPTIONS, command: SCRIPT.replace('0.02', '0.08'), stage: true, onOutput })
    await there
    const other = make()
    const seen = await other.jobs.open(job.id)
    const kept = await seen.checkpoints.create({ kind: 'execution', requestId: 'kept' })
    expect(kept).toMatchObject({ kind: 'execution', reused: false, checkpoint_id: expect.stringMatching(/^request-/) })
    expect(await seen.checkpoints.create({ kind: 'execution', requestId: 'kept' })).toMatchObject({ reused: true })
    const { checkpoint_id } = await seen.suspend()
    expect((await job.ended).state).toBe('suspended')
    expect((await seen.checkpoints.list({ kind: 'execution' })).checkpoints.map((one) => one.checkpoint_id)).toEqual([
      kept.checkpoint_id,
      checkpoint_id,
    ])
    expect(await seen.kill()).toMatchObject({ state: 'terminated', suspended_head_released: true })
    await expect(seen.resume()).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(seen.suspend()).rejects.toMatchObject({ code: 'CONFLICT' })
    expect((await seen.status()).filesystem?.state).toBe('staged')
    const fork = await seen.fork({ state: 'execution', checkpoint: kept.checkpoint_id })
    await fork.ended
    expect(await output(fork)).toBe(OUTPUT)
    await ws.close()
    await other.close()
  })

  it('is forked while it runs: both end alike, each with files of its own', async () => {
    const { make, files } = places()
    const ws = make()
    const { onOutput, there } = linesWritten(3)
    const job = await ws.jobs.start({ ...OPTIONS, stage: true, onOutput })
    await there
    const fork = await job.fork({ state: 'execution', name: 'twin' })
    const [one, two] = await Promise.all([job.ended, fork.ended])
    expect([one.state, two.state, two.parent_run_id, two.name]).toEqual(['failed', 'failed', job.id, 'twin'])
    for (const each of [job, fork]) {
      expect(await output(each)).toBe(OUTPUT)
      expect(sorted(decode(await (await each.files()).read('/log')))).toBe(sorted(LOG))
    }
    await job.apply({})
    await expect(fork.apply({})).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(sorted(decode(files.read('/log')))).toBe(sorted(LOG))
    await ws.close()
  })

  it('counts only the time in which it runs', async () => {
    const { make } = places()
    const ws = make()
    const job = await ws.jobs.run({ command: 'sleep 0.05; echo there; sleep 600', timeoutMs: 1500, suspendAfterMs: 200 })
    expect((await job.ended).state).toBe('suspended')
    await new Promise((resolve) => setTimeout(resolve, 1400))
    const resumed = await job.resume()
    expect((await resumed.status()).live).toBe(true)
    expect(await resumed.ended).toMatchObject({ state: 'failed' })
    expect((await resumed.review()).run).toMatchObject({ failure: { kind: 'deadline_exceeded' }, output: { stdout: 'there\n' } })
    await ws.close()
  })

  it('says what is in the way', async () => {
    const { make } = places()
    const ws = make()
    const { onOutput, there } = linesWritten(1)
    const stdin = (async function* () {
      await new Promise(() => undefined)
      yield new Uint8Array(0)
    })()
    const job = await ws.jobs.start({ command: 'echo begun; cat', stage: true, stdin, onOutput })
    await there
    await expect(job.suspend({ limitMs: 150 })).rejects.toThrow('cannot suspend: after 150 ms still running are cat')
    expect((await job.status()).execution).toMatchObject({ state: 'running', head_checkpoint_id: null })
    await job.kill()
    await expect(job.checkpoints.create({ kind: 'execution' })).rejects.toMatchObject({ code: 'CONFLICT' })
    const unstaged = await ws.jobs.start({ command: 'sleep 60' })
    await expect(unstaged.fork({ state: 'execution' })).rejects.toThrow('CAPABILITY_UNSUPPORTED')
    await expect(unstaged.resume()).rejects.toThrow('JOB_BUSY')
    await ws.close()
  })
})
