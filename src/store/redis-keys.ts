/** Where a value of a store lies. */
export interface RedisPlace {
  readonly value: string
  readonly index: string
  readonly lease: string
  /** Mark of who waits for the lease. */
  readonly waiting: string
  /** Its name in the index. */
  readonly name: string
  /** What `groups` has for it. */
  readonly group: string
}

/**
 * The keys of a store, whose layout is this. A value belongs to a group: the first two segments of its key where these are `workspaces/ID` and
 * more follows, else the group `*`, which is no segment of any key. A group has a hash tag, so that a cluster keeps all of it on one node.
 *
 * - `{prefix}{GROUP}:value:NAME` holds a value, a string: 16 hexadecimal digits of its version, a letter that says whether the bytes are UTF-8 (`t`) or
 *   not (`b`), the bytes.
 * - `{prefix}{GROUP}:index`, a sorted set of the names of the group's values, all of score 0, and the empty name once the group is in `groups`.
 * - `{prefix}{GROUP}:lease:NAME` holds the token of who holds the lease, `{prefix}{GROUP}:waiting:NAME` is there while others wait for it. Both expire.
 * - `{prefix}{GROUP}:done:OPERATION` holds what a write was answered, for 15 minutes.
 * - `{prefix}groups`, a sorted set of the groups there ever were; `{prefix}changes`, a channel to which the keys are published whose values change.
 *
 * where NAME is the rest of the key, after `workspaces/ID/`, and the braces round GROUP are themselves part of the key.
 */
export interface RedisKeys {
  readonly groups: string
  readonly changes: string
  place(key: string): RedisPlace
  /** Keeps what the operation was answered that changed a key. */
  done(key: string, operation: string): string
  /** What has to be listed for a prefix of keys: in which group, and the beginning of the names there. */
  listed(prefix: string): { readonly group: string; readonly names: string }
  index(group: string): string
  /** The key of a name in a group's index. */
  keyOf(group: string, name: string): string
}

const REST = '*'

export function redisKeys(prefix: string): RedisKeys {
  const record = (group: string, kind: string): string => `${prefix}{${group}}:${kind}`
  const index = (group: string): string => record(group, 'index')
  return {
    groups: `${prefix}groups`,
    changes: `${prefix}changes`,
    place(key) {
      const { group, name } = parted(key)
      return {
        value: record(group, `value:${name}`),
        index: index(group),
        lease: record(group, `lease:${name}`),
        waiting: record(group, `waiting:${name}`),
        name,
        group,
      }
    },
    done: (key, operation) => record(parted(key).group, `done:${operation}`),
    listed(start) {
      const { group, name } = parted(start)
      return { group, names: name }
    },
    index,
    keyOf: (group, name) => (group === REST ? name : `${group}/${name}`),
  }
}

/** Whether keys that begin with the prefix may lie in any group. */
export function spansGroups({ group }: { readonly group: string }): boolean {
  return group === REST
}

function parted(key: string): { group: string; name: string } {
  const [whole, group] = /^(workspaces\/[^/]+)\//.exec(key) ?? []
  return whole === undefined || group === undefined ? { group: REST, name: key } : { group, name: key.slice(whole.length) }
}
