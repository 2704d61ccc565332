import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { HostFileSystem } from '../../../platforms/node/host-file-system.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { OverlayFileSystem } from '../../../src/fs/overlay.ts'
import { ContentStore } from '../../../src/job/content-store.ts'
import { MemoryStore } from '../../../src/store/memory.ts'
import { drawOperation, everything, generator, outcome } from '../fs/random-operations.ts'

it('whatever happens to files, what is stored of them is what they are', async () => {
  for (let seed = 0; seed < 12; seed++) {
    const random = generator(seed + 500)
    const store = new MemoryStore()
    const content = new ContentStore(store)
    const place = mkdtempSync(path.join(tmpdir(), 'content-random-'))
    onTestFinished(() => rmSync(place, { recursive: true, force: true }))
    const folder = new HostFileSystem({ root: place })
    let fs = new RAMFileSystem()
    const stored: [id: string, wanted: unknown][] = []
    for (let step = 0; step < 300; step++) {
      const name = (): string => ['a', 'b', 'c', 'odd\udcff'][random(4)] as string
      const draw = (): string => Array.from({ length: 1 + random(3) }, () => `/${name()}`).join('')
      await outcome(fs, drawOperation(random, draw))
      if (random(20) === 0) await outcome(fs, { name: 'copy', run: () => fs.copyTree(draw(), draw()) })
      if (random(8) !== 0) continue
      const wanted = await everything(fs)
      const id = await content.save(fs)
      stored.push([id, wanted])
      const message = `seed ${seed}, step ${step}`
      expect(await everything(await content.open(id)), message).toEqual(wanted)
      const built = await new ContentStore(store).open(id)
      expect(await everything(built), message).toEqual(wanted)
      expect(built.snapshot().bytes, message).toBe(fs.snapshot().bytes)
      expect(built.snapshot().names, message).toBe(fs.snapshot().names)
      expect(await content.save(built), message).toBe(id)
      switch (random(4)) {
        case 0: {
          // Another kind of file system with the same files.
          const overlay = new OverlayFileSystem({ lower: built })
          await outcome(overlay, drawOperation(random, draw))
          expect(await everything(await content.open(await content.save(overlay))), message).toEqual(await everything(overlay))
          break
        }
        case 1: {
          await content.restore(id, folder)
          expect(await everything(folder), message).toEqual(wanted)
          expect(await everything(await content.open(await content.save(folder))), message).toEqual(wanted)
          break
        }
        case 2:
          // Goes on with the tree of another moment.
          fs = await content.open((stored[random(stored.length)] as [string, unknown])[0])
          break
        default:
      }
    }
    for (const [id, wanted] of stored) expect(await everything(await new ContentStore(store).open(id))).toEqual(wanted)
  }
})
