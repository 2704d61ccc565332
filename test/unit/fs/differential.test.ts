import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { HostFileSystem } from '../../../platforms/node/host-file-system.ts'
import type { FileSystem } from '../../../src/fs/file-system.ts'
import { followLinks } from '../../../src/fs/follow-links.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { MountTable } from '../../../src/fs/mount-table.ts'
import { OverlayFileSystem } from '../../../src/fs/overlay.ts'
import { RecordFileSystem } from '../../../src/fs/record-file-system.ts'
import { MemoryRecords } from '../../contract/memory-records.ts'
import { faultsOf } from '../../contract/stored-records.ts'
import { later } from './later.ts'
import { drawOperation, everything, generator, outcome } from './random-operations.ts'

const NAMES = ['a', 'b', 'c']

function plainPath(random: (bound: number) => number): string {
  let path = ''
  for (let i = 1 + random(3); i > 0; i--) path += `/${NAMES[random(3)]}`
  return path
}

/** With dots, doubled and trailing slashes. */
function oddPath(random: (bound: number) => number): string {
  let path = ''
  for (let i = 1 + random(4); i > 0; i--) path += `${random(6) === 0 ? '//' : '/'}${['a', 'b', 'c', '.', '..', 'a', 'b'][random(7)]}`
  return random(4) === 0 ? `${path}/` : path
}

async function compare(seed: number, steps: number, one: FileSystem, other: FileSystem, draw = plainPath): Promise<void> {
  const random = generator(seed)
  const done: string[] = []
  for (let i = 0; i < steps; i++) {
    const operation = drawOperation(random, () => draw(random))
    done.push(operation.name)
    const expected = await outcome(other, operation)
    const got = await outcome(one, operation)
    expect(got, `seed ${seed}: ${done.slice(-12).join('; ')}`).toEqual(expected)
    if (i % 50 === 49) expect(await everything(one), `seed ${seed}: after ${done.slice(-50).join('; ')}`).toEqual(await everything(other))
  }
}

function withHost(run: (host: HostFileSystem) => Promise<void>): () => Promise<void> {
  return async () => {
    const root = mkdtempSync(join(tmpdir(), 'mirage-fs-'))
    const host = new HostFileSystem({ root })
    try {
      host.setattr('/', { mode: 0o755 })
      await run(host)
    } finally {
      host.close()
      rmSync(root, { recursive: true, force: true })
    }
  }
}

describe('the same random operations give the same', () => {
  for (let seed = 1; seed <= 6; seed++) {
    test(
      `in RAM and in a host folder, seed ${seed}`,
      withHost((host) => compare(seed, 400, new RAMFileSystem(), host)),
    )
    test(
      `in RAM and in a host folder with links followed, seed ${seed}`,
      withHost((host) => compare(seed, 400, followLinks(new RAMFileSystem()), followLinks(host), oddPath)),
    )
    test(`in RAM with snapshots, which stay as they were, seed ${seed}`, async () => {
      const random = generator(seed)
      const fs = new RAMFileSystem()
      const model = new RAMFileSystem()
      const kept: [ReturnType<RAMFileSystem['snapshot']>, unknown][] = []
      for (let i = 0; i < 400; i++) {
        const operation = drawOperation(random, () => plainPath(random))
        if (random(5) === 0) kept.push([fs.snapshot(), await everything(fs)])
        expect(await outcome(fs, operation), operation.name).toEqual(await outcome(model, operation))
      }
      expect(await everything(fs)).toEqual(await everything(model))
      for (const [snapshot, state] of kept) {
        const other = new RAMFileSystem()
        other.restore(snapshot)
        expect(await everything(other)).toEqual(state)
      }
    })
    test(`in RAM and in an overlay over a filled file system, seed ${seed}`, async () => {
      const lower = new RAMFileSystem()
      const random = generator(seed + 1000)
      for (let i = 0; i < 200; i++)
        await outcome(
          lower,
          drawOperation(random, () => plainPath(random)),
        )
      // Names of one file are separate files once copied up, so there is nothing to compare where there are some.
      for (const [path, state] of Object.entries(await everything(lower))) {
        const [{ nlink = 1 }] = state as [{ nlink?: number }]
        if (nlink > 1) lower.unlink(path)
      }
      const before = await everything(lower)
      const model = lower.fork()
      const upper = new RAMFileSystem()
      const overlay = new OverlayFileSystem({ lower: seed % 2 === 0 ? lower : later(lower), upper })
      await compare(seed, 400, overlay, model)
      expect(await everything(lower)).toEqual(before)
      const again = new OverlayFileSystem({ lower, upper })
      expect(await everything(again)).toEqual(await everything(model))
    })
    test(`in RAM and in records, which stay whole, seed ${seed}`, async () => {
      const records = new MemoryRecords({ late: seed % 2 === 0 })
      await compare(seed, 400, new RecordFileSystem(records), new RAMFileSystem())
      expect(faultsOf(records.stored())).toEqual([])
    })
    test(`in RAM and in a mount table below a prefix, seed ${seed}`, async () => {
      const mounted = new RAMFileSystem()
      const table = new MountTable([['/mnt/x', { fs: mounted, mode: 'write' }]])
      const random = generator(seed)
      const model = new RAMFileSystem()
      model.mkdir('/mnt', 0o755)
      model.mkdir('/mnt/x', 0o755)
      for (let i = 0; i < 300; i++) {
        const operation = drawOperation(random, () => `/mnt/x${plainPath(random)}`)
        expect(await outcome(table, operation), operation.name).toEqual(await outcome(model, operation))
      }
      expect(await everything(table)).toEqual(await everything(model))
    })
  }
})
