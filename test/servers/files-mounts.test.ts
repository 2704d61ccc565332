import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { RedisFileSystem } from '../../platforms/node/redis-file-system.ts'
import { S3FileSystem } from '../../platforms/node/s3-file-system.ts'
import { decode, encode } from '../../src/bytes.ts'
import { FileSystemError } from '../../src/errors.ts'
import type { FileSystem } from '../../src/fs/file-system.ts'
import type { ObjectFileSystem, ObjectMountOptions } from '../../src/fs/object-file-system.ts'
import { s3Presigner } from '../../src/s3/s3-presigner.ts'
import { Workspace } from '../../src/workspace.ts'
import { newPrefix, WAYS } from './redis-stores.ts'
import { gatewayOptions, s3Client, withoutKeys } from './s3-bucket.ts'

/** Opens file systems that hold the same files. */
type Place = () => (options?: ObjectMountOptions) => ObjectFileSystem

const places: Readonly<Record<string, Place>> = {
  S3: () => {
    const bucket = gatewayOptions()
    return (options) => new S3FileSystem({ ...bucket, ...options })
  },
  'Redis over HTTP': () => {
    const keyPrefix = newPrefix()
    return (options) => new RedisFileSystem({ ...WAYS.http, keyPrefix, ...options })
  },
  'Redis over TCP': () => {
    const keyPrefix = newPrefix()
    return (options) => new RedisFileSystem({ ...WAYS.tcp, keyPrefix, ...options })
  },
}

async function list(mount: FileSystem, directory: string): Promise<string[]> {
  return (await mount.readdir(directory)).map(({ name }) => name).sort()
}

async function run(ws: Workspace, line: string): Promise<string> {
  const { stdoutText, stderrText } = await ws.shell(line)
  return stdoutText + stderrText
}

/** Bytes that nothing packs, by a seed. */
function noise(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length)
  const words = new Uint32Array(bytes.buffer, 0, length >> 2)
  let state = seed
  for (let at = 0; at < words.length; at++) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9
    words[at] = state
  }
  return bytes
}

for (const [name, place] of Object.entries(places)) {
  describe(`files on ${name}`, () => {
    test('are searched, counted and copied', async () => {
      const mount = place()()
      const ws = new Workspace({ '/s3': mount })
      await run(ws, 'mkdir -p /data /s3/logs/web /s3/a/b; cd /s3/logs')
      await run(ws, 'for i in 1 2 3; do printf "alert disk\\nok\\n" > $i.log; printf "alert web\\n" > web/$i.log; done; echo x > /s3/a/b/f')
      expect(await run(ws, 'grep -rh alert /s3/logs | sort | uniq -c')).toBe('      3 alert disk\n      3 alert web\n')
      expect(await run(ws, 'cp -r /s3/a /data/; find /data | sort; cat /data/a/b/f')).toBe('/data\n/data/a\n/data/a/b\n/data/a/b/f\nx\n')
      expect(await run(ws, 'mv /s3/logs /s3/old; rm -r /s3/a; find /s3 | sort')).toBe(
        [
          '/s3',
          ...['', '/1.log', '/2.log', '/3.log', '/web', '/web/1.log', '/web/2.log', '/web/3.log'].map((rest) => `/s3/old${rest}`),
          '',
        ].join('\n'),
      )
      await ws.close()
      await mount.close()
    })

    test('of 100 MB are written and read in bounded memory', { timeout: 300_000 }, async () => {
      const open = place()
      const [mount, other] = [open(), open({ listingTtl: 0 })]
      const ws = new Workspace({ '/s3': mount })
      // Other bytes than text take Redis half a second for each MiB.
      const piece = name === 'S3' ? noise(1_000_000, 7) : encode('12-01 03:14 alert: disk is full\n'.repeat(31_250))
      const digest = createHash('sha256')
      for (let at = 0; at < 100; at++) digest.update(piece)
      async function* pieces(): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < 100; at++) yield piece
      }
      globalThis.gc?.()
      const before = process.memoryUsage().arrayBuffers
      let most = 0
      const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers - before)), 20)
      const { stderrText, exitCode } = await ws.shell('cat > /s3/big', { stdin: pieces() })
      expect([stderrText, exitCode]).toEqual(['', 0])
      expect((await other.stat('/big')).size).toBe(100_000_000)
      expect(await run(ws, 'sha256sum < /s3/big')).toBe(`${digest.digest('hex')}  -\n`)
      clearInterval(watch)
      // Buffers that wait to be collected are among it.
      expect(most).toBeLessThan(250 * 1024 * 1024)
      expect((await other.read('/big', 99_999_990)).length).toBe(10)
      await run(ws, 'rm /s3/big')
      await ws.close()
      await Promise.all([mount.close(), other.close()])
    })

    test('have any name that is text', async () => {
      const open = place()
      const [mount, other] = [open(), open()]
      const names = [
        '+',
        '%',
        '%2F',
        '!',
        "'",
        '(',
        ')',
        '*',
        '&',
        '<',
        '>',
        '"',
        'a b',
        'ä',
        '\u{1f600}',
        'a\nb',
        '\x01',
        '~',
        '...',
        ' ',
        '?#',
        '{files}',
        '\\',
        ';',
        '=',
      ]
      for (const one of names) {
        await mount.mkdir(`/${one}`)
        await mount.write(`/${one}/${one}`, encode(one))
      }
      expect(await list(other, '/')).toEqual([...names].sort())
      for (const one of names) {
        expect(await list(other, `/${one}`)).toEqual([one])
        expect(decode(await other.read(`/${one}/${one}`))).toBe(one)
        await other.rename(`/${one}`, `/${one}-`)
        await other.removeTree(`/${one}-`)
      }
      await mount.sync()
      expect(await list(mount, '/')).toEqual([])
      await Promise.all([mount.close(), other.close()])
    })

    test('have no other: what is no text, or too long, is refused', async () => {
      const mount = place()()
      await expect(mount.write('/\udcff', encode('x'))).rejects.toMatchObject({ code: 'EINVAL' })
      await expect(mount.write('/a\0b', encode('x'))).rejects.toMatchObject({ code: 'EINVAL' })
      await expect(mount.write(`/${'x'.repeat(256)}`, encode('x'))).rejects.toMatchObject({ code: 'ENAMETOOLONG' })
      let deep = ''
      let failed: unknown = null
      for (let depth = 0; depth < 20 && failed === null; depth++) {
        deep += `/${'d'.repeat(250)}`
        failed = await Promise.resolve(mount.mkdir(deep)).then(
          () => null,
          (error: unknown) => error,
        )
      }
      expect(failed).toMatchObject({ code: 'ENAMETOOLONG' })
      const ws = new Workspace({ '/s3': mount })
      expect(await run(ws, 'cd /s3; mkdir a; echo x > a/../a/./c; ls a; cat ../s3/a/c')).toBe('c\nx\n')
      await ws.close()
      await mount.close()
    })

    test('are listed page by page, and go together', { timeout: 120_000 }, async () => {
      const open = place()
      const [mount, other] = [open(), open({ listingTtl: 0 })]
      await mount.mkdir('/many')
      const names = Array.from({ length: 1100 }, (_, i) => `f${String(i).padStart(4, '0')}`)
      for (let at = 0; at < names.length; at += 20) {
        await Promise.all(names.slice(at, at + 20).map((one) => mount.write(`/many/${one}`, encode(one))))
      }
      expect(await list(other, '/many')).toEqual(names)
      await other.rename('/many', '/moved')
      expect(await list(other, '/moved')).toEqual(names)
      expect(decode(await other.read('/moved/f1099'))).toBe('f1099')
      await expect(other.readdir('/many')).rejects.toMatchObject({ code: 'ENOENT' })
      await other.removeTree('/moved')
      expect(await list(other, '/')).toEqual([])
      await Promise.all([mount.close(), other.close()])
    })

    test('are appended to by several instances, and nothing is lost', async () => {
      const open = place()
      const mounts = [open(), open(), open()]
      const spaces = mounts.map((mount) => new Workspace({ '/s3': mount }))
      await Promise.all(
        spaces.map(async (ws, who) => {
          for (let at = 0; at < 8; at++) await ws.shell(`echo ${who}:${at} >> /s3/log`)
        }),
      )
      const lines = decode(await (mounts[0] as FileSystem).read('/log'))
        .trimEnd()
        .split('\n')
      for (const who of [0, 1, 2]) {
        expect(lines.filter((line) => line.startsWith(`${who}:`))).toEqual(Array.from({ length: 8 }, (_, at) => `${who}:${at}`))
      }
      for (const ws of spaces) await ws.close()
      for (const mount of mounts) await mount.close()
    })

    test('a large one is appended to without being sent again, and after what others added', { timeout: 120_000 }, async () => {
      const open = place()
      const [mount, other] = [open(), open()]
      const large = noise(12_000_000, 3)
      await other.write('/big', large)
      const end = mount.gather('/big')
      await mount.append('/big', encode('mine'))
      await other.append('/big', encode('theirs'))
      end()
      await mount.sync()
      expect(decode(await other.read('/big', 12_000_000))).toBe('theirsmine')
      const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
      expect(digest((await other.read('/big')).subarray(0, 12_000_000))).toBe(digest(large))
      await Promise.all([mount.close(), other.close()])
    })

    test('conditional: one of two instances that write what they read wins, and the other hears of it', async () => {
      const open = place()
      const [one, other] = [open({ write: 'conditional' }), open({ write: 'conditional' })]
      await one.write('/f', encode('0'))
      for (let round = 1; round <= 5; round++) {
        const both = await Promise.all(
          [one, other].map(async (mount, who) => {
            await mount.read('/f')
            return () => mount.write('/f', encode(`${round} by ${who}`))
          }),
        )
        const results = await Promise.allSettled(both.map((write) => write()))
        const won = results.findIndex(({ status }) => status === 'fulfilled')
        const lost = results[1 - won]
        const told =
          lost?.status === 'rejected' && lost.reason instanceof FileSystemError
            ? `${lost.reason.code}: ${lost.reason.message}`
            : 'it was not refused'
        expect([
          "ESTALE: changed since it was read; read it again before writing: '/f'",
          // The gateway answers one of two writes at once with status 500 now and then, which leaves open whether it was made.
          ...(name === 'S3' ? ["EIO: Input/output error (it is not known whether 'f' was written before others wrote it): '/f'"] : []),
        ]).toContain(told)
        expect(decode(await one.read('/f'))).toBe(`${round} by ${won}`)
      }
      const ws = new Workspace({ '/s3': other })
      await one.write('/g', encode('theirs'))
      const refused = await ws.shell('echo mine > /s3/g')
      expect([refused.stderrText, refused.exitCode]).toEqual(['bash: line 1: /s3/g: not read yet; read it before writing\n', 1])
      await ws.close()
      await Promise.all([one.close(), other.close()])
    })
  })
}

test('a bucket is mounted by requests that are signed elsewhere', async () => {
  const options = gatewayOptions()
  const presign = s3Presigner({ ...options, keyPrefix: String(options.keyPrefix), expires: 60 })
  const mount = new S3FileSystem({ ...withoutKeys(options), presign, write: 'conditional' })
  const ws = new Workspace({ '/s3': mount })
  const lines =
    'mkdir /s3/d; echo alert > /s3/d/f; echo more >> /s3/d/f; head -c 9000000 /dev/zero > /s3/big; echo end >> /s3/big; mv /s3/d /s3/e; cp -r /s3/e /tmp/'
  expect(await run(ws, `${lines}; cat /s3/e/f /tmp/e/f; tail -c 4 /s3/big; rm -r /s3/*; ls -A /s3`)).toBe('alert\nmore\nalert\nmore\nend\n')
  await ws.close()
})

describe('the program', () => {
  test('mounts what its configuration names, and ends by itself', async () => {
    const { endpointUrl, bucket, region, accessKeyId, secretAccessKey, keyPrefix } = gatewayOptions()
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mirage-mounts-'))
    const file = path.join(folder, 'workspace.yaml')
    fs.writeFileSync(
      file,
      `mounts:
  /s3:
    vfs: s3
    config: { bucket: ${bucket}, region: ${region}, endpoint_url: "${endpointUrl}", aws_access_key_id: ${accessKeyId},
      aws_secret_access_key: ${secretAccessKey}, key_prefix: "${keyPrefix}" }
    write: conditional
  /http: { vfs: redis, config: { url: "${WAYS.http?.url}", token: ${WAYS.http?.token}, key_prefix: "${newPrefix().replaceAll(' ', '-')}" } }
  /tcp: { vfs: redis, config: { url: "${WAYS.tcp?.url}", key_prefix: "${newPrefix().replaceAll(' ', '-')}" } }
`,
    )
    const script = 'for m in s3 http tcp; do echo $m > /$m/f; done; cat /*/f; cp /s3/f /tcp/g; cat /tcp/g'
    const cli = path.join(import.meta.dirname, '../../dist/platforms/node/cli.js')
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [cli, '--config', file, '-c', script], { timeout: 30_000 })
    fs.rmSync(folder, { recursive: true })
    expect([stdout, stderr]).toEqual(['http\ns3\ntcp\ns3\n', ''])
  })
})

describe('keys of a bucket that are no paths', () => {
  test('are not shown; beside them everything works, and a tree takes those below it along', async () => {
    const options = gatewayOptions()
    const client = s3Client(options)
    for (const key of ['d//x', 'd/ok', '/lead', 'f', 'f/below', 'e/']) await client.put(key, encode(key))
    const mount = new S3FileSystem(options)
    expect([await list(mount, '/'), await list(mount, '/d'), await list(mount, '/e')]).toEqual([['d', 'e', 'f'], ['ok'], []])
    expect(decode(await mount.read('/f'))).toBe('f')
    await mount.rename('/d', '/moved')
    expect((await client.list({ prefix: '' })).objects.map(({ key }) => key).sort()).toEqual(
      ['/lead', 'e/', 'f', 'f/below', 'moved/', 'moved//x', 'moved/ok'].sort(),
    )
    await mount.removeTree('/moved')
    expect((await client.list({ prefix: 'moved' })).objects).toEqual([])
  })

  test('what an object has besides its content stays when it is changed or renamed', async () => {
    const options = gatewayOptions()
    const client = s3Client(options)
    const headers = { 'content-type': 'text/html', 'cache-control': 'max-age=60', 'x-amz-meta-owner': 'ada' }
    await client.put('page', encode('<p>'), { headers })
    const mount = new S3FileSystem(options)
    const ws = new Workspace({ '/s3': mount })
    await run(ws, 'echo one > /s3/page; echo two >> /s3/page; mkdir /s3/d; mv /s3/page /s3/d/page; head -c 9000000 /dev/zero >> /s3/d/page')
    expect(await client.head('d/page')).toMatchObject({ size: 9_000_008, headers })
    expect(await client.uploads.list('')).toEqual([])
    await ws.close()
  })
})
