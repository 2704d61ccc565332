import { expect, it } from 'vitest'
import { Workspace } from '../../../src/workspace.ts'

const LINES: readonly string[] = [
  'for i in 1 2 3; do echo $i | cat | cat; done',
  'seq 1 20000 | sort -n | tail -1',
  'x=$(echo a; sleep 0.001; echo b)',
  'f() { local y=1; g $1; }; g() { echo ${#1} > /tmp/o; cat /tmp/o; }; f abc',
  'while read -r l; do :; done < <(seq 1 3000)',
  'a=(1 2 3); for e in "${a[@]}"; do (exit $e); done',
  'cat <<E | { read -r z; echo $z; }\nhere\nE',
  'exec 4>/tmp/four; echo x >&4; exec 4>&-',
  'sleep 0.002 & wait',
  'IFS=: read -r p q <<< "1:2"',
  'eval "echo $(echo hi)"; shopt -s nullglob; shopt -u nullglob',
  'bash -c "echo in; sleep 0.001"',
  'set -- 1 2 3; shift; local_=1 env | grep -c local_',
]

it('aborts at any moment leave the session whole', { timeout: 120_000 }, async () => {
  const ws = new Workspace()
  const random = numbers(11)
  await ws.shell('k=0')
  for (let i = 1; i <= 400; i++) {
    const controller = new AbortController()
    const line = LINES[random(LINES.length)] as string
    const running = ws.shell(line, {
      signal: controller.signal,
      ...(random(5) === 0 ? { cwd: '/tmp' } : {}),
      ...(random(4) === 0 ? { onOutput: () => new Promise<void>((resolve) => setTimeout(resolve, 0)) } : {}),
    })
    const steps = random(40)
    if (random(2) === 0) setTimeout(() => controller.abort(), steps % 4)
    else void afterMicrotasks(steps).then(() => controller.abort())
    const error = await running.then(
      () => null,
      (thrown: unknown) => thrown,
    )
    if (error !== null) expect((error as Error).name, line).toBe('AbortError')
    const { stdoutText, stderrText } = await ws.shell('k=$((k + 1)); echo $k $BASH_SUBSHELL $PWD $BASHPID; echo fine >&2')
    expect([stdoutText, stderrText], line).toEqual([`${i} 0 / 100\n`, 'fine\n'])
  }
  expect((await ws.shell('ls /dev/fd')).stdoutText).toBe('0\n1\n2\n')
  await ws.close()
})

async function afterMicrotasks(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await null
}

/** Numbers below a bound, the same ones for the same seed. */
function numbers(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}
