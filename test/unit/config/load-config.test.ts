import { expect, test } from 'vitest'
import { ConfigError } from '../../../src/config/config-error.ts'
import type { LoadConfigOptions } from '../../../src/config.ts'
import { loadWorkspaceConfig } from '../../../src/config.ts'

const empty = { mode: 'write', mounts: [], store: { all: { type: 'ram' } }, env: new Map(), profiles: new Map() }

test('an empty document holds the defaults', async () => {
  for (const text of ['', '# nothing\n', '{}', '---\n']) expect(await loadWorkspaceConfig(text)).toEqual(empty)
})

test('every key is read', async () => {
  const config = await loadWorkspaceConfig(`
workspace_id: agent
default_session_id: main
mode: r
mounts:
  /data: { vfs: ram }
  /code: { vfs: disk, config: { root: ./code }, mode: rwx }
  /shared: { vfs: redis, config: { url: "https://redis.example", token: t, key_prefix: "agents:" }, write: conditional }
  /logs: { vfs: s3, config: { bucket: b, region: eu-central-1, aws_access_key_id: a, aws_secret_access_key: s, aws_session_token: t,
    endpoint_url: "https://s3.example", path_style: false, timeout: 2, key_prefix: logs/ }, mode: read, write: unconditional }
store:
  type: disk
  root: /var/lib/mirage
  workspace: { type: s3, bucket: b, region: us-east-1, aws_access_key_id: a, aws_secret_access_key: s, aws_session_token: t,
    endpoint_url: "https://s3.example", path_style: true, timeout: 1.5, key_prefix: p/ }
  observer: { type: redis, url: "redis://localhost:6379/0", key_prefix: "m:" }
  namespace: { type: ram }
env: { EDITOR: vi, LEVEL: "3" }
profiles:
  reader:
    cwd: /data
    env: { A: b }
    mounts: { /data: read, /code: { mode: write } }
    paths: { hide: ["*.pem", /data/secret], deny: [/.bash_history] }
    commands: { allow: [cat, ls], deny: [rm] }
profile: reader
`)
  expect(config).toEqual({
    workspaceId: 'agent',
    defaultSessionId: 'main',
    mode: 'read',
    mounts: [
      { prefix: '/data', vfs: 'ram' },
      { prefix: '/code', vfs: 'disk', root: './code', mode: 'exec' },
      { prefix: '/shared', vfs: 'redis', url: 'https://redis.example', token: 't', keyPrefix: 'agents:', write: 'conditional' },
      {
        prefix: '/logs',
        mode: 'read',
        vfs: 's3',
        bucket: 'b',
        region: 'eu-central-1',
        accessKeyId: 'a',
        secretAccessKey: 's',
        sessionToken: 't',
        endpointUrl: 'https://s3.example',
        pathStyle: false,
        timeout: 2,
        keyPrefix: 'logs/',
        write: 'unconditional',
      },
    ],
    store: {
      all: { type: 'disk', root: '/var/lib/mirage' },
      workspace: {
        type: 's3',
        bucket: 'b',
        region: 'us-east-1',
        accessKeyId: 'a',
        secretAccessKey: 's',
        sessionToken: 't',
        endpointUrl: 'https://s3.example',
        pathStyle: true,
        timeout: 1.5,
        keyPrefix: 'p/',
      },
      observer: { type: 'redis', url: 'redis://localhost:6379/0', keyPrefix: 'm:' },
      namespace: { type: 'ram' },
    },
    env: new Map([
      ['EDITOR', 'vi'],
      ['LEVEL', '3'],
    ]),
    profiles: new Map([
      [
        'reader',
        {
          cwd: '/data',
          env: new Map([['A', 'b']]),
          mounts: new Map([
            ['/data', 'read'],
            ['/code', 'write'],
          ]),
          paths: { hide: ['*.pem', '/data/secret'], deny: ['/.bash_history'] },
          commands: { allow: ['cat', 'ls'], deny: ['rm'] },
        },
      ],
    ]),
    profile: 'reader',
  })
})

test.each([
  [
    'sessions on disk',
    'store:\n  workspace:\n    type: disk\n    root: /var/lib/mirage',
    { all: { type: 'ram' }, workspace: { type: 'disk', root: '/var/lib/mirage' } },
  ],
  [
    'sessions on Redis',
    'store:\n  workspace:\n    type: redis\n    url: redis://redis.internal:6379/0',
    { all: { type: 'ram' }, workspace: { type: 'redis', url: 'redis://redis.internal:6379/0' } },
  ],
  [
    'sessions in a bucket',
    'store:\n  workspace:\n    type: s3\n    bucket: agent-state\n    region: us-east-1',
    { all: { type: 'ram' }, workspace: { type: 's3', bucket: 'agent-state', region: 'us-east-1' } },
  ],
  [
    "a browser's disk, by its backend",
    'store:\n  type: disk\n  backend: opfs\n  observer:\n    type: disk\n    root: history\n    backend: indexeddb',
    { all: { type: 'disk', backend: 'opfs' }, observer: { type: 'disk', root: 'history', backend: 'indexeddb' } },
  ],
  [
    'history on disk, the rest on Redis',
    'store:\n  type: redis\n  url: redis://redis.internal:6379/0\n  observer:\n    type: disk\n    root: /var/lib/mirage',
    { all: { type: 'redis', url: 'redis://redis.internal:6379/0' }, observer: { type: 'disk', root: '/var/lib/mirage' } },
  ],
  [
    'history on Redis',
    'store:\n  observer:\n    type: redis\n    url: redis://history.internal:6379/0',
    { all: { type: 'ram' }, observer: { type: 'redis', url: 'redis://history.internal:6379/0' } },
  ],
])('%s', async (_name, block, store) => {
  expect(await loadWorkspaceConfig(`workspace_id: agent\n${block}\n`)).toEqual({ ...empty, workspaceId: 'agent', store })
})

test('${NAME} stands for a variable that was passed in, in texts only, and for upper-case names only', async () => {
  const text = 'workspace_id: "${ID}-${ID}"\nenv: { A: "${lower} $HOME ${X1}" }'
  const expected = { ...empty, workspaceId: 'a: [b-a: [b', env: new Map([['A', '${lower} $HOME x']]) }
  expect(await loadWorkspaceConfig(text, { env: { ID: 'a: [b', X1: 'x', unused: undefined } })).toEqual(expected)
  expect(await loadWorkspaceConfig(text, { env: new Map([['ID', 'a: [b'], ['X1', 'x']]) })).toEqual(expected) // biome-ignore format: one line
})

const problems: readonly (readonly [text: string, ...messages: string[]])[] = [
  [
    'workspaceId: x',
    'workspaceId (holding "x") is not a key of a workspace configuration, which may hold workspace_id, mode, mounts, store, env, profiles, profile and default_session_id; did you mean workspace_id?',
  ],
  ['colour: x', 'colour (holding "x") is not a key of a workspace configuration, which may hold workspace_id, mode, mounts, store, env, profiles, profile and default_session_id'],
  ['mode: w', 'mode holds "w"; it may hold read, write or exec'],
  ['mode: 5', 'mode holds the number 5; it may hold read, write or exec'],
  ['workspace_id: ""', 'workspace_id holds ""; it may hold a name, such as "agent" that is not empty'],
  ['[]', 'the document holds an empty list; it may hold a workspace configuration (workspace_id, mode, mounts, store, env, profiles, profile and default_session_id)'],
  ['mounts: { data: { vfs: ram } }', 'mounts holds the key "data"; a key there may be an absolute path without ".", ".." or a slash at the end, such as "/data"'],
  ['mounts: { /a/: { vfs: ram } }', 'mounts holds the key "/a/"; a key there may be an absolute path without ".", ".." or a slash at the end, such as "/data"'],
  ['mounts: { /a: { vfs: tape } }', 'mounts./a.vfs holds "tape"; it may hold ram, disk, redis or s3'],
  ['mounts: { /a: { mode: read } }', 'mounts./a.vfs is missing; it may hold ram, disk, redis or s3'],
  ['mounts: { /a: { vfs: redis } }', 'mounts./a.config is missing; it may hold the config of a redis mount'],
  ['mounts: { /a: { vfs: s3, config: {} } }', 'mounts./a.config.bucket is missing; it may hold the name of a bucket'],
  ['mounts: { /a: { vfs: s3, config: { bucket: b }, write: staged } }', 'mounts./a.write holds "staged"; it may hold conditional or unconditional'],
  ['mounts: { /a: { vfs: ram, write: conditional } }', 'mounts./a.write (holding "conditional") is not a key of a ram mount, which may hold vfs, config and mode'],
  ['mounts: { /a: { vfs: disk } }', 'mounts./a.config is missing; it may hold the config of a disk mount'],
  ['mounts: { /a: { vfs: disk, config: {} } }', 'mounts./a.config.root is missing; it may hold the path of a folder of this machine'],
  ['mounts: { /a: ram }', 'mounts./a holds "ram"; it may hold a mount block'],
  ['mounts: { /a: { vfs: ram, config: { root: /x } } }', 'mounts./a.config.root (holding "/x") is not a key of the config of a ram mount, which may hold no key'],
  ['store: { type: s3, bucket: b }', 'store.type holds "s3"; it may hold ram, disk or redis (s3 keeps sessions only: write it as store.workspace.type)', 'store.bucket (holding "b") is not a key of a store, which may hold type, root, backend, url, token, key_prefix, workspace, observer and namespace'],
  ['store: { observer: { type: s3, bucket: b } }', 'store.observer.type holds "s3"; it may hold ram, disk or redis (a bucket can not append: s3 goes on store.workspace only)'],
  ['store: { namespace: { type: s3, bucket: b } }', 'store.namespace.type holds "s3"; it may hold ram, disk or redis (a bucket can not append: s3 goes on store.workspace only)'],
  ['store: { workspace: { type: s3, bucket: b, profile: dev } }', 'store.workspace.profile (holding "dev") is not a key of an s3 store, which may hold type, bucket, region, aws_access_key_id, aws_secret_access_key, aws_session_token, endpoint_url, path_style, timeout and key_prefix; profiles of the AWS command line are files, which not every runtime has: give the keys themselves, such as "${AWS_ACCESS_KEY_ID}"'],
  ['store: { workspace: { type: s3, bucket: b, proxy: "http://x" } }', 'store.workspace.proxy (holding a text that is not shown here) is not a key of an s3 store, which may hold type, bucket, region, aws_access_key_id, aws_secret_access_key, aws_session_token, endpoint_url, path_style, timeout and key_prefix; requests go the way that the runtime sends them: give the address of what stands before the bucket as endpoint_url'],
  ['store: { workspace: { type: s3 } }', 'store.workspace.bucket is missing; it may hold the name of a bucket'],
  ['store: { workspace: { root: /x } }', 'store.workspace.type is missing; it may hold ram, disk, redis or s3'],
  ['store: { workspace: { type: disc } }', 'store.workspace.type holds "disc"; it may hold ram, disk, redis or s3'],
  ['store: { type: redis }', 'store.url is missing; it may hold the URL of a Redis server, such as "redis://localhost:6379/0"'],
  ['store: { type: redis, url: "ftp://user:secret@host/" }', 'store.url holds "ftp://user:…@host/"; it may hold a redis:, rediss:, https: or http: URL, such as "redis://localhost:6379/0"'],
  ['store: { observer: { type: redis } }', 'store.observer.url is missing; it may hold the URL of a Redis server, such as "redis://localhost:6379/0"'],
  ['store: { root: /x }', 'store.root (holding "/x") is not a key of a store of type ram, which may hold type, workspace, observer and namespace'],
  ['store: { type: disk, keyPrefix: x }', 'store.keyPrefix (holding "x") is not a key of a store of type disk, which may hold type, root, backend, workspace, observer and namespace'],
  ['store: { type: disk, backend: files }', 'store.backend holds "files"; it may hold indexeddb or opfs, and in a browser only'],
  ['store: { type: disk, roots: x }', 'store.roots (holding "x") is not a key of a store of type disk, which may hold type, root, backend, workspace, observer and namespace; did you mean root?'],
  ['store: disk', 'store holds "disk"; it may hold a store block'],
  ['store: { workspace: { type: s3, bucket: b, awsSecretAccessKey: hush } }', 'store.workspace.awsSecretAccessKey (holding a text that is not shown here) is not a key of an s3 store, which may hold type, bucket, region, aws_access_key_id, aws_secret_access_key, aws_session_token, endpoint_url, path_style, timeout and key_prefix; did you mean aws_secret_access_key?'],
  ['env: { PORT: 8080 }', 'env.PORT holds the number 8080; it may hold a text (in quotes, where it would read as a number, true, false or null)'],
  ['env: { A: }', 'env.A holds nothing; it may hold a text (in quotes, where it would read as a number, true, false or null)'],
  ['env: { "a b": c }', 'env holds the key "a b"; a key there may be the name of a shell variable: letters, digits and _'],
  ['env: [A=b]', 'env holds a list; it may hold names of variables, each with a text'],
  ['profile: p', 'profile holds "p"; it may hold the name of a profile, but the document has no profiles'],
  ['profiles: { a: {}, b: {} }\nprofile: c', 'profile holds "c"; it may hold a or b'],
  ['profiles: { a: { mounts: { /x: w } } }', 'profiles.a.mounts./x holds "w"; it may hold read, write or exec'],
  ['profiles: { a: { paths: { hide: [a/b] } } }', 'profiles.a.paths.hide[0] holds "a/b"; it may hold an absolute path, or a name pattern without a slash, such as "*.pem"'],
  ['profiles: { a: { commands: { allow: [1] } } }', 'profiles.a.commands.allow[0] holds the number 1; it may hold the name of a command'],
  ['profiles: { a: { command: {} } }', 'profiles.a.command (holding an empty mapping) is not a key of a profile, which may hold cwd, env, mounts, paths and commands; did you mean commands?'],
  ['env: { A: "${NO_SUCH} ${NOR_THIS}", B: "${NO_SUCH}" }', 'not in the environment: ${NO_SUCH} (in env.A), ${NOR_THIS} (in env.A)'],
  ['a: 1\na: 2', 'line 2, column 1: Map keys must be unique'],
  ['a: [1', 'line 1, column 6: Flow sequence in block collection must be sufficiently indented and end with a ]'],
  ['a: 1\n---\nb: 2', 'a second document begins; a configuration is one document'],
] // biome-ignore format: one case a line

test.each(problems)('%s', async (text, ...messages) => {
  const error = await failure(text)
  expect(error.problems.map((problem) => problem.message)).toEqual(messages)
  expect(error.code).toBe('CONFIG_INVALID')
})

test('everything that is wrong is said at once, in one message that names the source', async () => {
  const error = await failure(
    'workspaceId: x\nmode: w\nstore: { type: redis, observer: { type: s3 } }\nenv: { A: "${GONE}" }\nprofile: p',
    { source: 'a.yaml' },
  )
  expect(error.problems.map((problem) => problem.key)).toEqual(['', 'mode', 'store.url', 'store.observer.type', 'workspaceId', 'profile'])
  expect(error.message).toBe(
    `the workspace configuration of a.yaml is invalid:\n${error.problems.map((problem) => `  ${problem.message}`).join('\n')}`,
  )
})

test('names of Object.prototype are keys like others', async () => {
  const error = await failure('__proto__: { mode: read }\nconstructor: 1')
  expect(error.problems.map((problem) => problem.key).sort()).toEqual(['__proto__', 'constructor'])
  expect((await failure('profiles: {}\nprofile: toString')).problems.map((problem) => problem.key)).toEqual(['profile'])
})

test('aliases stand for what they name, however often', async () => {
  const config = await loadWorkspaceConfig('mounts: { /a: &m { vfs: ram }, /b: *m }')
  expect(config.mounts.map((mount) => mount.prefix)).toEqual(['/a', '/b'])
  const names = 'abcdefghijklmnopqrstuvwxyz'
  const lines = ['a: &a [x, x, x, x, x, x, x, x, x, x]']
  for (let i = 1; i < 26; i++)
    lines.push(
      `${names[i]}: &${names[i]} [${Array(10)
        .fill(`*${names[i - 1]}`)
        .join(', ')}]`,
    )
  expect((await failure(lines.join('\n'))).problems.length).toBe(26)
  expect((await failure('a: &a [*a]')).problems.length).toBe(1)
})

async function failure(text: string, options?: LoadConfigOptions): Promise<ConfigError> {
  const error = await loadWorkspaceConfig(text, options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ConfigError)) throw new Error(`no ConfigError but ${String(error)}`)
  return error
}
