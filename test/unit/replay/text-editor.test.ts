import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/replay/json.ts'
import type { EditorAnswer, EditorDialect } from '../../../src/replay/tools/text-editor.ts'
import { editText } from '../../../src/replay/tools/text-editor.ts'
import { toolSite } from './tool-site.ts'

const TEN = `${Array.from({ length: 10 }, (_, i) => `line ${i + 1}`).join('\n')}\n`

interface Editor {
  do(command: string, path: string, more?: JsonObject): Promise<EditorAnswer>
  text(path: string): Promise<string>
}

async function editor(dialect: EditorDialect, files: Readonly<Record<string, string>> = {}): Promise<Editor> {
  const { site, text } = await toolSite({ '/d/ten.txt': TEN, '/d/two.txt': 'a\tb\nc', ...files })
  return { do: (command, path, more = {}) => editText({ command, path, ...more }, site, dialect), text }
}

function numbered(first: number, lines: readonly string[]): string {
  return lines.map((line, i) => `${String(first + i).padStart(6)}\t${line}\n`).join('')
}

function lines(first: number, last: number): readonly string[] {
  return Array.from({ length: last - first + 1 }, (_, i) => `line ${first + i}`)
}

describe('both editors', () => {
  it.each<EditorDialect>(['openhands', 'anthropic'])('view, create, replace, insert and undo (%s)', async (dialect) => {
    const at = await editor(dialect)
    expect(await at.do('view', '/d/ten.txt')).toEqual({
      text: `Here's the result of running \`cat -n\` on /d/ten.txt:\n${numbered(1, [...lines(1, 10), ''])}`,
      isError: false,
    })
    expect(await at.do('create', '/d/n.txt', { file_text: 'x\ny\n' })).toEqual({
      text: 'File created successfully at: /d/n.txt',
      isError: false,
    })
    expect(await at.text('/d/n.txt')).toBe('x\ny\n')
    expect((await at.do('str_replace', '/d/n.txt', { old_str: 'x', new_str: 'z\nz' })).text).toBe(
      `The file /d/n.txt has been edited. Here's the result of running \`cat -n\` on a snippet of /d/n.txt:\n${numbered(1, ['z', 'z', 'y', ''])}Review the changes and make sure they are as expected. Edit the file again if necessary.`,
    )
    expect((await at.do('insert', '/d/n.txt', { insert_line: 0, new_str: 'first' })).text).toBe(
      `The file /d/n.txt has been edited. Here's the result of running \`cat -n\` on a snippet of the edited file:\n${numbered(1, ['first', 'z', 'z', 'y', ''])}Review the changes and make sure they are as expected (correct indentation, no duplicate lines, etc). Edit the file again if necessary.`,
    )
    expect(await at.text('/d/n.txt')).toBe('first\nz\nz\ny\n')
    expect((await at.do('undo_edit', '/d/n.txt')).text).toBe(
      `Last edit to /d/n.txt undone successfully. Here's the result of running \`cat -n\` on /d/n.txt:\n${numbered(1, ['z', 'z', 'y', ''])}`,
    )
    await at.do('undo_edit', '/d/n.txt')
    expect(await at.text('/d/n.txt')).toBe('x\ny\n')
    await at.do('undo_edit', '/d/n.txt')
    expect(await at.do('undo_edit', '/d/n.txt')).toEqual({ text: 'No edit history found for /d/n.txt.', isError: true })
    expect(await at.do('str_replace', '/d/ten.txt', { old_str: 'line 10\n' })).toMatchObject({ isError: false })
    expect(await at.text('/d/ten.txt')).toBe(TEN.replace('line 10\n', ''))
  })

  it.each<EditorDialect>(['openhands', 'anthropic'])('change nothing where they refuse (%s)', async (dialect) => {
    const at = await editor(dialect, { '/d/many.txt': 'a\nb\na\na a\n' })
    const refusals: readonly (readonly [command: string, path: string, more: JsonObject, text: RegExp])[] = [
      [
        'str_replace',
        '/d/many.txt',
        { old_str: 'a', new_str: 'x' },
        /Multiple occurrences of old_str `a` in lines \[1, 3, 4\]\. Please ensure it is unique/,
      ],
      ['str_replace', '/d/many.txt', { old_str: 'z', new_str: 'x' }, /old_str `z` did not appear verbatim in \/d\/many\.txt\./],
      ['str_replace', '/d/many.txt', { new_str: 'x' }, /`old_str` is required for command: str_replace/],
      [
        'insert',
        '/d/many.txt',
        { insert_line: 6, new_str: 'x' },
        /Invalid `insert_line` parameter: 6\. It should be within the range of .*: \[0, [45]\]/,
      ],
      ['insert', '/d/many.txt', { insert_line: 1.5, new_str: 'x' }, /`insert_line` is required/],
      ['create', '/d/many.txt', { file_text: 'x' }, /File already exists at: \/d\/many\.txt\. Cannot overwrite/],
      ['create', '/d/new.txt', {}, /`file_text` is required for command: create/],
      ['create', '/none/new.txt', { file_text: 'x' }, /\/none/],
      ['view', '/d/nowhere', {}, /The path \/d\/nowhere does not exist\. Please provide a valid path\./],
      ['view', 'd/many.txt', {}, /absolute path/],
      ['insert', '/d', { insert_line: 0, new_str: 'x' }, /The path \/d is a directory and only the `view` command/],
      ['view', '/d', { view_range: [1, 2] }, /`view_range` parameter is not allowed/],
      ['view', '/d/many.txt', { view_range: [0, 2] }, /Invalid `view_range` parameter: \[0, 2\]\. Its first element `0`/],
      ['view', '/d/many.txt', { view_range: [3, 2] }, /Invalid `view_range` parameter: \[3, 2\]\. Its second element `2`/],
      ['view', '/d/many.txt', { view_range: '1' }, /Invalid `view_range` parameter: "1"\. It should be a list of two integers/],
      ['delete', '/d/many.txt', {}, /Unrecognized command delete\./],
    ]
    for (const [command, path, more, text] of refusals)
      expect(await at.do(command, path, more)).toEqual({ text: expect.stringMatching(text), isError: true })
    expect(await at.text('/d/many.txt')).toBe('a\nb\na\na a\n')
  })

  it.each<EditorDialect>(['openhands', 'anthropic'])('leave alone what is no text (%s)', async (dialect) => {
    const { site } = await toolSite({})
    await site.fs.write('/binary', new Uint8Array([0x61, 0xff, 0x62]))
    expect(await editText({ command: 'str_replace', path: '/binary', old_str: 'a', new_str: 'x' }, site, dialect)).toMatchObject({
      isError: true,
    })
    expect(await site.fs.read('/binary')).toEqual(new Uint8Array([0x61, 0xff, 0x62]))
  })
})

describe('the editor of OpenHands', () => {
  it('shows the lines around an edit with the end of the last one', async () => {
    const at = await editor('openhands')
    expect((await at.do('str_replace', '/d/ten.txt', { old_str: 'line 5\n', new_str: 'five\n' })).text).toContain(
      `a snippet of /d/ten.txt:\n${numbered(2, ['line 2', 'line 3', 'line 4', 'five', ...lines(6, 10), ''])}Review`,
    )
    expect((await at.do('view', '/d/ten.txt', { view_range: [2, 3] })).text).toBe(
      `Here's the result of running \`cat -n\` on /d/ten.txt:\n${numbered(2, ['line 2', 'line 3', ''])}`,
    )
    expect((await at.do('view', '/d/ten.txt', { view_range: [9, 99] })).text).toContain('    10\tline 10\n')
  })

  it('looks for a text without the space around it, where it is not there with it', async () => {
    const at = await editor('openhands')
    expect(await at.do('str_replace', '/d/two.txt', { old_str: '  c \n', new_str: ' d ' })).toMatchObject({ isError: false })
    expect(await at.text('/d/two.txt')).toBe('a\tb\nd')
    expect(await at.do('str_replace', '/d/two.txt', { old_str: 'd', new_str: 'd' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('must be different'),
    })
  })

  it('lists a directory with a slash after directories, and counts what is hidden', async () => {
    const at = await editor('openhands', { '/d/sub/deep/x': '', '/d/sub/.h': '', '/d/.one': '', '/d/.two/y': '' })
    expect((await at.do('view', '/d')).text).toBe(
      `Here's the files and directories up to 2 levels deep in /d, excluding hidden items:\n/d/\n/d/sub/\n/d/sub/deep/\n/d/ten.txt\n/d/two.txt\n\n2 hidden files/directories in this directory are excluded. You can use 'ls -la /d' to see them.`,
    )
  })
})

describe('the other editor', () => {
  it('shows the lines around an edit, tabs as spaces', async () => {
    const at = await editor('anthropic')
    expect((await at.do('str_replace', '/d/ten.txt', { old_str: 'line 6', new_str: 'six' })).text).toContain(
      `a snippet of /d/ten.txt:\n${numbered(2, [...lines(2, 5), 'six', ...lines(7, 10)])}Review`,
    )
    expect((await at.do('view', '/d/ten.txt', { view_range: [2, 3] })).text).toBe(
      `Here's the result of running \`cat -n\` on /d/ten.txt:\n${numbered(2, ['line 2', 'line 3'])}`,
    )
    expect((await at.do('view', '/d/two.txt')).text).toContain('     1\ta       b\n     2\tc\n')
    await at.do('insert', '/d/two.txt', { insert_line: 2, new_str: 'e' })
    expect(await at.text('/d/two.txt')).toBe('a\tb\nc\ne')
  })

  it('lists a directory', async () => {
    const at = await editor('anthropic', { '/d/sub/x': '' })
    expect((await at.do('view', '/d/')).text).toBe(
      "Here's the files and directories up to 2 levels deep in /d, excluding hidden items:\n/d\n/d/sub\n/d/sub/x\n/d/ten.txt\n/d/two.txt\n",
    )
  })
})
