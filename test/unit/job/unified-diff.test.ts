import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { encode } from '../../../src/bytes.ts'
import { RAMFileSystem, Workspace } from '../../../src/index.ts'
import { shownPath } from '../../../src/job/shown-path.ts'
import type { DiffSide } from '../../../src/job/unified-diff.ts'
import { unifiedDiff } from '../../../src/job/unified-diff.ts'

const file = (text: string, mode = '100644'): DiffSide => ({ mode, bytes: encode(text) })
const nothing: DiffSide = { mode: null, bytes: new Uint8Array(0) }
const folder = mkdtempSync(join(tmpdir(), 'unified-diff-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a diff', () => {
  test('is what git shows', async () => {
    expect(await unifiedDiff('a/b.txt', file('1\n2\n3\n4\n5\n6\n7\n8\n9\n'), file('1\n2\n3\n4\nfive\n6\n7\n8\n9\nten'))).toBe(
      `diff --git a/a/b.txt b/a/b.txt
--- a/a/b.txt
+++ b/a/b.txt
@@ -2,8 +2,9 @@
 2
 3
 4
-5
+five
 6
 7
 8
 9
+ten
\\ No newline at end of file
`,
    )
    expect(await unifiedDiff('x', nothing, file('one\n', '100755'))).toBe(
      'diff --git a/x b/x\nnew file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+one\n',
    )
    expect(await unifiedDiff('x', file(''), nothing)).toBe('diff --git a/x b/x\ndeleted file mode 100644\n')
    expect(await unifiedDiff('x', file('a'), file('a', '100755'))).toBe('diff --git a/x b/x\nold mode 100644\nnew mode 100755\n')
    expect(await unifiedDiff('x', file('a\0'), file('b'))).toBe('diff --git a/x b/x\nBinary files a/x and b/x differ\n')
    expect(await unifiedDiff('a "b"\n\udcff', nothing, file(''))).toBe(
      'diff --git "a/a \\"b\\"\\012\\377" "b/a \\"b\\"\\012\\377"\nnew file mode 100644\n',
    )
  })

  test('of two texts that have nothing in common takes no time, and still says everything', async () => {
    const lines = (word: string): string => Array.from({ length: 40_000 }, (_, n) => `${word} ${n}\n`).join('')
    const text = await unifiedDiff('x', file(lines('a')), file(lines('b')))
    expect(text).toContain('@@ -1,40000 +1,40000 @@\n-a 0\n')
    expect(text.split('\n').length).toBe(80_000 + 5)
  })

  // Seeded, so that a failure can be repeated.
  test('is understood by git apply', async () => {
    let seed = 7
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return Math.floor((seed / 2 ** 31) * below)
    }
    const words = ['', 'a', 'b', '\ttab', 'é', '\udc80', '\\ No newline', '+', '-', 'end\r']
    const text = (): string => {
      const lines = Array.from({ length: random(30) }, () => words[random(words.length)] as string)
      return lines.join('\n') + (random(2) === 0 ? '\n' : '')
    }
    execFileSync('git', ['init', '-q', folder])
    for (let round = 0; round < 25; round++) {
      const before = round % 5 === 0 ? nothing : file(text())
      const after = file(text(), random(3) === 0 ? '100755' : '100644')
      const path = join(folder, 'näme "x"')
      rmSync(path, { force: true })
      if (before.mode !== null) {
        writeFileSync(path, before.bytes)
        chmodSync(path, 0o644)
      }
      const diff = await unifiedDiff('näme "x"', before, after)
      if (before.mode !== null && Buffer.from(before.bytes).equals(after.bytes) && after.mode === '100644') continue
      execFileSync('git', ['apply', '--whitespace=nowarn', '-'], { cwd: folder, input: encode(diff) })
      expect(readFileSync(path)).toEqual(Buffer.from(after.bytes))
      expect((statSync(path).mode & 0o100) !== 0).toBe(after.mode === '100755')
    }
  })
})

test('a name is on one line, and says nothing to a terminal', () => {
  expect(shownPath('a\n\x1b[2Jé\x9b')).toBe('a\\x0a\\x1b[2Jé\\x9b')
})

test('a Job shows what it would change, up to a limit', async () => {
  const files = new RAMFileSystem({ files: { '/kept': 'a\n', '/gone': 'b\n', '/big': 'x'.repeat(3000) } })
  files.symlink('kept', '/link')
  const ws = new Workspace({ '/': files })
  const command =
    "cd /; echo more >> kept; rm gone; rm link; echo file > link; mkdir -p new/dir; printf 'a\\0b' > new/bin; echo y >> big; chmod 600 kept"
  const job = await ws.jobs.run({ command, stage: true })
  const whole = await job.diff({ maxFileBytes: 2000 })
  expect(whole).toBe(
    `# big changed: larger than 2000 bytes
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-b
diff --git a/kept b/kept
--- a/kept
+++ b/kept
@@ -1 +1,2 @@
 a
+more
diff --git a/link b/link
deleted file mode 120000
--- a/link
+++ /dev/null
@@ -1 +0,0 @@
-kept
\\ No newline at end of file
diff --git a/link b/link
new file mode 100644
--- /dev/null
+++ b/link
@@ -0,0 +1 @@
+file
# directory new added
diff --git a/new/bin b/new/bin
new file mode 100644
Binary files /dev/null and b/new/bin differ
# directory new/dir added
`,
  )
  expect(await job.diff({ maxBytes: 200, maxFileBytes: 2000 })).toBe(
    `${whole.slice(0, whole.indexOf('diff --git a/link'))}# not shown, since all of it is longer than 200 bytes:
#   link
#   new
#   new/bin
#   new/dir
`,
  )
  const review = await job.review()
  expect(review.filesystem?.changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    'modified big',
    'deleted gone',
    'modified kept',
    'type_changed link',
    'added new',
    'added new/bin',
    'added new/dir',
  ])
  expect(review.review_context).toEqual({
    job_id: job.id,
    attempt_id: review.run.attempt_id,
    checkpoint_id: null,
    workspace_generation: 0,
    file_view: 'staged_upper_with_external_lowers',
    execution_evidence: 'historical_bundle',
  })
  await ws.close()
})
