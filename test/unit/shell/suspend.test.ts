import { describe, expect, test } from 'vitest'
import { decode } from '../../../src/bytes.ts'
import { standardCommands } from '../../../src/commands/standard.ts'
import { devices } from '../../../src/fs/devices.ts'
import type { FileSystem } from '../../../src/fs/file-system.ts'
import { followLinks } from '../../../src/fs/follow-links.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { MountTable } from '../../../src/fs/mount-table.ts'
import { webHost } from '../../../src/host.ts'
import type { SavedMachine } from '../../../src/shell/machine/saved.ts'
import type { LineStreams } from '../../../src/shell/shell.ts'
import { Shell } from '../../../src/shell/shell.ts'

const SCRIPT = `
declare -A ages=([ann]=31 [bob]=42)
list=(one "two three" four)
greet() { local name=$1 n=\${2:-1}; while (( n > 0 )); do echo "hello $name $n"; (( n-- )); done; return 3; }
for item in "\${list[@]}"; do greet "$item" 2; done
echo "status $? ages \${ages[ann]} \${ages[bob]}"
( x=inner; cd /tmp; echo "in subshell: $x $PWD"; exit 4 )
echo "subshell gave $? and x is \${x-unset}"
cat_it() { local line; while read -r line; do echo "> $line"; done; }
cat_it <<EOF
first $((6 * 7))
second \${list[1]}
EOF
sum=0
for ((i = 0; i < 5; i++)); do sum=$((sum + i)); done
echo "sum $sum $(echo "nested $(echo deep)")"
echo piped | { read -r word; echo "got $word"; }
case $sum in 1?) echo ten-something;; *) echo other;; esac
printf '%s\\n' a b > /tmp/file
while read -r l; do echo "file: $l"; done < /tmp/file
trap 'echo "bye $sum"' EXIT
x=1 eval 'echo "temp $x"'
sleep 0.002
{ sleep 0.002; echo background; } &
wait $!
echo "waited $?"
`

function machine(fs: FileSystem): { shell: Shell; output: () => string; streams: LineStreams } {
  const chunks: Uint8Array[] = []
  const shell = new Shell({ fs, host: webHost, commands: standardCommands, allowed: () => true })
  const write = (bytes: Uint8Array): void => {
    chunks.push(bytes)
  }
  return {
    shell,
    output: () => decode(Buffer.concat(chunks)),
    streams: { stdin: new Uint8Array(0), stdout: write, stderr: write },
  }
}

function files(): FileSystem {
  const root = new RAMFileSystem()
  root.mkdir('/tmp')
  return followLinks(
    new MountTable([
      ['/', { fs: root, mode: 'write' }],
      ['/dev', { fs: devices(webHost), mode: 'write' }],
    ]),
  )
}

/** The saved state after going through JSON, as it would through a file. */
function throughJson(saved: SavedMachine): SavedMachine {
  return JSON.parse(JSON.stringify(saved)) as SavedMachine
}

describe('a machine saved and restored', () => {
  test('goes on with the same output from every instruction of a script', async () => {
    const whole = machine(files())
    const end = await whole.shell.run(SCRIPT, whole.streams)
    const expected = whole.output()
    expect(expected).toMatchInlineSnapshot(`
      "hello one 2
      hello one 1
      hello two three 2
      hello two three 1
      hello four 2
      hello four 1
      status 3 ages 31 42
      in subshell: inner /tmp
      subshell gave 4 and x is unset
      > first 42
      > second two three
      sum 10 nested deep
      got piped
      ten-something
      file: a
      file: b
      temp 1
      background
      waited 0
      bye 10
      "
    `)
    let finished = false
    let saves = 0
    for (let steps = 1; !finished; steps++) {
      const fs = files()
      const before = machine(fs)
      const running = before.shell.runSteps(SCRIPT, before.streams, steps)
      if (running !== null) {
        const settled = await Promise.race([Promise.resolve(running), untilPaused(before.shell)])
        if (settled !== null) {
          finished = true
          continue
        }
      }
      const saved = throughJson(await before.shell.suspend(1000))
      const after = machine(fs)
      await after.shell.restore(saved)
      const restoredEnd = await after.shell.proceed(after.streams)
      saves += 1
      if (before.output() + after.output() !== expected) {
        expect({ steps, output: before.output() + '|' + after.output() }).toEqual({ steps, output: expected })
      }
      expect(restoredEnd.status).toBe(end.status)
    }
    expect(saves).toBeGreaterThan(300)
  }, 120_000)
})

async function untilPaused(shell: Shell): Promise<null> {
  while (!shell.machine.paused) await new Promise((resolve) => setTimeout(resolve, 1))
  return null
}
