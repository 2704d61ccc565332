import { spawn, spawnSync } from 'node:child_process'
import * as host from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HostFileSystem } from '../../../platforms/node/host-file-system.ts'
import { decode, encode } from '../../../src/bytes.ts'
import { codeOf } from '../../../src/errors.ts'
import { LinkMet } from '../../../src/fs/file-system.ts'
import { followLinks } from '../../../src/fs/follow-links.ts'
import { MountTable } from '../../../src/fs/mount-table.ts'

let base: string
let root: string
let fs: HostFileSystem

beforeEach(() => {
  base = host.mkdtempSync(join(host.realpathSync(tmpdir()), 'mirage-fs-'))
  root = join(base, 'root')
  host.mkdirSync(join(root, 'd'), { recursive: true })
  host.mkdirSync(join(base, 'outside'))
  host.writeFileSync(join(base, 'outside/secret'), 'secret')
  host.writeFileSync(join(root, 'd/f'), 'inside')
  fs = new HostFileSystem({ root })
})

afterEach(() => {
  fs.close()
  host.rmSync(base, { recursive: true, force: true })
})

/** Every operation on one path. */
const operations: readonly [name: string, run: (path: string) => unknown][] = [
  ['stat', (path) => fs.stat(path)],
  ['lstat', (path) => fs.lstat(path)],
  ['readdir', (path) => fs.readdir(path)],
  ['read', (path) => fs.read(path)],
  ['write', (path) => fs.write(path, encode('changed'))],
  ['write with a mode', (path) => fs.write(path, encode('changed'), { mode: 0o4777 })],
  ['append', (path) => fs.append(path, encode('changed'))],
  ['writeAt', (path) => fs.writeAt(path, 0, encode('changed'))],
  ['truncate', (path) => fs.truncate(path, 0)],
  ['mkdir', (path) => fs.mkdir(path)],
  ['rmdir', (path) => fs.rmdir(path)],
  ['unlink', (path) => fs.unlink(path)],
  ['rename from', (path) => fs.rename(path, '/stolen')],
  ['rename to', (path) => fs.rename('/d/f', path)],
  ['link from', (path) => fs.link(path, '/stolen')],
  ['link to', (path) => fs.link('/d/f', path)],
  ['symlink', (path) => fs.symlink('x', path)],
  ['readlink', (path) => fs.readlink(path)],
  ['setattr', (path) => fs.setattr(path, { mode: 0o777, mtimeMs: 0 })],
]

function error(run: () => unknown): unknown {
  try {
    return run()
  } catch (thrown) {
    return thrown
  }
}

function outside(): unknown {
  const stat = host.statSync(join(base, 'outside/secret'))
  return [
    host.readdirSync(join(base, 'outside')),
    host.readFileSync(join(base, 'outside/secret'), 'utf8'),
    stat.mode,
    stat.mtimeMs,
    stat.nlink,
  ]
}

describe('HostFileSystem', () => {
  test('fails where there is no such folder', () => {
    expect(codeOf(error(() => new HostFileSystem({ root: join(base, 'missing') })))).toBe('ENOENT')
    expect(codeOf(error(() => new HostFileSystem({ root: join(root, 'd/f') })))).toBe('ENOTDIR')
  })

  test('works where the root is given by a link', () => {
    host.symlinkSync(root, join(base, 'alias'))
    const aliased = new HostFileSystem({ root: join(base, 'alias') })
    expect(decode(aliased.read('/d/f'))).toBe('inside')
    host.symlinkSync(join(base, 'alias/d/f'), join(root, 'l'))
    expect(aliased.readlink('/l')).toBe('d/f')
    aliased.close()
  })

  test.each(operations)('%s follows no link out, at the end or on the way', (_name, run) => {
    host.symlinkSync(join(base, 'outside'), join(root, 'way'))
    host.symlinkSync('../outside', join(root, 'relative'))
    host.symlinkSync(join(base, 'outside/secret'), join(root, 'end'))
    const before = outside()
    for (const path of ['/way/secret', '/relative/secret', '/way/new', '/way/x/y']) {
      const thrown = error(() => run(path))
      expect(thrown).toBeInstanceOf(LinkMet)
      expect((thrown as LinkMet).at).toBe(path.startsWith('/way') ? '/way' : '/relative')
    }
    error(() => run('/end'))
    expect(outside()).toEqual(before)
    expect(
      host.existsSync(join(root, 'stolen')) &&
        host.statSync(join(root, 'stolen')).ino === host.statSync(join(base, 'outside/secret')).ino &&
        !host.lstatSync(join(root, 'stolen')).isSymbolicLink(),
    ).toBe(false)
  })

  test('with links followed, a link out leads nowhere or into the namespace', async () => {
    host.symlinkSync(join(base, 'outside/secret'), join(root, 'absolute'))
    host.symlinkSync('../outside/secret', join(root, 'relative'))
    host.symlinkSync('../../../../../../../../etc/passwd', join(root, 'd/far'))
    const all = followLinks(new MountTable([['/mnt', { fs, mode: 'write' }]]))
    for (const path of ['/mnt/absolute', '/mnt/relative', '/mnt/d/far', '/mnt/../outside/secret', '/mnt/d/../../outside/secret']) {
      expect(codeOf(error(() => all.read(path)))).toBe('ENOENT')
    }
    expect(decode(await all.read('/mnt/d/../d/f'))).toBe('inside')
  })

  test('absolute targets inside the root stay inside', async () => {
    host.symlinkSync(join(root, 'd/f'), join(root, 'd/absolute'))
    host.symlinkSync(root, join(root, 'd/top'))
    expect([fs.readlink('/d/absolute'), fs.readlink('/d/top')]).toEqual(['../d/f', '../'])
    const all = followLinks(new MountTable([['/mnt', { fs, mode: 'write' }]]))
    expect(decode(await all.read('/mnt/d/absolute'))).toBe('inside')
    expect(await all.readdir('/mnt/d/top')).toEqual([{ name: 'd', type: 'directory' }])
  })

  test('a directory that another process replaced is seen in the next turn', async () => {
    expect(decode(fs.read('/d/f'))).toBe('inside')
    host.renameSync(join(root, 'd'), join(root, 'e'))
    host.symlinkSync('../outside', join(root, 'd'))
    await Promise.resolve()
    expect(error(() => fs.read('/d/secret'))).toBeInstanceOf(LinkMet)
    expect(decode(fs.read('/e/f'))).toBe('inside')
    host.unlinkSync(join(root, 'd'))
    await Promise.resolve()
    expect(codeOf(error(() => fs.stat('/d/f')))).toBe('ENOENT')
    host.mkdirSync(join(root, 'd'))
    await Promise.resolve()
    expect(fs.readdir('/d')).toEqual([])
  })

  test('own renames and removals are seen at once', () => {
    expect(decode(fs.read('/d/f'))).toBe('inside')
    fs.rename('/d', '/e')
    expect(codeOf(error(() => fs.read('/d/f')))).toBe('ENOENT')
    fs.mkdir('/d')
    expect(fs.readdir('/d')).toEqual([])
    fs.rmdir('/d')
    expect(codeOf(error(() => fs.write('/d/f', encode(''))))).toBe('ENOENT')
  })

  test.runIf(process.platform === 'linux')(
    'another process that swaps a directory for a link all the time gets nothing in or out',
    async () => {
      host.mkdirSync(join(root, 'real'))
      host.writeFileSync(join(root, 'real/secret'), 'inside')
      const program = `
      const fs = require('node:fs')
      const [real, link, at] = process.argv.slice(1)
      fs.writeSync(1, 'x')
      for (;;) {
        fs.renameSync(real, at)
        fs.renameSync(at, real)
        fs.symlinkSync('../outside', link)
        fs.renameSync(link, at)
        fs.unlinkSync(at)
      }`
      const swapper = spawn(process.execPath, ['-e', program, join(root, 'real'), join(root, 'link'), join(root, 'at')], {
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      try {
        await new Promise((resolve) => swapper.stdout.once('data', resolve))
        const before = outside()
        const seen = new Set<string>()
        for (let i = 0; i < 6000; i++) {
          const step = i % 4
          const result = error(() => {
            if (step === 0) return decode(fs.read('/at/secret'))
            if (step === 1) return fs.write('/at/secret', encode('inside'))
            if (step === 2) return fs.write(`/at/new-${i}`, encode('x'))
            return fs.unlink('/at/secret')
          })
          seen.add(typeof result === 'string' ? result : result instanceof Error ? (codeOf(result) ?? result.name) : 'done')
          if (i % 50 === 0) await Promise.resolve()
        }
        expect(outside()).toEqual(before)
        expect(seen.has('secret')).toBe(false)
      } finally {
        swapper.kill('SIGKILL')
        await new Promise((resolve) => swapper.once('exit', resolve))
      }
    },
    30_000,
  )

  test.runIf(process.platform === 'linux')('pipes, sockets and devices are shown, but never waited for', () => {
    expect(spawnSync('mkfifo', [join(root, 'pipe')]).status).toBe(0)
    expect(fs.lstat('/pipe').type).toBe('fifo')
    expect(fs.readdir('/')).toContainEqual({ name: 'pipe', type: 'fifo' })
    for (const run of [
      () => fs.read('/pipe'),
      () => fs.write('/pipe', encode('x')),
      () => fs.append('/pipe', encode('x')),
      () => fs.truncate('/pipe', 0),
    ]) {
      expect(['ENOTSUP', 'ENXIO']).toContain(codeOf(error(run)))
    }
    fs.setattr('/pipe', { mode: 0o600 })
    expect(fs.stat('/pipe').mode).toBe(0o600)
    const devices = new HostFileSystem({ root: '/dev' })
    expect(devices.stat('/null').type).toBe('character-device')
    expect(codeOf(error(() => devices.read('/zero')))).toBe('ENOTSUP')
    devices.close()
  })

  test.runIf(process.platform === 'linux')('files that the kernel makes up are read to their end', () => {
    const proc = new HostFileSystem({ root: '/proc' })
    expect(decode(proc.read('/sys/kernel/ostype'))).toBe('Linux\n')
    expect(decode(proc.read('/sys/kernel/ostype', 2, 3))).toBe('nux')
    proc.close()
  })

  test.runIf(process.platform === 'linux')('names and link texts of any bytes', () => {
    const name = Buffer.from([0x66, 0xff, 0xfe])
    host.mkdirSync(Buffer.concat([Buffer.from(`${root}/`), name]))
    host.writeFileSync(Buffer.concat([Buffer.from(`${root}/`), name, Buffer.from('/\u00e9')]), 'x')
    expect(fs.readdir('/')).toContainEqual({ name: 'f\udcff\udcfe', type: 'directory' })
    expect(fs.readdir('/f\udcff\udcfe')).toEqual([{ name: '\u00e9', type: 'file' }])
    expect(decode(fs.read('/f\udcff\udcfe/\u00e9'))).toBe('x')
    fs.symlink('f\udcff', '/l\udc80')
    expect(fs.readlink('/l\udc80')).toBe('f\udcff')
    expect(host.readdirSync(root, 'buffer').some((entry) => entry.equals(Buffer.from([0x6c, 0x80])))).toBe(true)
  })

  test('modes do not depend on the umask of the process', () => {
    for (const mode of [0o666, 0o777, 0o622, 0o7777, 0o600]) {
      fs.write(`/f-${mode}`, encode(''), { mode })
      fs.append(`/g-${mode}`, encode(''), { mode, exclusive: true })
      fs.mkdir(`/d-${mode}`, mode & 0o1777)
      expect([fs.stat(`/f-${mode}`).mode, fs.stat(`/g-${mode}`).mode, fs.stat(`/d-${mode}`).mode]).toEqual([mode, mode, mode & 0o1777])
    }
  })

  test('large files in pieces', () => {
    const data = new Uint8Array(3_000_000).map((_, i) => (i * 7 + (i >> 12)) & 255)
    fs.write('/big', data)
    expect(Buffer.compare(fs.read('/big'), data)).toBe(0)
    expect(Buffer.compare(fs.read('/big', 1_000_001, 100_000), data.subarray(1_000_001, 1_100_001))).toBe(0)
    fs.truncate('/big', 5_000_000_000)
    expect(fs.stat('/big').size).toBe(5_000_000_000)
    expect(fs.read('/big', 4_999_999_990)).toEqual(new Uint8Array(10))
  })

  test('keeps few directories open, and none once closed', () => {
    const open = () => (host.existsSync('/proc/self/fd') ? host.readdirSync('/proc/self/fd').length : 0)
    const before = open()
    for (let i = 0; i < 200; i++) {
      fs.mkdir(`/many-${i}`)
      fs.write(`/many-${i}/f`, encode('x'))
    }
    expect(open() - before).toBeLessThanOrEqual(33)
    fs.close()
    expect(open()).toBeLessThanOrEqual(before)
  })
})
