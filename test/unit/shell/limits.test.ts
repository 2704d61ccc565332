import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Session } from '../../../src/workspace.ts'
import { Workspace } from '../../../src/workspace.ts'

let workspace: Workspace
let session: Session

beforeEach(async () => {
  workspace = new Workspace({}, { limits: { outputBytes: 1 << 20 } })
  session = await workspace.session('limits')
})

afterEach(async () => {
  // Whatever happened, the session goes on.
  expect((await session.shell('echo "still $((40 + 2))"')).stdoutText).toBe('still 42\n')
  await workspace.close()
})

describe('depth and size', () => {
  test('function calls inside each other end in a clear error', async () => {
    const { exitCode, stderrText, stdoutText } = await session.shell('f() { f $(($1 + 1)); }; f 1; echo not reached\necho "next line"')
    expect(stderrText).toBe('bash: line 1: maximum nesting level of 20000 exceeded\n')
    expect(stdoutText).toBe('next line\n')
    expect(exitCode).toBe(0)
  })

  test('so do 100,000 by eval, source and substitution', async () => {
    expect((await session.shell('f() { eval f; }; f')).stderrText).toBe('bash: line 1: maximum nesting level of 20000 exceeded\n')
    expect((await session.shell('echo ". ./s" > s; . ./s')).stderrText).toMatch(
      /^\.\/s: line 1: maximum nesting level of 20000 exceeded\n$/,
    )
    for (const script of ['f() { : "$(f)"; }; f', 'f() { (f); }; f', 'f() { : | f; }; f', 'f() { f & wait; }; f']) {
      expect((await session.shell(script)).stderrText).toBe('bash: line 1: maximum nesting level of 1000 subshells exceeded\n')
    }
    expect((await session.shell('while :; do sleep 1000 & done; kill $(jobs -p)')).stderrText).toContain(
      'fork: retry: Resource temporarily',
    )
    await session.shell('kill $(jobs -p); wait')
  })

  test('a loop nested 200 deep, and braces; more is a syntax error', async () => {
    const depth = 200
    const { stdoutText } = await session.shell(
      `${'for i in 1; do '.repeat(depth)}echo deep; ${'done; '.repeat(depth)}\n${'{ '.repeat(depth)}echo braces; ${'}; '.repeat(depth)}`,
    )
    expect(stdoutText).toBe('deep\nbraces\n')
    expect((await session.shell(`${'( '.repeat(100_000)}:${' )'.repeat(100_000)}`)).stderrText).toBe(
      'bash: line 1: syntax error: constructs are nested too deeply\n',
    )
  })

  test('a pipeline of 5,000 stages', async () => {
    const { stdoutText, exitCode } = await session.shell(`echo through ${'| cat '.repeat(5000)}`)
    expect(stdoutText).toBe('through\n')
    expect(exitCode).toBe(0)
  })

  test('a list of 100,000 commands and a script of 10 MB', async () => {
    expect((await session.shell(`${':;'.repeat(100_000)} echo end`)).stdoutText).toBe('end\n')
    const line = `# ${'x'.repeat(97)}\n`
    const { stdoutText } = await session.shell(`${`n=$((n + 1))\n${line}`.repeat(90_000)}echo $n`)
    expect(stdoutText).toBe('90000\n')
  })

  test('a word, a variable and an array of a million', async () => {
    const { stdoutText } = await session.shell(`x=${'y'.repeat(1_000_000)}; echo \${#x}; a=({1..100000}); echo \${#a[@]} \${a[99999]}`)
    expect(stdoutText).toBe('1000000\n100000 100000\n')
  })

  test('a variable that doubles ends in a clear error', async () => {
    const { stderrText } = await session.shell('x=1; while :; do x=$x$x; done')
    expect(stderrText).toBe('bash: line 1: x: value longer than 134217728 characters\n')
  })

  test('more output than the limit is an error', async () => {
    const { exitCode, stdout, stderrText } = await session.shell('while :; do echo more and more; done')
    expect(stderrText).toMatch(/output/)
    expect(stdout.length).toBeLessThanOrEqual(1 << 20)
    expect(exitCode).not.toBe(0)
  })
})

test('a limit of instructions ends the line and the session goes on', async () => {
  const limited = new Workspace({}, { limits: { instructions: 100_000 } })
  const { exitCode, stderrText } = await limited.shell('while :; do :; done')
  expect(stderrText).toBe('bash: line 1: instruction limit of 100000 exceeded\n')
  expect(exitCode).toBe(137)
  expect((await limited.shell('echo on')).stdoutText).toBe('on\n')
  await limited.close()
})

describe('control', () => {
  const endless = [
    'while :; do :; done',
    'while true; do x=$((x + 1)); done',
    'f() { f2; }; f2() { :; }; until false; do f; done',
    'for ((;;)); do [[ a == b ]]; done',
    'while :; do echo x; done > /dev/null',
    'while :; do (:); done',
    'while :; do x=$(echo y); done',
    'while :; do : | :; done',
    'while :; do cat /dev/null; done',
    'yes > /dev/null',
    'yes | cat > /dev/null',
    'sleep 1000',
    'read x < <(sleep 1000)',
    'wait & wait; while :; do read -t 0 < /dev/null; done',
    'while :; do printf -v x %s y; done',
    'bash -c "while :; do :; done"',
    "trap '' INT TERM; while :; do :; done",
    "trap 'while :; do :; done' EXIT; exit",
    'seq 1000000000 > /dev/null',
  ]

  test.each(endless)('%s is aborted while timers of the host go on', async (script) => {
    const controller = new AbortController()
    const events: string[] = []
    let ticks = 0
    const timer = setInterval(() => {
      ticks += 1
      if (ticks === 4) {
        events.push('abort')
        controller.abort(new Error('enough'))
      }
    }, 5)
    const result = await session.shell(script, { signal: controller.signal }).then(
      () => 'ended',
      (error: Error) => {
        events.push(error.name)
        return error
      },
    )
    clearInterval(timer)
    expect(result).toBeInstanceOf(Error)
    expect(events).toEqual(['abort', 'AbortError'])
    expect(((result as Error).cause as Error).message).toBe('enough')
  })

  test('a time limit gives 124', async () => {
    for (const script of [
      'while :; do :; done',
      'sleep 100',
      'yes > /dev/null',
      'cat',
      'f() { while :; do sleep 0.001; done; }; f | cat',
    ]) {
      const stdin = script === 'cat' ? endlessInput() : ''
      const { exitCode } = await session.shell(script, { timeoutMs: 30, stdin })
      expect([script, exitCode]).toEqual([script, 124])
    }
  })

  test('what reads little ends what writes much', async () => {
    const { stdoutText, exitCode } = await session.shell(`
      yes | head -1
      seq 100000000 | head -1
      while :; do echo loop; done | head -3
      while :; do echo sub; done | { read -r x; echo "$x"; }
      yes | cat | cat | head -1
      x=$(yes | head -2); echo "$x"
      read -r y < <(yes); echo "$y"
      yes | while read -r z; do echo "$z"; break; done
      echo "\${PIPESTATUS[@]}"`)
    expect(stdoutText).toBe('y\n1\nloop\nloop\nloop\nsub\ny\ny\ny\ny\ny\n141 0\n')
    expect(exitCode).toBe(0)
  })

  test('a job goes on after its line and is there in the next', async () => {
    await session.shell('{ while [ ! -e stop ]; do sleep 0.001; done; echo stopped > out; } &')
    expect((await session.shell('jobs')).stdoutText).toMatch(/Running/)
    expect((await session.shell('touch stop; wait; cat out')).stdoutText).toBe('stopped\n')
  })

  test('an aborted line leaves files, variables and functions as they were at that moment', async () => {
    const controller = new AbortController()
    const line = session.shell('v=1; f() { echo f; }; echo start; while :; do v=2; done', {
      signal: controller.signal,
      onOutput: () => controller.abort(),
    })
    await expect(line).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))
    expect((await session.shell('echo $v; f')).stdoutText).toMatch(/^[12]\nf\n$/)
  })
})

async function* endlessInput(): AsyncIterable<Uint8Array> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    yield new Uint8Array([120])
  }
}
