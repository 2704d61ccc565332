import * as z from 'zod/mini'
import type { MountMode } from '../fs/mount-table.ts'
import type { ConfigProblem } from './config-error.ts'
import { problemsOf } from './problem.ts'
import type {
  BucketConfig,
  FileSystemConfig,
  MountConfig,
  ProfileConfig,
  RedisConfig,
  StateStoreConfig,
  StoreConfig,
  WorkspaceConfig,
} from './workspace-config.ts'

// The message of each schema is what the key may hold; problemsOf() makes the sentence round it.

/** Keys that a block may have, by the name that its messages give it. */
const blockKeys = new Map<string, readonly string[]>()

const MODES: Readonly<Record<string, MountMode>> = { read: 'read', r: 'read', write: 'write', rw: 'write', exec: 'exec', rwx: 'exec' }
const mode = z.pipe(
  z.enum(Object.keys(MODES), { error: 'read, write or exec' }),
  z.transform((name) => MODES[name] as MountMode),
)

const absolutePath = text('an absolute path, such as "/data"').check(
  z.refine((path) => isNormalPath(path), { error: 'an absolute path without ".", ".." or a slash at the end, such as "/data"' }),
)
const sessionId = text('a name, such as "agent"')
const variables = z.record(
  z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'the name of a shell variable: letters, digits and _' })),
  z.string({ error: 'a text (in quotes, where it would read as a number, true, false or null)' }),
  { error: 'names of variables, each with a text' },
)
const pathRules = z.array(
  text('a path or pattern').check(
    z.refine((rule) => rule.startsWith('/') || !rule.includes('/'), {
      error: 'an absolute path, or a name pattern without a slash, such as "*.pem"',
    }),
  ),
  { error: 'a list of paths and name patterns' },
)
const commandNames = z.array(text('the name of a command'), { error: 'a list of command names' })

const redisServer = {
  url: text('the URL of a Redis server, such as "redis://localhost:6379/0"').check(
    z.refine((url) => isUrl(url, ['redis:', 'rediss:', 'https:', 'http:']), {
      error: 'a redis:, rediss:, https: or http: URL, such as "redis://localhost:6379/0"',
    }),
  ),
  token: z.optional(text('the token that goes with an https: URL')),
}
const bucket = {
  bucket: text('the name of a bucket'),
  region: z.optional(text('the name of a region, such as "us-east-1"')),
  aws_access_key_id: z.optional(text('an access key id')),
  aws_secret_access_key: z.optional(text('a secret access key')),
  aws_session_token: z.optional(text('a session token')),
  endpoint_url: z.optional(
    text('a URL').check(
      z.refine((url) => isUrl(url, ['https:', 'http:']), { error: 'an https: or http: URL, such as "https://s3.example.com"' }),
    ),
  ),
  path_style: z.optional(z.boolean({ error: 'true or false' })),
  timeout: z.optional(z.number({ error: 'a number of seconds' }).check(z.gt(0, { error: 'a number of seconds above 0' }))),
}

const write = z.enum(['conditional', 'unconditional'], { error: 'conditional or unconditional' })
const mountBlock = tagged('vfs', 'a mount block', 'ram, disk, redis or s3', [
  block('a ram mount', { vfs: z.literal('ram'), config: z.optional(block('the config of a ram mount', {})), mode: z.optional(mode) }),
  block('a disk mount', {
    vfs: z.literal('disk'),
    config: block('the config of a disk mount', { root: text('the path of a folder of this machine') }),
    mode: z.optional(mode),
  }),
  block('a redis mount', {
    vfs: z.literal('redis'),
    config: block('the config of a redis mount', {
      ...redisServer,
      key_prefix: z.optional(text('what keys begin with, such as "mirage:fs:"')),
    }),
    mode: z.optional(mode),
    write: z.optional(write),
  }),
  block('an s3 mount', {
    vfs: z.literal('s3'),
    config: block('the config of an s3 mount', { ...bucket, key_prefix: z.optional(text('what keys begin with, such as "logs/"')) }),
    mode: z.optional(mode),
    write: z.optional(write),
  }),
])

const storeTypes = {
  ram: { type: z.literal('ram') },
  disk: {
    type: z.literal('disk'),
    root: z.optional(text('the path of a folder, such as "~/.mirage/state"')),
    backend: z.optional(z.enum(['indexeddb', 'opfs'], { error: 'indexeddb or opfs, and in a browser only' })),
  },
  redis: { type: z.literal('redis'), ...redisServer, key_prefix: z.optional(text('what keys begin with, such as "mirage:"')) },
  s3: { type: z.literal('s3'), ...bucket, key_prefix: z.optional(text('what keys begin with, such as "mirage/"')) },
}

const anyStore = tagged('type', 'a store block', 'ram, disk or redis', [
  block('a ram store', storeTypes.ram),
  block('a disk store', storeTypes.disk),
  block('a redis store', storeTypes.redis),
])
const workspaceStore = tagged('type', 'a store block', 'ram, disk, redis or s3', [
  block('a ram store', storeTypes.ram),
  block('a disk store', storeTypes.disk),
  block('a redis store', storeTypes.redis),
  block('an s3 store', storeTypes.s3),
])
const groups = { workspace: z.optional(workspaceStore), observer: z.optional(anyStore), namespace: z.optional(anyStore) }
const storeBlock = z.pipe(
  // A store that only names groups keeps the rest in memory.
  z.transform((value: unknown) => (isMapping(value) && !Object.hasOwn(value, 'type') ? { type: 'ram', ...value } : value)),
  tagged('type', 'a store block', 'ram, disk or redis', [
    block('a store of type ram', { ...storeTypes.ram, ...groups }),
    block('a store of type disk', { ...storeTypes.disk, ...groups }),
    block('a store of type redis', { ...storeTypes.redis, ...groups }),
  ]),
)
const untypedStore = block('a store', {
  type: z.unknown(),
  root: z.optional(z.unknown()),
  backend: z.optional(z.unknown()),
  url: z.optional(z.unknown()),
  token: z.optional(z.unknown()),
  key_prefix: z.optional(z.unknown()),
  ...groups,
})

const profileMount = z.union(
  [
    mode,
    z.pipe(
      block('a mount of a profile', { mode }),
      z.transform((held) => held.mode),
    ),
  ],
  { error: 'read, write or exec' },
)
const profileBlock = block('a profile', {
  cwd: z.optional(absolutePath),
  env: z.optional(variables),
  mounts: z.optional(z.record(absolutePath, profileMount, { error: 'mount prefixes, each with a mode' })),
  paths: z.optional(block('the paths of a profile', { hide: z.optional(pathRules), deny: z.optional(pathRules) })),
  commands: z.optional(block('the commands of a profile', { allow: z.optional(commandNames), deny: z.optional(commandNames) })),
})

const document = block('a workspace configuration', {
  workspace_id: z.optional(sessionId),
  mode: z.optional(mode),
  mounts: z.optional(z.record(absolutePath, mountBlock, { error: 'mount prefixes, each with a mount block' })),
  store: z.optional(storeBlock),
  env: z.optional(variables),
  profiles: z.optional(z.record(text('the name of a profile'), profileBlock, { error: 'names of profiles, each with its block' })),
  profile: z.optional(text('the name of a profile of this document')),
  default_session_id: z.optional(sessionId),
})

type Document = z.output<typeof document>

/**
 * The configuration a parsed document holds, or everything that is wrong with it. Messages show values as they are `written`, in which variables
 * haven't been replaced.
 */
export function validateConfig(
  value: unknown,
  written: unknown,
): { config: WorkspaceConfig | undefined; problems: readonly ConfigProblem[] } {
  const result = document.safeParse(value)
  const issues = result.success ? [] : [...result.error.issues, ...issuesOfUntypedStore(value, result.error.issues)]
  const problems = issues.flatMap((issue) => problemsOf(issue, written, blockKeys))
  const unknownProfile = missingProfile(value, written)
  if (unknownProfile !== undefined) problems.push(unknownProfile)
  if (!result.success || problems.length > 0) return { config: undefined, problems }
  return { config: toConfig(result.data), problems }
}

/** What else is wrong with a store whose type is: its other keys are looked at as far as they don't depend on it. */
function issuesOfUntypedStore(value: unknown, issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  if (!isMapping(value) || !issues.some((issue) => issue.path.join('.') === 'store.type')) return []
  const result = untypedStore.safeParse(value.store)
  return result.success ? [] : result.error.issues.map((issue) => ({ ...issue, path: ['store', ...issue.path] }))
}

/** A default profile that the document doesn't have: looked for even where other keys are wrong, so that all is said at once. */
function missingProfile(value: unknown, written: unknown): ConfigProblem | undefined {
  if (!isMapping(value) || typeof value.profile !== 'string' || value.profile === '') return undefined
  const names = isMapping(value.profiles) ? Object.keys(value.profiles) : []
  if (names.includes(value.profile)) return undefined
  const may = names.length === 0 ? 'the name of a profile, but the document has no profiles' : names.join(' or ')
  return {
    key: 'profile',
    message: `profile holds ${JSON.stringify(isMapping(written) ? written.profile : value.profile)}; it may hold ${may}`,
  }
}

function toConfig(held: Document): WorkspaceConfig {
  return {
    ...(held.workspace_id === undefined ? {} : { workspaceId: held.workspace_id }),
    mode: held.mode ?? 'write',
    mounts: Object.entries(held.mounts ?? {}).map(([prefix, mount]) => toMount(prefix, mount)),
    store: held.store === undefined ? { all: { type: 'ram' } } : toStore(held.store),
    env: new Map(Object.entries(held.env ?? {})),
    profiles: new Map(Object.entries(held.profiles ?? {}).map(([name, profile]) => [name, toProfile(profile)])),
    ...(held.profile === undefined ? {} : { profile: held.profile }),
    ...(held.default_session_id === undefined ? {} : { defaultSessionId: held.default_session_id }),
  }
}

function toMount(prefix: string, mount: z.output<typeof mountBlock>): MountConfig {
  return { prefix, ...(mount.mode === undefined ? {} : { mode: mount.mode }), ...toFileSystem(mount) }
}

function toFileSystem(mount: z.output<typeof mountBlock>): FileSystemConfig {
  switch (mount.vfs) {
    case 'ram':
      return { vfs: 'ram' }
    case 'disk':
      return { vfs: 'disk', root: mount.config.root }
    case 'redis':
      return { vfs: 'redis', ...toRedis(mount.config), ...(mount.write === undefined ? {} : { write: mount.write }) }
    case 's3':
      return { vfs: 's3', ...toBucket(mount.config), ...(mount.write === undefined ? {} : { write: mount.write }) }
  }
}

function toStore(held: z.output<typeof storeBlock>): StoreConfig {
  return {
    all: toStateStore(held),
    ...(held.workspace === undefined
      ? {}
      : { workspace: held.workspace.type === 's3' ? { type: 's3', ...toBucket(held.workspace) } : toStateStore(held.workspace) }),
    ...(held.observer === undefined ? {} : { observer: toStateStore(held.observer) }),
    ...(held.namespace === undefined ? {} : { namespace: toStateStore(held.namespace) }),
  }
}

function toStateStore(held: z.output<typeof anyStore>): StateStoreConfig {
  switch (held.type) {
    case 'ram':
      return { type: 'ram' }
    case 'disk':
      return { type: 'disk', ...(held.root === undefined ? {} : { root: held.root }), ...(held.backend && { backend: held.backend }) }
    case 'redis':
      return { type: 'redis', ...toRedis(held) }
  }
}

function toRedis(held: Pick<Extract<z.output<typeof anyStore>, { type: 'redis' }>, 'url' | 'token' | 'key_prefix'>): RedisConfig {
  return {
    url: held.url,
    ...(held.token === undefined ? {} : { token: held.token }),
    ...(held.key_prefix === undefined ? {} : { keyPrefix: held.key_prefix }),
  }
}

function toBucket(held: Omit<Extract<z.output<typeof workspaceStore>, { type: 's3' }>, 'type'>): BucketConfig {
  const named = {
    region: held.region,
    accessKeyId: held.aws_access_key_id,
    secretAccessKey: held.aws_secret_access_key,
    sessionToken: held.aws_session_token,
    endpointUrl: held.endpoint_url,
    pathStyle: held.path_style,
    timeout: held.timeout,
    keyPrefix: held.key_prefix,
  }
  return { bucket: held.bucket, ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)) }
}

function toProfile(held: z.output<typeof profileBlock>): ProfileConfig {
  return {
    ...(held.cwd === undefined ? {} : { cwd: held.cwd }),
    env: new Map(Object.entries(held.env ?? {})),
    mounts: new Map(Object.entries(held.mounts ?? {})),
    paths: { hide: held.paths?.hide ?? [], deny: held.paths?.deny ?? [] },
    commands: { allow: held.commands?.allow ?? null, deny: held.commands?.deny ?? [] },
  }
}

/** A mapping that has these keys and no others. */
function block<Shape extends z.core.$ZodLooseShape>(name: string, shape: Shape): z.ZodMiniObject<Shape, z.core.$strict> {
  blockKeys.set(name, Object.keys(shape))
  return z.strictObject(shape, { error: name })
}

/** A mapping whose other keys depend on what `key` holds. */
function tagged<Options extends readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]], Key extends string>(
  key: Key,
  name: string,
  may: string,
  options: Options,
): z.ZodMiniDiscriminatedUnion<Options, Key> {
  return z.discriminatedUnion(key, options, { error: (issue) => (issue.code === 'invalid_union' ? may : name) })
}

function text(may: string): z.ZodMiniString {
  return z.string({ error: may }).check(z.minLength(1, { error: `${may} that is not empty` }))
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isNormalPath(path: string): boolean {
  if (path === '/') return true
  if (!path.startsWith('/')) return false
  return path
    .slice(1)
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..')
}

function isUrl(value: string, protocols: readonly string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol)
}
