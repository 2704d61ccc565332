import { execFileSync } from 'node:child_process'
import { mkdtempSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { HostFileSystem } from '../../../platforms/node/index.ts'
import { RAMFileSystem, RAMWorkspaceStateStore, Workspace } from '../../../src/index.ts'
import { readTar, writeTar } from '../../../src/job/archive-tar.ts'
import { treeState } from './tree-state.ts'

const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mirage-archive-'))
  folders.push(folder)
  return folder
}

function dataOf({ fs }: Workspace): Promise<readonly string[]> {
  return treeState(fs, undefined, '/data')
}

async function filled(): Promise<{ ws: Workspace; data: RAMFileSystem }> {
  const data = new RAMFileSystem()
  const ws = new Workspace({ '/data': data, '/docs': [new RAMFileSystem({ files: { '/read.me': 'docs' } }), 'read'] }, { agentId: 'agent' })
  const setUp = `
    mkdir -p /data/empty /data/deep/er; chmod 700 /data/empty; echo hi > /data/a.txt; chmod 640 /data/a.txt; ln /data/a.txt /data/deep/same
    ln -s ../a.txt /data/deep/link; ln -s /nowhere /data/dangling; : > /data/none
    printf 'a\\0b\\377' > /data/bytes; echo x > $'/data/odd\\377name'; ln -s $'to\\377' /data/oddlink
    echo long > /data/$(printf 'n%.0s' {1..200}); mkdir -p /data/$(printf 'd%.0s' {1..120}); echo longer > /data/$(printf 'd%.0s' {1..120})/$(printf 'f%.0s' {1..120})
    touch -d '1999-12-31 23:59:59.123456' /data/a.txt; touch -d '1969-01-01 00:00:00.5' /data/none; touch -d 2001-01-01 /data/deep
    cd /data/deep; x='one two'; declare -ia n=(1 2); declare -A m=([k]=v); export E=e; f() { echo "f $1"; }; alias ll='ls -l'; umask 027
  `
  expect((await ws.shell(setUp)).stderrText).toBe('')
  await ws.shell('echo one')
  await ws.shell('HISTCONTROL=ignorespace')
  await ws.shell(' echo hidden')
  const other = await ws.session('other/../odd id', { cwd: '/docs' })
  await other.shell('y=2')
  return { ws, data }
}

describe('an archive of a workspace', () => {
  test('holds files, sessions and history exactly', async () => {
    const { ws, data } = await filled()
    const copy = await Workspace.load(await ws.snapshot())
    expect(copy.id).not.toBe(ws.id)
    expect(await dataOf(copy)).toEqual(await dataOf(ws))
    expect(data.lstat('/deep/same').nlink).toBe(2)
    expect(await copy.fs.lstat('/data/a.txt')).toMatchObject({ nlink: 2, mtimeMs: Date.UTC(1999, 11, 31, 23, 59, 59) + 123.456 })
    expect(await copy.fs.lstat('/data/none')).toMatchObject({ mtimeMs: Date.UTC(1969, 0, 1) + 500, size: 0 })
    expect((await copy.fs.lstat('/data/dangling')).mtimeMs).toBe((await ws.fs.lstat('/data/dangling')).mtimeMs)
    expect(await copy.listSessions()).toEqual(await ws.listSessions())
    expect(await copy.history()).toEqual(await ws.history())
    const session = await copy.session()
    expect(session.fields).toEqual((await ws.session()).fields)
    expect(await session.history()).toEqual(await (await ws.session()).history())
    expect((await copy.shell('pwd; umask; f "$x"; alias; echo ${n[1]} ${m[k]}; fc -l | tail -n 2')).stdoutText).toMatch(
      /^\/data\/deep\n0027\nf one two\nalias ll='ls -l'\n2 v\n/,
    )
    expect((await copy.shell('pwd; echo $y', { sessionId: 'other/../odd id' })).stdoutText).toBe('/docs\n2\n')
    expect((await copy.shell('echo no > /docs/read.me')).stderrText).toContain('Read-only file system')
    await copy.shell('rm -r /data/*')
    expect((await ws.shell('cat /data/a.txt')).stdoutText).toBe('hi\n')
    await Promise.all([ws.close(), copy.close()])
  })

  test('is a tar file that others read', async () => {
    const { ws } = await filled()
    const folder = temporary()
    writeFileSync(join(folder, 'a.tar'), await ws.snapshot())
    execFileSync('tar', ['xpf', 'a.tar'], { cwd: folder, stdio: 'pipe' })
    const root = join(folder, 'files/%2Fdata')
    expect(statSync(join(root, 'a.txt'))).toMatchObject({ mode: 0o100640, nlink: 2, size: 3 })
    expect(statSync(join(root, 'empty')).mode).toBe(0o40700)
    expect(readlinkSync(join(root, 'deep/link'))).toBe('../a.txt')
    expect(statSync(join(root, 'd'.repeat(120), 'f'.repeat(120))).size).toBe(7)
    await ws.close()
  })

  test('goes into file systems that are given, where they are empty', async () => {
    const { ws } = await filled()
    await ws.shell("rm $'/data/odd\\377name' /data/oddlink")
    const bytes = await ws.snapshot({ mounts: ['/data'] })
    const folder = temporary()
    const copy = await Workspace.load(bytes, {
      mounts: { '/data': new HostFileSystem({ root: folder }), '/more': new RAMFileSystem() },
      workspaceId: 'mine',
    })
    expect(copy.id).toBe('mine')
    expect(await dataOf(copy)).toEqual(await dataOf(ws))
    expect((await copy.shell('ls -A /docs /more')).stderrText).toBe("ls: cannot access '/docs': No such file or directory\n")
    await copy.close()
    await expect(Workspace.load(bytes, { mounts: { '/data': new HostFileSystem({ root: folder }) } })).rejects.toMatchObject({
      code: 'EEXIST',
    })
    const store = new RAMWorkspaceStateStore()
    await (await Workspace.load(bytes, { store, workspaceId: 'w' })).close()
    await expect(Workspace.load(bytes, { store, workspaceId: 'w' })).rejects.toMatchObject({ code: 'EEXIST' })
    await ws.close()
  })

  test('keeps no secrets of sessions and history, unless it is to', async () => {
    const ws = new Workspace({}, { env: { API_TOKEN: 'tk-123456789' } })
    await ws.shell(
      'export GH_TOKEN="ghp zzzzzzz"; DATABASE_URL=postgres://me:pa55word@db/x; key=shown; copy="see $API_TOKEN!"; PASSWORD=abc true',
    )
    await ws.shell(
      'curl() { :; }; curl -H "Authorization: Bearer abcdef123456" https://u:hunter22@example.org/; f() { echo tk-123456789; }',
    )
    const bytes = await ws.snapshot()
    const text = new TextDecoder().decode(bytes)
    for (const secret of ['tk-123456789', 'ghp zzzzzzz', 'pa55word', 'abcdef123456', 'hunter22', '=abc '])
      expect(text).not.toContain(secret)
    const copy = await Workspace.load(bytes)
    expect((await copy.shell('echo "${API_TOKEN-unset} ${GH_TOKEN-unset} $key $copy"; declare -p API_TOKEN; f')).stdoutText).toBe(
      'unset unset shown see …!\ndeclare -x API_TOKEN\n…\n',
    )
    // A word that a variable of a parser holds stays in functions.
    await ws.shell('token=return; tokens=(return function); h() { return 3; }')
    const other = await Workspace.load(await ws.snapshot())
    expect((await other.shell('h; echo $? "${token-unset}" "${tokens[1]-unset}"')).stdoutText).toBe('3 unset unset\n')
    await other.close()
    const whole = await Workspace.load(await ws.snapshot({ secrets: 'keep' }))
    expect((await whole.shell('echo $API_TOKEN $GH_TOKEN $DATABASE_URL')).stdoutText).toBe(
      'tk-123456789 ghp zzzzzzz postgres://me:pa55word@db/x\n',
    )
    await Promise.all([ws.close(), copy.close(), whole.close()])
  })

  test('is refused where it is damaged', async () => {
    const { ws } = await filled()
    const bytes = await ws.snapshot()
    for (const size of [0, 1, 511, 512, 513, bytes.length / 2, bytes.length - 1024])
      await expect(Workspace.load(bytes.subarray(0, size)), `${size} bytes`).rejects.toMatchObject({ code: 'CORRUPT' })
    let seed = 7
    for (let round = 0; round < 60; round++) {
      seed = (seed * 1103515245 + 12345) % 2 ** 31
      const damaged = bytes.slice()
      const at = seed % bytes.length
      damaged[at] = (damaged[at] as number) ^ (1 << (seed % 8))
      const error = await Workspace.load(damaged).then(
        async (workspace) => {
          // What no reader looks at: padding, names of owners.
          expect(await dataOf(workspace)).toEqual(await dataOf(ws))
          return null
        },
        (thrown: unknown) => thrown,
      )
      if (error !== null) expect(error, `byte ${at}`).toMatchObject({ code: 'CORRUPT' })
    }
    await ws.close()
  })

  test('is refused where names lead elsewhere, or a newer version wrote it', async () => {
    const ws = new Workspace({ '/d': new RAMFileSystem({ files: { '/f': 'f' } }) })
    const entries = await readTar(await ws.snapshot({ mounts: ['/d'] }))
    const manifest = entries[0]
    const rest = entries.slice(1)
    const refusal = async (change: Record<string, unknown>, more: Partial<(typeof entries)[number]>[] = []): Promise<unknown> => {
      const document = { ...JSON.parse(new TextDecoder().decode(manifest?.bytes)), ...change }
      delete document.sha256
      const first = { ...(manifest as (typeof entries)[number]), bytes: new TextEncoder().encode(JSON.stringify(document)) }
      const added = more.map((one) => ({
        name: '',
        type: 'file' as const,
        mode: 0o644,
        mtimeMs: 0,
        target: '',
        bytes: new Uint8Array(0),
        ...one,
      }))
      const changed = await writeTar([first, ...rest, ...added])
      return Workspace.load(changed).then(
        () => null,
        (error: { code?: unknown }) => error.code,
      )
    }
    expect(await refusal({})).toBeNull()
    expect(await refusal({ version: 2 })).toBe('VERSION_UNSUPPORTED')
    expect(await refusal({ format: 'other' })).toBe('CORRUPT')
    expect(await refusal({ mounts: { '/d': 'all' } })).toBe('CORRUPT')
    for (const prefix of ['d', '/d/', '/d/../e', ''])
      expect(await refusal({ mounts: { '/d': 'write', [prefix]: 'write' } }), prefix).toBe('CORRUPT')
    expect(await refusal({ mounts: { '/d': 'write', '/e': 'write' } })).toBe('CORRUPT')
    const folder = 'files/%2Fd'
    for (const name of [
      `${folder}/../x`,
      `${folder}//x`,
      `${folder}/./x`,
      '/etc/passwd',
      '../x',
      'files/x',
      'x',
      `${folder}/f`,
      `${folder}/f/x`,
      `${folder}/no/x`,
    ])
      expect(await refusal({}, [{ name }]), name).toBe('CORRUPT')
    const out = { name: `${folder}/out`, type: 'symlink' as const, target: '/etc' }
    expect(await refusal({}, [out])).toBeNull()
    expect(await refusal({}, [out, { name: `${folder}/out/x` }])).toBe('CORRUPT')
    for (const target of ['/etc/passwd', 'sessions/x.json', `${folder}/../x`, `${folder}/none`, ''])
      expect(await refusal({}, [{ name: `${folder}/l`, type: 'link', target }]), target).toBe('CORRUPT')
    expect(await refusal({}, [{ name: 'sessions/s.json', bytes: new TextEncoder().encode('{}') }])).toBe('CORRUPT')
    await expect(Workspace.load(new TextEncoder().encode('no tar'))).rejects.toMatchObject({ code: 'CORRUPT' })
    await ws.close()
  })
})
