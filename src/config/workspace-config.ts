import type { MountMode } from '../fs/mount-table.ts'

/** A configuration document, validated: what it leaves out is left out here, too, unless a default is named. */
export interface WorkspaceConfig {
  readonly workspaceId?: string
  /** Mode of a mount that names none; `write` when left out. */
  readonly mode: MountMode
  readonly mounts: readonly MountConfig[]
  readonly store: StoreConfig
  readonly env: ReadonlyMap<string, string>
  readonly profiles: ReadonlyMap<string, ProfileConfig>
  /** Name of the profile that a session gets when it names none. */
  readonly profile?: string
  readonly defaultSessionId?: string
}

/** One mount: a file system of some kind under an absolute prefix. */
export type MountConfig = { readonly prefix: string; readonly mode?: MountMode } & FileSystemConfig

/** Kinds of file system that a document can name. */
export type FileSystemConfig =
  | { readonly vfs: 'ram' }
  | { readonly vfs: 'disk'; readonly root: string }
  | ({ readonly vfs: 'redis'; readonly write?: 'conditional' | 'unconditional' } & RedisConfig)
  | ({ readonly vfs: 's3'; readonly write?: 'conditional' | 'unconditional' } & BucketConfig)

/** Where state lives: one store for everything, and other ones for single groups. */
export interface StoreConfig {
  readonly all: StateStoreConfig
  /** Sessions and the workspace's own record. */
  readonly workspace?: StateStoreConfig | S3StoreConfig
  /** History. */
  readonly observer?: StateStoreConfig
  readonly namespace?: StateStoreConfig
}

/** A store that can hold every group. */
export type StateStoreConfig =
  | { readonly type: 'ram' }
  | { readonly type: 'disk'; readonly root?: string; readonly backend?: 'indexeddb' | 'opfs' }
  | ({ readonly type: 'redis' } & RedisConfig)

/** A bucket, which can hold the `workspace` group only: nothing can be appended there. */
export type S3StoreConfig = { readonly type: 's3' } & BucketConfig

/** A Redis server, and what keys begin with there. */
export interface RedisConfig {
  readonly url: string
  readonly token?: string
  readonly keyPrefix?: string
}

/** A bucket, how it is reached, and what keys begin with there. */
export interface BucketConfig {
  readonly bucket: string
  readonly region?: string
  readonly accessKeyId?: string
  readonly secretAccessKey?: string
  readonly sessionToken?: string
  readonly endpointUrl?: string
  readonly pathStyle?: boolean
  /** Seconds. */
  readonly timeout?: number
  readonly keyPrefix?: string
}

/** A named set of rules and first values for sessions. */
export interface ProfileConfig {
  readonly cwd?: string
  readonly env: ReadonlyMap<string, string>
  readonly mounts: ReadonlyMap<string, MountMode>
  readonly paths: { readonly hide: readonly string[]; readonly deny: readonly string[] }
  readonly commands: { readonly allow: readonly string[] | null; readonly deny: readonly string[] }
}
