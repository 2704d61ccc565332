import type { FileSystem } from '../../src/fs/file-system.ts'
import type { Job } from '../../src/job/job.ts'
import { deepEqual, equal, ok, rejects } from './assert.ts'
import type { ContractCase } from './case.ts'

/** What runs Jobs over one tree. */
export interface StageSubject {
  /** The tree itself, whoever else writes there. */
  readonly tree: FileSystem
  /** Runs a script over it, staged or not; its status is a result. */
  run(script: string, stage: boolean): Promise<Job>
  /** Another tree, with the same in it as `tree` has now, and how a script is run straight in it. */
  twin(): Promise<{ readonly tree: FileSystem; run(script: string): Promise<void> }>
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Paths, kinds, modes and content of a whole tree, as lines. Link targets are content; times are none. */
export async function treeState(fs: FileSystem): Promise<readonly string[]> {
  const lines: string[] = []
  const waiting = ['/']
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const { name, type } of await fs.readdir(at)) {
      const path = at === '/' ? `/${name}` : `${at}/${name}`
      const { mode } = await fs.lstat(path)
      const content = type === 'file' ? decoder.decode(await fs.read(path)) : type === 'symlink' ? await fs.readlink(path) : ''
      lines.push(`${path} ${type} ${type === 'symlink' ? '' : mode.toString(8)} ${content}`)
      if (type === 'directory') waiting.push(path)
    }
  }
  return lines.sort()
}

const SETUP = `umask 022; mkdir -p keep/deep empty gone/a/b; echo one > keep/one; echo two > keep/deep/two; echo x > gone/a/b/x; echo y > gone/y
ln -s keep/one link; ln -s nowhere dangling; printf '#!/bin/sh\\necho run\\n' > tool; chmod 755 tool; echo base > report; echo note > note; echo secret > private; chmod 600 private`

/** Changes of every kind. */
const CHANGES = `umask 022; echo more >> report; rm note; rm -r gone; mkdir -p new/sub/leaf; echo n > new/sub/n; chmod 750 new; mv keep/one keep/renamed; mv keep/deep moved
chmod 644 tool; chmod 711 private; rm link; ln -s report link; rm dangling; mkdir dangling; echo in > dangling/in; rmdir empty; echo file > empty; ln -s ../.. new/out; printf 'a\\377b' > bytes
echo temp > temp; rm temp; mkdir t; rmdir t; cp tool copied; chmod 700 copied`

async function write(fs: FileSystem, path: string, text: string): Promise<void> {
  await fs.write(path, encoder.encode(text))
}

async function text(fs: FileSystem, path: string): Promise<string> {
  return decoder.decode(await fs.read(path))
}

async function kinds(job: Job): Promise<readonly string[]> {
  return (await job.changes()).map(({ kind, path }) => `${kind} ${path}`)
}

/** A proposal is nothing until it is applied, and then exactly what it says. */
export const stageContract: readonly ContractCase<StageSubject>[] = [
  ...[
    ['success', ''],
    ['a failure', '; exit 3'],
    ['a signal', '; kill -9 $$'],
  ].map(
    ([name, end]): ContractCase<StageSubject> => ({
      name: `before apply the tree is what it was, after ${name}`,
      run: async (subject) => {
        await subject.run(SETUP, false)
        const before = await treeState(subject.tree)
        const job = await subject.run(`${CHANGES}${end}`, true)
        deepEqual(await treeState(subject.tree), before)
        equal((await job.status()).run.state, name === 'success' ? 'completed' : 'failed')
      },
    }),
  ),
  {
    name: 'a Job sees its own writes, removals and renames',
    run: async (subject) => {
      await subject.run(SETUP, false)
      const job = await subject.run(
        `${CHANGES}; cat report keep/renamed moved/two new/sub/n; [ ! -e note ] && [ ! -e gone ] && [ -d dangling ] && ls empty`,
        true,
      )
      equal((await job.review()).run.output.stdout, 'base\nmore\none\ntwo\nn\nempty\n')
      const seen = await job.inspect(['sh', '-c', 'cat report; ls gone || ls moved'])
      deepEqual([decoder.decode(seen.stdout), seen.exitCode], ['base\nmore\ntwo\n', 0])
    },
  },
  {
    name: 'inspecting changes nothing',
    run: async (subject) => {
      await subject.run(SETUP, false)
      const job = await subject.run('echo staged > report', true)
      const before = await treeState(subject.tree)
      await job.inspect(['sh', '-c', 'echo lost > report; rm note; true'])
      deepEqual([await kinds(job), await treeState(subject.tree)], [['modified report'], before])
      equal(decoder.decode((await job.inspect(['cat', 'report'])).stdout), 'staged\n')
    },
  },
  {
    name: 'the review is the exact net effect',
    run: async (subject) => {
      await subject.run(SETUP, false)
      const job = await subject.run(CHANGES, true)
      deepEqual(await kinds(job), [
        'added bytes',
        'added copied',
        'type_changed dangling',
        'added dangling/in',
        'type_changed empty',
        'deleted gone',
        'deleted keep/deep',
        'deleted keep/one',
        'added keep/renamed',
        'modified link',
        'added moved',
        'added moved/two',
        'added new',
        'added new/out',
        'added new/sub',
        'added new/sub/leaf',
        'added new/sub/n',
        'deleted note',
        'modified private',
        'modified report',
        'modified tool',
      ])
      const { filesystem } = await job.review()
      deepEqual(
        filesystem?.changes.find(({ path }) => path === 'dangling'),
        {
          path: 'dangling',
          kind: 'type_changed',
          old_type: 'symlink',
          new_type: 'directory',
          mode: 0o755,
        },
      )
      deepEqual(
        filesystem?.changes.find(({ path }) => path === 'note'),
        { path: 'note', kind: 'deleted', old_type: 'file' },
      )
      deepEqual([filesystem?.changed_files, filesystem?.whiteouts, filesystem?.state], [17, 4, 'staged'])
    },
  },
  {
    name: 'what ends as it began is no change',
    run: async (subject) => {
      await subject.run(SETUP, false)
      const job = await subject.run(
        'cp report r; echo x >> report; mv r report; mkdir d; rmdir d; touch note; rm -r keep/deep; mkdir keep/deep; echo two > keep/deep/two',
        true,
      )
      deepEqual(await kinds(job), [])
    },
  },
  {
    name: 'everything applied is the tree that the script makes when it runs there',
    run: async (subject) => {
      await subject.run(SETUP, false)
      const twin = await subject.twin()
      await twin.run(CHANGES)
      const job = await subject.run(CHANGES, true)
      const applied = await job.apply({ all: true })
      deepEqual([applied.remaining, applied.alreadyApplied, applied.paths.length], [0, false, 21])
      deepEqual(await treeState(subject.tree), await treeState(twin.tree))
      deepEqual([await kinds(job), (await job.status()).filesystem?.state, (await job.status()).workspace_generation], [[], 'applied', 1])
    },
  },
  {
    name: 'a stage that was dropped is never applied',
    run: async (subject) => {
      await subject.run(SETUP, false)
      const before = await treeState(subject.tree)
      const job = await subject.run(CHANGES, true)
      deepEqual(await job.drop(), { alreadyDropped: false })
      deepEqual(await job.drop(), { alreadyDropped: true })
      await rejects(() => job.apply(), 'EINVAL')
      deepEqual([await kinds(job), await treeState(subject.tree), (await job.review()).filesystem?.state], [[], before, 'discarded'])
    },
  },
  {
    name: 'a selection touches what it names and what is below, and selections add up to everything',
    run: async (subject) => {
      await subject.run(SETUP, false)
      const twin = await subject.twin()
      await twin.run(CHANGES)
      const before = await treeState(subject.tree)
      const job = await subject.run(CHANGES, true)
      const first = await job.apply({ paths: ['new/sub/n', '/report', 'gone'] })
      // Its parents are new, so they come with it.
      deepEqual(first.paths, ['gone', 'new', 'new/sub', 'new/sub/n', 'report'])
      const touched = (line: string): boolean => /^\/(gone|new|report)(\/| )/.test(line)
      deepEqual(
        (await treeState(subject.tree)).filter((line) => !touched(line)),
        before.filter((line) => !touched(line)),
      )
      equal(await text(subject.tree, '/report'), 'base\nmore\n')
      deepEqual((await kinds(job)).length, 16, (await kinds(job)).join())
      const second = await job.apply({ include: ['*'], exclude: ['keep/**'] })
      deepEqual([second.remaining, await kinds(job)], [3, ['deleted keep/deep', 'deleted keep/one', 'added keep/renamed']])
      equal((await job.apply()).remaining, 0)
      deepEqual(await treeState(subject.tree), await treeState(twin.tree))
    },
  },
  {
    name: 'a selection that can not be is refused',
    run: async (subject) => {
      await subject.run(SETUP, false)
      const before = await treeState(subject.tree)
      const job = await subject.run(CHANGES, true)
      await rejects(() => job.apply({ paths: ['nowhere'] }), 'NOT_FOUND')
      await rejects(() => job.apply({ paths: ['keep/../report'] }), 'CONFIG_INVALID')
      await rejects(() => job.apply({ paths: ['report'], all: true }), 'CONFIG_INVALID')
      await rejects(() => job.apply({ paths: ['new/sub/n'], exclude: ['new'] }), 'NOT_FOUND')
      await rejects(() => job.apply({ include: ['new/sub/n'], exclude: ['new/sub'] }), 'NOT_FOUND')
      await rejects(() => job.apply({ only: ['report'] } as never), 'CONFIG_INVALID')
      deepEqual(await treeState(subject.tree), before)
    },
  },
  {
    name: 'applying again changes nothing',
    run: async (subject) => {
      await subject.run(SETUP, false)
      const job = await subject.run(CHANGES, true)
      await job.apply()
      const after = await treeState(subject.tree)
      await write(subject.tree, '/report', 'later')
      const again = await job.apply({ paths: ['report'] })
      deepEqual([again.alreadyApplied, again.paths], [true, []])
      equal(await text(subject.tree, '/report'), 'later')
      await write(subject.tree, '/report', 'base\nmore\n')
      deepEqual(await treeState(subject.tree), after)
      await rejects(() => job.drop(), 'EINVAL')
    },
  },
  ...(
    [
      ['was changed', (fs) => write(fs, '/report', 'mine')],
      ['was changed to as many bytes', (fs) => write(fs, '/report', 'BASE\n')],
      ['was removed', (fs) => fs.unlink('/report')],
      ['was made', (fs) => write(fs, '/bytes', 'mine')],
      [
        'became a link',
        async (fs) => {
          await fs.unlink('/report')
          await fs.symlink('private', '/report')
        },
      ],
      ['got another mode', (fs) => fs.setattr('/report', { mode: 0o600 })],
      ['that goes was changed', (fs) => write(fs, '/gone/y', 'mine')],
      ['in a directory that goes was made', (fs) => write(fs, '/gone/a/new', 'mine')],
    ] as readonly (readonly [string, (fs: FileSystem) => unknown])[]
  ).map(
    ([name, change]): ContractCase<StageSubject> => ({
      name: `nothing is applied where a file ${name} since`,
      run: async (subject) => {
        await subject.run(SETUP, false)
        const job = await subject.run(CHANGES, true)
        const staged = await kinds(job)
        await change(subject.tree)
        const after = await treeState(subject.tree)
        await rejects(() => job.apply({ all: true }), 'CONFLICT')
        deepEqual(await treeState(subject.tree), after)
        // The proposal is what it was, and what is not concerned can still be applied.
        equal((await job.status()).filesystem?.state, 'staged')
        ok((await kinds(job)).length >= staged.length - 1)
        equal((await job.apply({ paths: ['moved', 'keep'] })).paths.length, 5)
        equal(await text(subject.tree, '/moved/two'), 'two\n')
      },
    }),
  ),
  {
    name: 'what others do elsewhere neither hinders nor is undone',
    run: async (subject) => {
      await subject.run(SETUP, false)
      const job = await subject.run('echo agent > report; mkdir -p keep/mine; echo m > keep/mine/m', true)
      await write(subject.tree, '/note', 'theirs')
      await write(subject.tree, '/keep/one', 'theirs')
      await write(subject.tree, '/keep/other', 'theirs')
      await subject.tree.unlink('/private')
      await job.apply()
      deepEqual(
        [await text(subject.tree, '/note'), await text(subject.tree, '/keep/one'), await text(subject.tree, '/keep/other')],
        ['theirs', 'theirs', 'theirs'],
      )
      deepEqual([await text(subject.tree, '/report'), await text(subject.tree, '/keep/mine/m')], ['agent\n', 'm\n'])
      await rejects(() => subject.tree.lstat('/private'), 'ENOENT')
    },
  },
  {
    name: 'a directory that became a link to elsewhere is not written through',
    run: async (subject) => {
      await subject.run(`${SETUP}; mkdir outside`, false)
      const job = await subject.run('echo agent > keep/agent; echo agent > keep/one', true)
      await subject.run('rm -r keep; ln -s outside keep', false)
      const before = await treeState(subject.tree)
      await rejects(() => job.apply(), 'CONFLICT')
      await rejects(() => job.apply({ paths: ['keep/agent'] }), 'CONFLICT')
      deepEqual(await treeState(subject.tree), before)
    },
  },
  {
    name: 'a link operation that fails leaves no link',
    run: async (subject) => {
      await subject.run(SETUP, false)
      const job = await subject.run(
        'ln -s a report 2>/dev/null || ln missing hard 2>/dev/null || ln -s a keep/one/x 2>/dev/null || ln keep/deep hard 2>/dev/null || true',
        true,
      )
      deepEqual(await kinds(job), [])
    },
  },
  {
    name: 'the diff is a patch that names what it can not show',
    run: async (subject) => {
      await subject.run(SETUP, false)
      const job = await subject.run("echo more >> report; rm note; chmod +x report; printf 'a\\0b' > binary; ln -s to l", true)
      const patch = (await job.diff()).split('\n')
      for (const line of [
        '+++ b/report',
        ' base',
        '+more',
        'old mode 100644',
        'new mode 100755',
        '--- a/note',
        '-note',
        'Binary files /dev/null and b/binary differ',
        '+to',
      ])
        ok(patch.includes(line), `${line} in ${patch.join('\n')}`)
      ok((await job.diff({ maxBytes: 300 })).includes('not shown, since all of it is longer than 300 bytes'))
    },
  },
]
