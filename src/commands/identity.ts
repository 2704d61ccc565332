/** Who a session runs as. One user and root are all there are. */
export interface Identity {
  readonly user: string
  readonly uid: number
  readonly group: string
  readonly gid: number
}

const USER_ID = 1000

/** The session's user: named by `USER`, `user` where that is unset; its group goes by the same name. */
export function identity(env: ReadonlyMap<string, string>): Identity {
  const user = env.get('USER') || 'user'
  return user === 'root' ? { user, uid: 0, group: user, gid: 0 } : { user, uid: USER_ID, group: user, gid: USER_ID }
}

/** The name of a user or group id; null where none has it. */
export function nameOfId(id: number, env: ReadonlyMap<string, string>): string | null {
  if (id === 0) return 'root'
  return id === USER_ID ? userOrDefault(env) : null
}

/** The id of a user or group name; null where there is no such name. */
export function idOfName(name: string, env: ReadonlyMap<string, string>): number | null {
  if (name === 'root') return 0
  return name === userOrDefault(env) ? USER_ID : null
}

function userOrDefault(env: ReadonlyMap<string, string>): string {
  const { user } = identity(env)
  return user === 'root' ? 'user' : user
}
