import { expect, test } from 'vitest'
import { deleteName, eachName, emptyNames, getName, type NameMap, setName } from '../../../src/fs/name-map.ts'

test('versions of a large map stay as they were', () => {
  let seed = 99
  const random = (bound: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return (seed >>> 8) % bound
  }
  let owner: object = {}
  let map: NameMap<number> = emptyNames(owner)
  const model = new Map<string, number>()
  const kept: [NameMap<number>, Map<string, number>][] = []
  for (let i = 0; i < 20_000; i++) {
    const name = `name-${random(3000)}`
    if (random(5) > 1) {
      map = setName(map, name, i, owner)
      model.set(name, i)
    } else if (model.delete(name)) map = deleteName(map, name, owner)
    if (i % 2500 === 0) {
      kept.push([map, new Map(model)])
      owner = {}
    }
  }
  for (const [version, content] of [...kept, [map, model] as const]) {
    const found = new Map<string, number>()
    eachName(version, (value, name) => found.set(name, value))
    expect(found.size).toBe(content.size)
    for (const [name, value] of content) {
      expect(found.get(name)).toBe(value)
      expect(getName(version, name)).toBe(value)
    }
    expect(getName(version, 'absent')).toBeUndefined()
  }
  for (const name of model.keys()) map = deleteName(map, name, owner)
  let left = 0
  eachName(map, () => {
    left += 1
  })
  expect(left).toBe(0)
})
