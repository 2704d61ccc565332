/**
 * A persistent map from names to values, for directories of any size. Whoever holds the `owner` a part was made under changes that
 * part in place; for anyone else a change copies the few parts on the way (up to 64 names each), so a version that someone keeps never changes.
 */
export type NameMap<V> = Leaf<V> | Branch<V>

/** Stands for the right to change in place what was made under it; compared by identity. */
export type Owner = object

export function emptyNames<V>(owner: Owner): NameMap<V> {
  return new Leaf<V>(owner, new Map())
}

export function getName<V>(map: NameMap<V>, name: string): V | undefined {
  if (map instanceof Leaf) return map.entries.get(name)
  let hash = hashOf(name)
  let at: NameMap<V> | undefined = map
  while (at instanceof Branch) {
    at = at.slots[hash & MASK]
    hash >>>= BITS
  }
  return at?.entries.get(name)
}

/** The map with `name` set; the same one where `owner` may change it. */
export function setName<V>(map: NameMap<V>, name: string, value: V, owner: Owner): NameMap<V> {
  if (map instanceof Leaf) return setInLeaf(map, name, value, owner, 0)
  return setInBranch(map, name, value, owner, hashOf(name), 0)
}

/** The map without `name`, which must be in it. */
export function deleteName<V>(map: NameMap<V>, name: string, owner: Owner): NameMap<V> {
  if (map instanceof Leaf) return deleteInLeaf(map, name, owner)
  return deleteInBranch(map, name, owner, hashOf(name)) ?? emptyNames(owner)
}

/** Calls `use` for each name; the order is the same for the same history of changes. */
export function eachName<V>(map: NameMap<V>, use: (value: V, name: string) => void): void {
  if (map instanceof Leaf) {
    map.entries.forEach(use)
    return
  }
  for (const slot of map.slots) if (slot !== undefined) eachName(slot, use)
}

/** How a map is made: of up to {@link LEAF_LIMIT} names, or of parts by the next three bits of the names' hashes. Neither may be changed. */
export type NameParts<V> =
  | { readonly type: 'names'; readonly names: ReadonlyMap<string, V> }
  | { readonly type: 'parts'; readonly parts: readonly (NameMap<V> | undefined)[] }

export function partsOf<V>(map: NameMap<V>): NameParts<V> {
  return map instanceof Leaf ? { type: 'names', names: map.entries } : { type: 'parts', parts: map.slots }
}

/** The map of parts that {@link partsOf} gave, or others alike; it takes over what it is given. */
export function mapOfParts<V>(
  owner: Owner,
  made: { readonly names: Map<string, V> } | { readonly parts: (NameMap<V> | undefined)[] },
): NameMap<V> {
  return 'names' in made ? new Leaf(owner, made.names) : new Branch(owner, made.parts)
}

class Leaf<V> {
  readonly owner: Owner
  readonly entries: Map<string, V>

  constructor(owner: Owner, entries: Map<string, V>) {
    this.owner = owner
    this.entries = entries
  }
}

class Branch<V> {
  readonly owner: Owner
  readonly slots: (NameMap<V> | undefined)[]

  constructor(owner: Owner, slots: (NameMap<V> | undefined)[]) {
    this.owner = owner
    this.slots = slots
  }
}

const BITS = 3
const WIDTH = 1 << BITS
const MASK = WIDTH - 1
/** Most names that a part has which is not cut further. */
export const LEAF_LIMIT = 64
/** Below this level all bits of a hash are used up, and a leaf grows without limit. */
const LAST_LEVEL = 10

function setInLeaf<V>(leaf: Leaf<V>, name: string, value: V, owner: Owner, level: number): NameMap<V> {
  const entries = leaf.entries
  if (entries.size >= LEAF_LIMIT && level < LAST_LEVEL && !entries.has(name)) {
    return setInBranch(split(leaf, owner, level), name, value, owner, hashOf(name) >>> (BITS * level), level)
  }
  if (leaf.owner !== owner) return new Leaf(owner, new Map(entries).set(name, value))
  entries.set(name, value)
  return leaf
}

function setInBranch<V>(branch: Branch<V>, name: string, value: V, owner: Owner, hash: number, level: number): Branch<V> {
  const slot = hash & MASK
  const old = branch.slots[slot]
  let next: NameMap<V>
  if (old === undefined) next = new Leaf(owner, new Map([[name, value]]))
  else if (old instanceof Leaf) next = setInLeaf(old, name, value, owner, level + 1)
  else next = setInBranch(old, name, value, owner, hash >>> BITS, level + 1)
  return next === old ? branch : withSlot(branch, slot, next, owner)
}

function deleteInLeaf<V>(leaf: Leaf<V>, name: string, owner: Owner): Leaf<V> {
  const own = leaf.owner === owner ? leaf : new Leaf(owner, new Map(leaf.entries))
  own.entries.delete(name)
  return own
}

/** Undefined where nothing is left. */
function deleteInBranch<V>(branch: Branch<V>, name: string, owner: Owner, hash: number): Branch<V> | undefined {
  const slot = hash & MASK
  const old = branch.slots[slot] as NameMap<V>
  let next: NameMap<V> | undefined
  if (old instanceof Branch) next = deleteInBranch(old, name, owner, hash >>> BITS)
  else next = old.entries.size === 1 ? undefined : deleteInLeaf(old, name, owner)
  if (next === old) return branch
  const own = withSlot(branch, slot, next, owner)
  return next === undefined && own.slots.every((other) => other === undefined) ? undefined : own
}

function withSlot<V>(branch: Branch<V>, slot: number, value: NameMap<V> | undefined, owner: Owner): Branch<V> {
  const own = branch.owner === owner ? branch : new Branch(owner, branch.slots.slice())
  own.slots[slot] = value
  return own
}

function split<V>(leaf: Leaf<V>, owner: Owner, level: number): Branch<V> {
  const slots: (Leaf<V> | undefined)[] = new Array(WIDTH).fill(undefined)
  for (const [name, value] of leaf.entries) {
    const slot = (hashOf(name) >>> (BITS * level)) & MASK
    const part = slots[slot]
    if (part === undefined) slots[slot] = new Leaf(owner, new Map([[name, value]]))
    else part.entries.set(name, value)
  }
  return new Branch(owner, slots)
}

/** FNV-1a over the code units, its upper bits folded down. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
