import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { AGENTS } from '../../../src/replay/adapters.ts'
import type { Step } from './replay-case.ts'
import { miniDocument, replayCases } from './replay-case.ts'

const at = replayCases()

function write(name: string, steps: readonly Step[], cwd?: string): void {
  writeFileSync(name, JSON.stringify(miniDocument(steps, cwd)))
}

const SUBMIT: Step = ['echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT', '']

test('counts what comes out the same, names what is missing, and says what was not replayed', async () => {
  mkdirSync('runs/deep', { recursive: true })
  write('runs/a.traj.json', [
    ['echo 1 > a; cat a', '1\n'],
    ['cat a', 'one\n'],
    ['no-such-tool', 'x\n'],
    ['no-such-tool; other-tool', 'x\n'],
  ])
  write('runs/deep/b.json', [['mkdir d; ls', 'd\n'], SUBMIT, ['echo never', '']])
  write('runs/deep/c.json', [SUBMIT])
  writeFileSync('runs/deep/cut.json', '{"trajectory_format":')
  writeFileSync('runs/package.json', '{}')
  writeFileSync('runs/notes.txt', 'no trajectory')
  const { status, out } = await at.mirage('fidelity', 'runs')
  expect(status).toBe(0)
  expect(out).toBe(
    `FILE              AGENT           STEPS   CALLS  EXACT  DIFFERS  UNSUPPORTED  STALE  SHARE
runs/a.traj.json  mini-swe-agent  4       4      1      1        2            0      50.0 %
runs/deep/b.json  mini-swe-agent  1 of 3  1      1      0        0            0      100.0 %
runs/deep/c.json  mini-swe-agent  0 of 1  0      0      0        0            0      -
3 files                                   5      2      1        2            0      66.7 %

MISSING COMMAND  CALLS
no-such-tool     2
other-tool       1

NOT REPLAYED        REASON
runs/deep/b.json    ends at messages:2 submits the work ("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"): a prefix can't go beyond that; choose an earlier step
runs/deep/c.json    ends at messages:0 submits the work ("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"): a prefix can't go beyond that; choose an earlier step
runs/deep/cut.json  trajectory_error: line 1, column 22: the text ends within an object: it is cut off
runs/package.json   trajectory_error: the trajectory is in no form that is known: there are adapters for ${AGENTS.join(', ')}
`,
  )
  expect({ here: readdirSync('.'), root: readdirSync(at.root) }).toEqual({ here: ['runs'], root: ['ws'] })
})

test('looks at the files of a folder, which stays as it is', async () => {
  mkdirSync('repo')
  writeFileSync('repo/a.txt', 'one\n')
  write('t.json', [['cat /testbed/a.txt; echo two >> a.txt; cat a.txt; pwd', 'one\none\ntwo\n/testbed\n']], '/testbed')
  const { status, out } = await at.mirage('fidelity', 't.json', '--workspace', 'repo', '--json')
  const counts = { calls: 1, exact: 1, differs: 0, unsupported: 0, stale: 0, missing_commands: {}, exact_share: 1 }
  const file = { path: 't.json', agent: 'mini-swe-agent', version: '2.4.6', steps: 1, replayed_steps: 1, stopped: null }
  expect({ status, document: JSON.parse(out) }).toEqual({
    status: 0,
    document: { schema_version: 'mirage.fidelity/v1', files: [{ ...file, ...counts }], total: counts, failed: [] },
  })
  expect(readFileSync('repo/a.txt', 'utf8')).toBe('one\n')
  expect(readdirSync(at.root)).toEqual(['ws'])
})

test('counts each sample of a log', async () => {
  const messages = (output: string): unknown[] => [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: '', tool_calls: [{ id: 'c', function: 'bash', arguments: { cmd: 'echo 1' }, type: 'function' }] },
    { role: 'tool', tool_call_id: 'c', function: 'bash', content: output },
  ]
  const samples = [
    { id: 'a', epoch: 1, messages: messages('1\n') },
    { id: 'a', epoch: 2, messages: messages('2\n') },
    { id: 'b', epoch: 1, messages: 'none' },
  ]
  writeFileSync('log.json', JSON.stringify({ version: 2, eval: { model: 'm' }, samples }))
  const { status, out } = await at.mirage('fidelity', 'log.json')
  expect({ status, out }).toEqual({
    status: 0,
    out: `FILE          AGENT    STEPS  CALLS  EXACT  DIFFERS  UNSUPPORTED  STALE  SHARE
log.json a/1  inspect  1      1      1      0        0            0      100.0 %
log.json a/2  inspect  1      1      0      1        0            0      0.0 %
2 files                       2      1      1        0            0      50.0 %

NOT REPLAYED  REASON
log.json b/1  trajectory_error: samples[2].messages is "none": it has to be an array
`,
  })
})

test('ends a call that takes too long, and goes on', async () => {
  write('t.json', [
    ['while :; do :; done', ''],
    ['echo 1', '1\n'],
  ])
  const { out } = await at.mirage('fidelity', 't.json', '--timeout-ms', '100', '--json')
  expect(JSON.parse(out).total).toMatchObject({ calls: 2, exact: 1, differs: 1 })
})

test('where there is nothing to replay, the status is 1', async () => {
  mkdirSync('empty')
  expect(await at.mirage('fidelity', 'empty')).toEqual({ status: 1, out: 'there is no trajectory\n' })
  writeFileSync('x', 'no')
  expect(await at.mirage('fidelity', 'x')).toMatchObject({
    status: 1,
    out: expect.stringMatching(/^NOT REPLAYED {2}REASON\nx {13}trajectory_error: /),
  })
  await expect(at.mirage('fidelity', 'nowhere')).rejects.toThrow('fidelity: there is no file or folder nowhere')
  await expect(at.mirage('fidelity')).rejects.toThrow('fidelity needs a FILE or FOLDER; usage: mirage fidelity FILE|FOLDER… [OPTION…]')
})
