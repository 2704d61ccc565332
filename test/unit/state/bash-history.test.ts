import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { decode, encode } from '../../../src/bytes.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { webHost } from '../../../src/host.ts'
import { formatBashHistory, parseBashHistory } from '../../../src/state/bash-history.ts'
import { withBashHistory } from '../../../src/state/bash-history-file.ts'
import { RAMWorkspaceStateStore } from '../../../src/state/ram-state-store.ts'
import { openSessions } from '../../../src/state/sessions.ts'
import { initialFields } from '../../contract/session.ts'
import { newFolder, removeFolders } from './subjects.ts'

afterEach(removeFolders)

const commands = [
  'echo hi',
  'cat <<E\n#123\n #456\n\n  #7 x\nE',
  '#1700000000',
  ' #1 x',
  'for i in 1 2\ndo echo $i # 1\ndone',
  'printf "a\\n#1"\n',
  '\n',
  'echo \udc80\u00e9 \u2028 \r',
  '##1',
  '# 1',
]

describe('bash history', () => {
  it('reads back what it wrote, whatever the commands look like', () => {
    const entries = commands.map((command, i) => ({ timestamp: 1_700_000_000_000 + i * 1500, command }))
    const read = parseBashHistory(formatBashHistory(entries))
    expect(read).toEqual(entries.map(({ timestamp, command }) => ({ seconds: Math.floor(timestamp / 1000), command })))
  })

  it('reads back random lines of what is easily mistaken', () => {
    let state = 1
    const random = (bound: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * bound)
    }
    for (let round = 0; round < 2000; round++) {
      const entries = Array.from({ length: 1 + random(4) }, () => ({
        timestamp: random(1e9) * 1000,
        command: Array.from({ length: 1 + random(12) }, () => ['#', '1', ' ', '\n', 'a', '\t'][random(6)]).join(''),
      }))
      const read = parseBashHistory(formatBashHistory(entries))
      expect(read).toEqual(entries.map(({ timestamp, command }) => ({ seconds: timestamp / 1000, command })))
    }
  })

  it('reads a file without times as one entry a line', () => {
    expect(parseBashHistory(encode('ls\n\ncd /\n#1700000000\na\nb\n'))).toEqual([
      { seconds: null, command: 'ls' },
      { seconds: null, command: '' },
      { seconds: null, command: 'cd /' },
      { seconds: 1_700_000_000, command: 'a\nb' },
    ])
  })

  it.skipIf(!fs.existsSync('/bin/bash'))('is what bash reads, line breaks and all', () => {
    const file = `${newFolder()}/history`
    const entries = [
      { timestamp: 1_700_000_000_000, command: 'echo one' },
      { timestamp: 1_700_000_001_000, command: 'for i in 1 2\ndo\n  echo $i\ndone' },
      { timestamp: 1_700_000_002_000, command: 'echo "a\n#b"' },
    ]
    fs.writeFileSync(file, formatBashHistory(entries))
    const script = `HISTTIMEFORMAT='%s|'; history -r ${file}; history`
    const output = execFileSync('/bin/bash', ['--norc', '-c', script], { encoding: 'utf8' })
    const expected = entries.map(({ timestamp, command }, i) => `${String(i + 1).padStart(5)}  ${timestamp / 1000}|${command}\n`)
    expect(output).toBe(expected.join(''))
  })
})

describe('/.bash_history', () => {
  async function open() {
    const sessions = openSessions({ store: new RAMWorkspaceStateStore(), workspaceId: 'w', host: webHost })
    const { session } = await sessions.open('s', initialFields)
    const add = (command: string) =>
      session.history.add([{ agent: null, timestamp: 1_700_000_000_000, cwd: '/', command, exitCode: 0, durationMs: 1 }])
    return { add, session, files: withBashHistory(new RAMFileSystem(), session.history) }
  }

  it('shows the session its history, as the builtin does', async () => {
    const { add, session, files } = await open()
    const text = async (): Promise<string> => decode(await files.read('/.bash_history'))
    expect(await text()).toBe('')
    await add('one')
    expect(await text()).toBe('#1700000000\none\n')
    await add('two')
    expect(await text()).toBe('#1700000000\none\n#1700000000\ntwo\n')
    expect(await files.stat('/.bash_history')).toMatchObject({ type: 'file', size: 32, mode: 0o400, mtimeMs: 1_700_000_000_000 })
    expect(decode(await files.read('/.bash_history', 12, 3))).toBe('one')
    await session.history.remove(0, 1)
    expect(await text()).toBe('#1700000000\ntwo\n')
    await session.history.clear()
    expect(await text()).toBe('')
    await add('three')
    expect(await text()).toBe('#1700000000\nthree\n')
  })

  it('is in the root and nowhere else, and can not be changed', async () => {
    const { files } = await open()
    await files.mkdir('/d')
    await files.write('/.bash_history2', encode('x'))
    expect((await files.readdir('/')).map(({ name }) => name).sort()).toEqual(['.bash_history', '.bash_history2', 'd'])
    expect(await files.readdir('/d')).toEqual([])
    const attempts = [
      () => files.write('/.bash_history', encode('x')),
      () => files.append('/.bash_history', encode('x')),
      () => files.truncate('/.bash_history', 0),
      () => files.unlink('/.bash_history'),
      () => files.rename('/.bash_history', '/x'),
      () => files.rename('/.bash_history2', '/.bash_history'),
      () => files.setattr('/.bash_history', { mode: 0 }),
    ]
    for (const attempt of attempts) expect(attempt).toThrow('Read-only file system')
    expect(() => files.stat('/.bash_history/x')).toThrow('Not a directory')
    expect(() => files.mkdir('/.bash_history')).toThrow('File exists')
    expect(decode(await files.read('/.bash_history2'))).toBe('x')
  })
})
