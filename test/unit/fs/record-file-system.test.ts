import { describe, expect, test } from 'vitest'
import { encode } from '../../../src/bytes.ts'
import { FileSystemError } from '../../../src/errors.ts'
import { RecordFileSystem } from '../../../src/fs/record-file-system.ts'
import { CHUNK } from '../../../src/fs/records.ts'
import { MemoryRecords } from '../../contract/memory-records.ts'
import { faultsOf } from '../../contract/stored-records.ts'
import { drawOperation, everything, generator, outcome } from './random-operations.ts'

function counted(): { fs: RecordFileSystem; cost: (run: () => unknown) => [read: number, written: number] } {
  const records = new MemoryRecords()
  return {
    fs: new RecordFileSystem(records),
    cost: (run) => {
      records.chunksRead = 0
      records.chunksWritten = 0
      run()
      return [records.chunksRead, records.chunksWritten]
    },
  }
}

describe('a range touches the chunks it runs over', () => {
  const big = new Uint8Array(20 * CHUNK).fill(7)

  test('read', () => {
    const { fs, cost } = counted()
    fs.write('/big', big)
    expect(cost(() => fs.read('/big', 5 * CHUNK + 10, 100))).toEqual([1, 0])
    expect(cost(() => fs.read('/big', 6 * CHUNK - 10, 20))).toEqual([2, 0])
    expect(cost(() => fs.read('/big', 6 * CHUNK, CHUNK))).toEqual([1, 0])
    expect(cost(() => fs.read('/big', 20 * CHUNK, 10))).toEqual([0, 0])
    expect(cost(() => fs.read('/big', 0, 0))).toEqual([0, 0])
    expect(cost(() => fs.read('/big'))).toEqual([20, 0])
  })

  test('write at', () => {
    const { fs, cost } = counted()
    fs.write('/big', big)
    expect(cost(() => fs.writeAt('/big', 5 * CHUNK + 10, encode('x')))).toEqual([1, 1])
    expect(cost(() => fs.writeAt('/big', 6 * CHUNK - 1, encode('xyz')))).toEqual([2, 2])
    expect(cost(() => fs.writeAt('/big', 7 * CHUNK, big.subarray(0, 2 * CHUNK)))).toEqual([0, 2])
  })

  test('append', () => {
    const { fs, cost } = counted()
    fs.write('/big', big)
    expect(cost(() => fs.append('/big', encode('x')))).toEqual([0, 1])
    expect(cost(() => fs.append('/big', encode('y')))).toEqual([1, 1])
    expect(cost(() => fs.append('/big', new Uint8Array(0)))).toEqual([0, 0])
  })

  test('truncate, also to a size that no memory holds', () => {
    const { fs, cost } = counted()
    fs.write('/big', big)
    expect(cost(() => fs.truncate('/big', 5 * CHUNK))).toEqual([0, 0])
    expect(cost(() => fs.truncate('/big', 4 * CHUNK + 5))).toEqual([1, 1])
    expect(cost(() => fs.truncate('/big', 2 ** 45))).toEqual([0, 0])
    expect(cost(() => fs.writeAt('/big', 2 ** 45 - 1, encode('xy')))).toEqual([1, 2])
    expect(fs.read('/big', 2 ** 45 - 2)).toEqual(Uint8Array.of(0, 120, 121))
    expect(fs.read('/big', 4 * CHUNK + 4, 3)).toEqual(Uint8Array.of(7, 0, 0))
  })
})

test('a copy that one transaction should not make is refused, and nothing is done', () => {
  const records = new MemoryRecords()
  const fs = new RecordFileSystem(records)
  fs.mkdir('/t')
  for (const name of ['a', 'b']) {
    fs.write(`/t/${name}`, encode('x'))
    fs.truncate(`/t/${name}`, 140 * 2 ** 20)
  }
  fs.copyTree('/t/a', '/copy')
  const before = records.stored()
  expect(() => fs.copyTree('/t', '/u')).toThrow(new FileSystemError('ENOTSUP', '/t'))
  fs.truncate('/copy', 2 ** 45)
  expect(() => fs.copyTree('/copy', '/again')).toThrow(new FileSystemError('ENOTSUP', '/copy'))
  fs.truncate('/copy', 140 * 2 ** 20)
  expect(records.stored().chunks).toEqual(before.chunks)
  expect(records.stored().names).toHaveLength(before.names.length)
})

class Stopped extends Error {}

describe('an operation that ends at any change', () => {
  for (const late of [false, true]) {
    for (let seed = 1; seed <= 4; seed++) {
      test(`leaves what was before${late ? ', with late answers' : ''}, seed ${seed}`, async () => {
        let left = Number.POSITIVE_INFINITY
        const onChange = (): void => {
          if (left-- <= 0) throw new Stopped('stopped')
        }
        const records = new MemoryRecords({ late, onChange })
        const fs = new RecordFileSystem(records)
        const random = generator(seed)
        const path = (): string => `${['', '/a', '/b', '/a/c'][random(4)]}/${'abc'[random(3)]}`
        for (let i = 0; i < 120; i++) {
          const tree = random(6)
          const [from, to] = [path(), path()]
          const operation =
            tree === 0
              ? { name: 'copyTree', run: () => fs.copyTree(from, to) }
              : tree === 1
                ? { name: 'removeTree', run: () => fs.removeTree(from) }
                : drawOperation(random, path)
          const before = await everything(fs)
          for (let changes = 0; ; changes++) {
            left = changes
            try {
              await outcome(fs, operation)
              break
            } catch (error) {
              if (!(error instanceof Stopped)) throw error
            }
            left = Number.POSITIVE_INFINITY
            expect(await everything(fs), `${operation.name} after ${changes} changes`).toEqual(before)
            expect(faultsOf(records.stored()), `${operation.name} after ${changes} changes`).toEqual([])
          }
          left = Number.POSITIVE_INFINITY
          expect(faultsOf(records.stored()), operation.name).toEqual([])
        }
      })
    }
  }
})
