import { describe, expect, it } from 'vitest'
import { followLinks } from '../../../src/fs/follow-links.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { run, Twin } from './harness.ts'

const SETUP = `mkdir -p d/s e/x; head -c 5000 /dev/zero > d/f; echo a > d/s/g; ln d/f d/hard; ln -s f d/l; : > e/empty
head -c 100000 /dev/zero > e/x/large; printf '*.x\\nf\\n' > patterns; ln -s d dl
touch -d '2020-01-01 UTC' d/s/g d/f e/empty e/x/large patterns; touch -h -d '2020-01-01 UTC' d/l dl; touch -d '2020-06-01 UTC' d/s e/x; touch -d '2021-01-01 UTC' d e .`

const DU = `du
du -a
du d e
du -s d e
du -c d e
du -sc d e
du -S
du -S -a
du -b
du -ab d
du -h
du -ah
du -m
du -k
du --si
du -B 1
du -B K
du -B 1M
du -BKB
du -d 0
du -d 1
du --max-depth=1 -a
du -d 0 -a
du -sa
du -s -d 1
du -s -d 0
du -d x
du -d -1
du -B x
du -B 1Q
du -t 5K
du -t 4097
du -t -5K
du -t x
du -at 5K
du --time d
du --time --time-style=+%s d
du --time --time-style=full-iso d
du --time --time-style=iso d
du --time-style=foo --time d
du --time=foo
du -l
du -l d
du d d
du d d/s
du -a d/f d/hard
du d/f d/hard
du -L d
du -L dl
du dl
du -D dl
du -H dl
du d/l
du nope
du nope d
du --exclude=f -a
du --exclude=*.x -a
du --exclude=d/s -a
du --exclude=? -a d
du -X patterns -a
du -X nope d
du --inodes
du --inodes d
du --apparent-size d
du --apparent-size -h d
du -x d
du -0 d
du --files0-from=nope
du --files0-from=- d
du -P d
du d/
du -s .
du e/empty
du -q
du ''`.split('\n')

const DF = ['df nope', 'df --output=foo .', 'df --output=size,size .', 'df -i --output .', 'df -t nosuch .', 'df -B x .', 'df -q']

describe('du, df and tree', () => {
  it('du adds up as the real one', async () => {
    const twin = new Twin(SETUP)
    const sorted = (text: string): string[] => text.split('\n').sort()
    for (const line of DU) {
      const argv = line.split(' ').map((word) => (word === "''" ? '' : word))
      const [mine, theirs] = [await twin.ours(argv), twin.real(argv)]
      expect({ line, ...mine, stdout: sorted(mine.stdout) }).toEqual({ line, ...theirs, stdout: sorted(theirs.stdout) })
    }
    await twin.same(['du', '-s', '--files0-from=-'], { stdin: 'd\0e\0' })
    for (const env of [{ DU_BLOCK_SIZE: '1' }, { BLOCK_SIZE: 'human-readable' }, { BLOCKSIZE: '512' }] as Record<string, string>[]) {
      await twin.same(['du', '-s', 'd'], { env })
    }
  })

  it('df complains as the real one', async () => {
    for (const line of DF) await new Twin(SETUP).same(line)
  })

  it('df shows what a file system knows', async () => {
    const fs = followLinks(new RAMFileSystem({ maxBytes: 10 * 1024 * 1024, files: { '/f': new Uint8Array(1024 * 1024) } }))
    expect((await run(fs, ['df'])).stdout).toBe(
      'Filesystem     1K-blocks  Used Available Use% Mounted on\nmirage             10240  1024      9216  10% /\n',
    )
    expect((await run(fs, ['df', '-hT', '/f'])).stdout).toBe(
      'Filesystem     Type    Size  Used Avail Use% Mounted on\nmirage         mirage   10M  1.0M  9.0M  10% /\n',
    )
    expect((await run(fs, ['df', '--output=pcent,target', '--total', '.'])).stdout).toBe('Use% Mounted on\n 10% /\n 10% total\n')
    expect((await run(followLinks(new RAMFileSystem()), ['df', '-P'])).stdout).toBe(
      'Filesystem     1024-blocks  Used Available Capacity Mounted on\nmirage                   -     -         -        - /\n',
    )
  })

  const files = followLinks(
    new RAMFileSystem({
      host: { now: () => Date.UTC(2024, 0, 5, 10, 30) },
      files: {
        '/w/a.txt': 'one\n',
        '/w/b/c.js': '12345',
        '/w/b/d/e.js': '',
        '/w/.hid/x': '',
        '/w/empty/': '',
        '/w/z.js': 'x'.repeat(2000),
      },
    }),
  )
  const draw = async (line: string, env: Record<string, string> = {}): Promise<string> => {
    const result = await run(files, line.split(' '), { cwd: '/w', env, now: Date.UTC(2024, 0, 6) })
    expect(result.stderr).toBe('')
    return result.stdout
  }

  it('tree draws', async () => {
    expect(await draw('tree')).toBe(`.
├── a.txt
├── b
│\u00a0\u00a0 ├── c.js
│\u00a0\u00a0 └── d
│\u00a0\u00a0     └── e.js
├── empty
└── z.js

4 directories, 4 files
`)
    expect(await draw('tree --charset=ascii -L 1')).toBe('.\n|-- a.txt\n|-- b\n|-- empty\n`-- z.js\n\n3 directories, 2 files\n')
    expect(await draw('tree b', { LC_ALL: 'C' })).toBe('b\n|-- c.js\n`-- d\n    `-- e.js\n\n2 directories, 2 files\n')
    expect(await draw('tree -d')).toBe('.\n├── b\n│\u00a0\u00a0 └── d\n└── empty\n\n4 directories\n')
    expect(await draw('tree -a .hid')).toBe('.hid\n└── x\n\n1 directory, 1 file\n')
    expect(await draw('tree -fi --noreport')).toBe('.\n./a.txt\n./b\n./b/c.js\n./b/d\n./b/d/e.js\n./empty\n./z.js\n')
    expect(await draw('tree -P *.js --prune --noreport')).toBe(
      '.\n├── b\n│\u00a0\u00a0 ├── c.js\n│\u00a0\u00a0 └── d\n│\u00a0\u00a0     └── e.js\n└── z.js\n',
    )
    expect(await draw('tree -I b|*.js --noreport')).toBe('.\n├── a.txt\n└── empty\n')
    expect(await draw('tree --dirsfirst -F --noreport -L 1')).toBe('./\n├── b/\n├── empty/\n├── a.txt\n└── z.js\n')
    expect(await draw('tree -r --noreport -L 1')).toBe('.\n├── z.js\n├── empty\n├── b\n└── a.txt\n')
    expect(await draw('tree -sh --noreport -L 1')).toBe(
      '[4.0K]  .\n├── [   4]  a.txt\n├── [4.0K]  b\n├── [4.0K]  empty\n└── [2.0K]  z.js\n',
    )
    expect(await draw('tree -ps --noreport b')).toBe(
      '[drwxr-xr-x        4096]  b\n├── [-rw-r--r--           5]  c.js\n└── [drwxr-xr-x        4096]  d\n    └── [-rw-r--r--           0]  e.js\n'
        .replaceAll('drwxr-xr-x', (await draw('stat -c %A b')).trim())
        .replaceAll('-rw-r--r--', (await draw('stat -c %A a.txt')).trim()),
    )
    expect(await draw('tree -D --noreport -L 1 -P z*')).toContain('[Jan  5 10:30]  z.js')
    expect(await draw('tree --filelimit=1 --noreport b')).toBe('b  [2 entries exceeds filelimit, not opening dir]\n')
    expect(await draw('tree --du -P z* --prune')).toBe(
      '[       6096]  .\n└── [       2000]  z.js\n\n6096 bytes used in 1 directory, 1 file\n',
    )
    expect(await draw('tree -J b')).toBe(`[
  {"type":"directory","name":"b","contents":[
    {"type":"file","name":"c.js"},
    {"type":"directory","name":"d","contents":[
      {"type":"file","name":"e.js"}
    ]}
  ]}
,
  {"type":"report","directories":2,"files":2}
]
`)
    expect(await draw('tree -X b')).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<tree>
  <directory name="b">
    <file name="c.js"></file>
    <directory name="d">
      <file name="e.js"></file>
    </directory>
  </directory>
  <report>
    <directories>2</directories>
    <files>2</files>
  </report>
</tree>
`)
  })

  it('tree shows links and says what it can not do', async () => {
    const twin = new Twin('mkdir d; : > d/f; ln -s d l; ln -s nowhere n')
    expect((await twin.ours(['tree', '-F'], { env: { LC_ALL: 'C.UTF-8' } })).stdout).toBe(
      './\n├── d/\n│\u00a0\u00a0 └── f\n├── l -> d/\n└── n -> nowhere\n\n3 directories, 2 files\n',
    )
    expect((await twin.ours(['tree', '-l'], { env: { LC_ALL: 'C.UTF-8' } })).stdout).toBe(
      '.\n├── d\n│\u00a0\u00a0 └── f\n├── l -> d\n│\u00a0\u00a0 └── f\n└── n -> nowhere\n\n3 directories, 3 files\n',
    )
    expect(await twin.ours(['tree', 'nope'])).toEqual({
      stdout: 'nope  [error opening dir]\n\n0 directories, 0 files\n',
      stderr: '',
      status: 2,
    })
    expect(await twin.ours(['tree', '-L', '0'])).toEqual({
      stdout: '',
      stderr: 'tree: Invalid level, must be greater than 0.\n',
      status: 1,
    })
    expect(await twin.ours(['tree', '-L'])).toEqual({ stdout: '', stderr: 'tree: Missing argument to -L option.\n', status: 1 })
    expect((await twin.ours(['tree', '-o', 'out', 'd'])).stdout).toBe('')
    expect((await twin.files())['./out']).toBe('file 644 1 d\n`-- f\n\n1 directory, 1 file\n')
  })
})
