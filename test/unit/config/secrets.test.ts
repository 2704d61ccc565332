import { afterEach, expect, test, vi } from 'vitest'
import { loadWorkspaceConfig } from '../../../src/config.ts'
import { hasCode } from '../../../src/errors.ts'
import { redisSettings } from '../../../src/redis/redis-options.ts'
import { s3Settings } from '../../../src/s3/s3-options.ts'
import { shownUrl } from '../../../src/shown-url.ts'

const SECRET = 's3cr3tTOKEN'

afterEach(() => vi.restoreAllMocks())

/** What may come before and after a secret by mistake. */
const BEFORE = [
  '',
  '*',
  '&',
  '!',
  '!!',
  '%',
  '@',
  '`',
  '|',
  '>',
  '"',
  "'",
  '- ',
  '? ',
  '{',
  '[',
  '#',
  '\\',
  '"\\',
  '"\\q',
  ': ',
  '<<: *',
  '---',
  '...',
  '\t',
  '!<',
  '${',
  '<<: ',
]
const AFTER = ['', '"', "'", ':', '}', ']', '\n', '\n x', ': x: y', '*', '\n---\n', '\n...\n%']
const DOCUMENTS: readonly ((secret: string) => string)[] = [
  (secret) => `store:\n  type: redis\n  url: https://h\n  token: ${secret}\n`,
  (secret) => `store: { type: redis, url: "https://h", token: ${secret} }`,
  (secret) => `store:\n  type: redis\n  url: ${secret}\n`,
  (secret) => `store:\n  type: redis\n  url: https://:${secret}@host\n`,
  (secret) => `store:\n  type: redis\n  tokn: ${secret}\n`,
  (secret) => `store:\n  type: redis\n  token ${secret}\n`,
  (secret) => `mounts: { /a: { vfs: s3, config: { bucket: bbb, aws_secret_access_key: ${secret}, secret: ${secret}, key: ${secret} } } }`,
  (secret) => `mounts: { /a: { vfs: redis, config: { url: [${secret}], password: { ${secret}: 1 } } } }`,
  (secret) => `store: { workspace: { type: s3, bucket: bbb, endpoint_url: "https://u:${secret}@h?", aws_session_token: [${secret}] } }`,
  (secret) => `store: { type: redis, url: { ${secret} }, token: { ${secret}: 1 } }`,
]

test('no message about a configuration shows a secret, wherever the mistake is', async () => {
  const warned: string[] = []
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warned.push(String(warning)))
  let failed = 0
  for (const write of DOCUMENTS) {
    for (const before of BEFORE) {
      for (const after of AFTER) {
        const text = write(`${before}${SECRET}${after}`)
        const error: unknown = await loadWorkspaceConfig(text).then(
          () => null,
          (reason: unknown) => reason,
        )
        if (error === null) continue
        failed += 1
        if (!hasCode(error, 'CONFIG_INVALID')) throw error
        if (`${String(error)}${JSON.stringify(error)}${String((error as Error).cause)}`.includes(SECRET))
          throw new Error(`${text}\n\n${String(error)}`)
      }
    }
  }
  expect(failed).toBeGreaterThan(2000)
  expect(warned).toEqual([])
})

test('values of variables are shown by the names of the variables', async () => {
  const text = 'mode: "${T}"\nprofile: "${T}"\nworkspace_id: 5\nstore: { type: "a${T}", root: x }\nenv: { A: ["${T}"] }'
  const error: unknown = await loadWorkspaceConfig(text, { env: { T: SECRET } }).catch((reason: unknown) => reason)
  expect(String(error)).not.toContain(SECRET)
  expect(String(error)).toContain('mode holds "${T}"; it may hold read, write or exec')
  expect(String(error)).toContain('profile holds "${T}"; it may hold the name of a profile')
  expect(String(error)).toContain('store.type holds "a${T}"; it may hold ram, disk or redis')
})

test('a document that names no anchor is a configuration that is wrong', async () => {
  await expect(loadWorkspaceConfig('workspace_id: *name')).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('an alias (*name) stands for an anchor (&name) that is not there'),
  })
  await expect(loadWorkspaceConfig('workspace_id: "\\q"')).rejects.toMatchObject({
    message: expect.stringMatching(/: Invalid escape sequence$/),
  })
})

test.each([
  ['https://host/', '"https://host/"'],
  ['https://ann:secret@host:1/', '"https://ann:…@host:1/"'],
  ['https://token@host/', '"https://…@host/"'],
  ['redis://:secret@host:6379/0', '"redis://:…@host:6379/…"'],
  ['https://host/?token=secret', '"https://host/…"'],
  ['https://host/secret', '"https://host/…"'],
  ['https://:se/cret@host/', 'a text that is not shown here'],
  ['secret', 'a text that is not shown here'],
  ['secret:x', 'a text that is not shown here'],
])('of the URL %s this is shown: %s', (url, shown) => {
  expect(shownUrl(url)).toBe(shown)
})

test('options that are given in code are not shown either', () => {
  for (const url of [
    SECRET,
    `ftp://${SECRET}`,
    `https://${SECRET}@h`,
    `https://:${SECRET}%@h`,
    `redis://h/${SECRET}`,
    `https://h?t=${SECRET}`,
    `x://u:${SECRET}@h`,
  ]) {
    for (const options of [{ url }, { url, token: '' }, { url, token: `${SECRET} ` }]) {
      for (const work of [() => redisSettings(options, 'Redis'), () => s3Settings({ bucket: 'bbb', endpointUrl: url }, 'S3')]) {
        try {
          work()
        } catch (error) {
          if (url.includes(`ftp://${SECRET}`)) continue
          expect(String(error)).not.toContain(SECRET)
        }
      }
    }
  }
})
