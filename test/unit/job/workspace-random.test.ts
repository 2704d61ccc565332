import { afterAll, expect, it } from 'vitest'
import { HostFileSystem } from '../../../platforms/node/index.ts'
import { join } from '../../../src/fs/path.ts'
import type { FileSystem } from '../../../src/index.ts'
import { OverlayFileSystem, RAMFileSystem, Workspace } from '../../../src/index.ts'
import { numbers } from '../state/child-process.ts'
import { newFolder, removeFolders } from '../state/subjects.ts'
import { treeState } from './tree-state.ts'

afterAll(removeFolders)

const kinds: Readonly<Record<string, () => FileSystem>> = {
  memory: () => new RAMFileSystem(),
  'an overlay': () => new OverlayFileSystem({ lower: new RAMFileSystem({ files: { '/a/x': 'lower', '/b': 'lower' } }) }),
  'a disk': () => new HostFileSystem({ root: newFolder() }),
}

/** What can be seen of a workspace. */
interface Seen {
  readonly state: unknown
  /** Lines by session. */
  readonly history: ReadonlyMap<string, readonly string[]>
}

async function seen(ws: Workspace): Promise<Seen> {
  const history = new Map<string, readonly string[]>()
  const sessions = await Promise.all(
    (await ws.listSessions()).map(async (id) => {
      const session = await ws.session(id)
      history.set(
        id,
        (await session.history()).map(({ command }) => command),
      )
      return { id, fields: session.fields }
    }),
  )
  return { state: { files: await treeState(ws.fs, undefined, '/data'), times: await timesBelow(ws.fs, '/data'), sessions }, history }
}

/** Lines that an earlier restore took out stay out, and there are no others. */
function expectOf(found: Seen, then: Seen, what: string): void {
  expect(found.state, what).toEqual(then.state)
  for (const [id, lines] of found.history) {
    const known = then.history.get(id) ?? []
    let at = 0
    for (const line of lines) at = known.indexOf(line, at) + 1 || Number.POSITIVE_INFINITY
    expect(at, `${what}: ${JSON.stringify(lines)} of ${JSON.stringify(known)}`).toBeLessThan(Number.POSITIVE_INFINITY)
  }
}

async function timesBelow(fs: FileSystem, path: string): Promise<readonly string[]> {
  const lines: string[] = []
  for (const { name, type } of await fs.readdir(path)) {
    const at = join(path, name)
    if (type !== 'symlink') lines.push(`${at} ${(await fs.lstat(at)).mtimeMs}`)
    if (type === 'directory') lines.push(...(await timesBelow(fs, at)))
  }
  return lines.sort()
}

it.each(Object.entries(kinds))('on %s, random states are restored, forked and loaded as they were', async (kind, newFiles) => {
  const random = numbers(2024)
  const pick = <T>(from: readonly T[]): T => from[random(from.length)] as T
  const name = (): string => pick(['a', 'b', 'c', 'a/x', 'a/y', 'b/z', 'a/d/e', "$'odd \\xc3\\xa9'"])
  const links = kind !== 'an overlay'
  const line = (): string =>
    pick([
      () => `mkdir -p ${name()}`,
      () => `echo ${random(1000)} > ${name()}`,
      () => `echo ${random(1000)} >> ${name()}`,
      () => `rm -rf ${name()}`,
      () => `mv ${name()} ${name()}`,
      () => `cp -r ${name()} ${name()}`,
      () => `ln -s ${pick(['a', '/nowhere', '..', 'c'])} ${name()}`,
      () => (links ? `ln ${name()} ${name()}` : 'true'),
      () => `chmod ${pick(['600', '755', '700', '644'])} ${name()}`,
      () => `touch -d @${random(2_000_000_000)}.${100 + random(900)} ${name()}`,
      () => `x${random(4)}=${random(100)}; a+=(${random(9)})`,
      () => `unset x${random(4)}; f${random(3)}() { echo ${random(9)}; }`,
      () => `alias l${random(3)}='ls ${random(9)}'; umask 0${pick(['22', '27', '02'])}`,
      () => `export E${random(3)}=${random(9)}`,
    ])()
  const ws = new Workspace({ '/data': newFiles() }, { sessionId: 'main', workspaceId: 'w' })
  const change = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) await ws.shell(`cd /data; ${line()}`, { sessionId: pick(['main', 'one', 'two']) })
    if (random(4) === 0 && (await ws.listSessions()).includes('two')) await ws.closeSession('two')
  }
  const states: { readonly id: string; readonly kept: Seen }[] = []
  for (let round = 0; round < 25; round++) {
    await change(1 + random(8))
    const now = await seen(ws)
    const { id } = await ws.checkpoints.create()
    states.push({ id, kept: now })
    if (round % 5 === 0) {
      const loaded = await Workspace.load(await ws.snapshot(), { workspaceId: 'w' })
      expect(await seen(loaded), `archive of round ${round}`).toEqual(now)
      await loaded.close()
    }
    const chosen = pick(states)
    if (random(2) === 0) {
      const fork = await ws.fork({ checkpoint: chosen.id })
      expectOf(await seen(fork), chosen.kept, `fork in round ${round}`)
      await fork.close()
    } else {
      await change(random(4))
      await ws.checkpoints.restore(chosen.id)
      expectOf(await seen(ws), chosen.kept, `restored in round ${round}`)
    }
  }
  await ws.close()
})
