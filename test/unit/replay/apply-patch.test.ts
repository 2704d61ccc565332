import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/replay/json.ts'
import { applyPatch } from '../../../src/replay/tools/apply-patch.ts'
import { genericTools } from '../../../src/replay/tools/generic.ts'
import { toolSite } from './tool-site.ts'

type Files = Readonly<Record<string, string>>

/** Applies a patch to files of /w: what it says, whether it failed, and what one of them holds then. */
async function apply(files: Files, patch: readonly string[], file = '/w/f'): Promise<readonly [string, boolean, string | null]> {
  const place = await toolSite({ '/w/.keep': '', ...files }, '/w')
  try {
    const { text, isError } = await applyPatch(patch.join('\n'), place.site)
    return [text, isError, await place.text(file).catch(() => null)]
  } finally {
    await place.close()
  }
}

const update = (...hunks: readonly string[]): readonly string[] => ['*** Begin Patch', '*** Update File: f', ...hunks, '*** End Patch']
const DONE = 'Success. Updated the following files:\nM f\n'

describe('a patch of Codex', () => {
  it('adds, deletes, and moves files', async () => {
    const place = await toolSite({ '/w/old': 'a\nb\n', '/w/gone': 'x\n' }, '/w')
    const patch = [
      '*** Begin Patch',
      '*** Add File: d/new',
      '+one',
      '+',
      '+ two',
      '*** Add File: empty',
      '*** Delete File: gone',
      '*** Update File: old',
      '*** Move to: d/moved',
      '@@',
      ' a',
      '-b',
      '+B',
      '*** End Patch',
    ]
    const { text, isError } = await applyPatch(patch.join('\n'), place.site)
    expect([text, isError]).toEqual(['Success. Updated the following files:\nA d/new\nA empty\nM d/moved\nD gone\n', false])
    expect(await place.text('/w/d/new')).toBe('one\n\n two\n')
    expect(await place.text('/w/empty')).toBe('')
    expect(await place.text('/w/d/moved')).toBe('a\nB\n')
    for (const path of ['/w/gone', '/w/old']) await expect(place.text(path)).rejects.toMatchObject({ code: 'ENOENT' })
    await place.close()
  })

  it.each<readonly [string, string, readonly string[], string]>([
    ['a hunk without a head', 'a\nb\nc\n', [' a', '-b', '+B'], 'a\nB\nc\n'],
    ['a place below an anchor', 'f:\n x\ng:\n x\n', ['@@ g:', '- x', '+ y'], 'f:\n x\ng:\n y\n'],
    ['an anchor in an anchor', 'A:\n f:\n  x\nB:\n f:\n  x\n', ['@@ B:', '@@  f:', '-  x', '+  y'], 'A:\n f:\n  x\nB:\n f:\n  y\n'],
    ['hunks one after another', 'x\nx\n', ['@@', '-x', '+1', '@@', '-x', '+2'], '1\n2\n'],
    ['the last place', 'x\ny\nx\n', ['@@', '-x', '+z', '*** End of File'], 'x\ny\nz\n'],
    ['lines with nothing to go by at the end, whatever the anchor', 'a\nb\n', ['@@ a', '+c'], 'a\nb\nc\n'],
    ['an empty line of context that has lost its space', 'a\n\nb\n', ['@@', ' a', '', '-b', '+c'], 'a\n\nc\n'],
    ['lines but for the white space at their ends', 'a  \nb\n', ['@@', ' a', '-b', '+c'], 'a\nc\n'],
    ['lines but for quotes and dashes of print', 'say \u201chi\u201d \u2013 now\nb\n', ['@@', '-say "hi" - now', '+bye'], 'bye\nb\n'],
    ['an empty last line that the file does not have', 'a\nb', ['@@', '-b', '-', '+c', '+'], 'a\nc\n'],
    ['a file without a last newline', 'a\nb', ['@@', '-a', '+c'], 'c\nb\n'],
  ])('finds %s', async (_, before, hunks, after) => {
    expect(await apply({ '/w/f': before }, update(...hunks))).toEqual([DONE, false, after])
  })

  it('has what its own parts before have made', async () => {
    const twice = ['*** Begin Patch', '*** Update File: f', '@@', '-a', '+A', '*** Update File: f', '@@', ' A', '-b', '+B', '*** End Patch']
    expect((await apply({ '/w/f': 'a\nb\n' }, twice))[2]).toBe('A\nB\n')
    const made = ['*** Begin Patch', '*** Add File: f', '+a', '*** Update File: f', '@@', '-a', '+b', '*** End Patch']
    expect((await apply({}, made))[2]).toBe('b\n')
  })

  it.each<readonly [string, readonly string[], string]>([
    ['no begin', ['x'], "Invalid patch: The first line of the patch must be '*** Begin Patch'"],
    ['no end', ['*** Begin Patch', '*** Delete File: f'], "Invalid patch: The last line of the patch must be '*** End Patch'"],
    ['no such header', ['*** Begin Patch', '*** Edit File: f', '*** End Patch'], "Invalid patch hunk on line 2: '*** Edit File: f' is not"],
    [
      'a line that is not added',
      ['*** Begin Patch', '*** Add File: g', '+a', 'b', '*** End Patch'],
      "Invalid patch hunk on line 4: 'b' is not",
    ],
    ['nothing to change', update(), "Invalid patch hunk on line 2: Update file hunk for path 'f' is empty"],
    [
      'a line that is in no way',
      update('@@', ' a', '>b'),
      "Invalid patch hunk on line 5: Expected update hunk to start with a @@ context marker, got: '>b'",
    ],
    ['lines that are not there', update('@@', ' a', '-q'), 'Failed to find expected lines in f:\na\nq'],
    ['an anchor that is not there', update('@@ q', '-a'), "Failed to find context 'q' in f"],
    [
      'no such file',
      ['*** Begin Patch', '*** Update File: none', '@@', '-a', '*** End Patch'],
      'Failed to read file to update none: No such file or directory (os error 2)',
    ],
  ])('is refused, and nothing changed: %s', async (_, patch, message) => {
    const [text, isError, after] = await apply({ '/w/f': 'a\nb\n' }, patch)
    expect(text).toContain(message)
    expect([isError, after]).toEqual([true, 'a\nb\n'])
  })

  it('is taken from each way to call it', async () => {
    const patch = update('@@', '-a', '+b').join('\n')
    const ways: readonly { readonly name: string; readonly given: JsonObject }[] = [
      { name: 'apply_patch', given: { input: patch } },
      { name: 'shell', given: { command: ['apply_patch', patch] } },
      { name: 'shell', given: { command: ['bash', '-lc', `apply_patch <<'EOF'\n${patch}\nEOF\n`] } },
      { name: 'exec_command', given: { cmd: `apply_patch << EOF\n${patch}\nEOF` } },
    ]
    for (const { name, given } of ways) {
      const place = await toolSite({ '/w/f': 'a\n' }, '/w')
      expect(await place.call(genericTools(), name, given)).toMatchObject({ text: DONE, isError: false, status: 0 })
      expect(await place.text('/w/f')).toBe('b\n')
      await place.close()
    }
  })
})
