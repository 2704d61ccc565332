import { expect, test } from 'vitest'
import { replayText } from '../../../platforms/node/cli/replay-text.ts'
import type { ReplayReport, ReportCall } from '../../../src/replay/documents.ts'

const COUNTS = { exact: 1, differs: 1, unsupported: 0, stale: 0, missing_commands: {} }

test('a call with several arguments has each behind its name, text in its lines', async () => {
  const given = { command: 'create', path: '/a.py', file_text: 'import os\n\nprint(1)\n', empty: '', times: 2 }
  expect(await textOf({ name: 'editor', arguments: given })).toBe(
    '  exact; status 0: editor\n    command: create\n    path: /a.py\n    file_text:\n      import os\n      \n      print(1)\n    empty: ""\n    times: 2\n',
  )
})

test('a line of shell is shown in its lines', async () => {
  expect(await textOf({ arguments: { command: 'cat > f <<E\none\nE\n' } })).toBe('  exact; status 0: bash cat > f <<E\n    one\n    E\n')
})

test('what came instead of much that is gone is seen, and how much is left out is said', async () => {
  const before = Array.from({ length: 300 }, (_, i) => `line ${i}\n`).join('')
  const text = await textOf({ class: 'differs', recorded: seen(before), fresh: fresh('cat: f: No such file or directory\n', true) })
  const gone = Array.from({ length: 12 }, (_, i) => `    -line ${i}\n`).join('')
  expect(text).toBe(
    `  differs; status 0: bash true\n    it is an error now\n    @@ -1,300 +1 @@\n${gone}    -… 288 more lines\n    +cat: f: No such file or directory\n`,
  )
})

test('nothing that is long is shown whole', async () => {
  const long = 'x'.repeat(1_000_000)
  const many = `${long}\n`.repeat(50)
  const all = await replayText(
    reportOf(
      { arguments: { command: many, [long.slice(0, 10)]: many }, class: 'differs', recorded: seen(many), fresh: fresh('y\n'.repeat(3000)) },
      many,
    ),
  )
  expect(all.length).toBeLessThan(40_000)
  expect(all).toContain(`\n  ${long.slice(0, 400)}… 999600 more characters\n`)
  expect(all).toContain('\n  … 38 more lines\n')
  expect(all).toContain('\n      … 30 more lines\n')
})

test('what a live call gave is what was written, also where its observation is a status', async () => {
  const live = { class: null, recorded: null, fresh: { ...fresh('two\n[exit status 3]'), value: 3, status: 3 } } as const
  expect(await textOf(live)).toBe('  called; status 3: bash true\n    two\n    [exit status 3]\n')
})

test('colours are there where they are asked for, and nothing from a file moves the cursor', async () => {
  const differs = { class: 'differs', recorded: seen('\x1b[2Jone\n'), fresh: fresh('two\n') } as const
  const coloured = await replayText(reportOf(differs), { colour: true })
  expect(coloured).toContain('\x1b[1mstep 1\x1b[0m \x1b[2m(messages:2)\x1b[0m\n  \x1b[31;1mdiffers\x1b[0m; status 0: bash true\n')
  expect(coloured).toContain('    \x1b[31m-\\x1b[2Jone\x1b[0m\n    \x1b[32m+two\x1b[0m\n')
  const plain = await replayText(reportOf(differs))
  expect(plain).not.toContain('\x1b')
  expect(coloured.replace(/\x1b\[[\d;]+m/g, '')).toBe(plain)
})

/** The lines of one call. */
async function textOf(call: Partial<ReportCall>): Promise<string> {
  const text = await replayText(reportOf(call))
  const mark = 'step 1 (messages:2)\n'
  return text.slice(text.indexOf(mark) + mark.length)
}

function reportOf(call: Partial<ReportCall>, thought = ''): ReplayReport {
  const whole = {
    id: 'c',
    name: 'bash',
    arguments: { command: 'true' },
    recorded: seen(''),
    fresh: fresh(''),
    class: 'exact',
    missing_commands: [],
    ...call,
  } as const
  const step = { ordinal: 1, is_live: false, locator: 'messages:2', text: thought, reasoning: null, calls: [whole], checkpoint_id: null }
  const agent = { name: 'mini-swe-agent', version: '2.4.6' }
  return { schema_version: 'mirage.replay-report/v1', run_id: 'r', job_id: 'r', agent, counts: COUNTS, steps: [step] }
}

function seen(value: string): { value: string; is_error: boolean } {
  return { value, is_error: false }
}

function fresh(text: string, isError = false): { value: string; is_error: boolean; status: number; text: string } {
  return { value: text, is_error: isError, status: 0, text }
}
