import { FileSystemError } from '../errors.ts'
import type { Host, MaybePromise } from '../host.ts'
import type { FileSystem } from './file-system.ts'
import { fixedFiles, fixedStat } from './fixed-files.ts'

const NAMES: readonly string[] = ['fd', 'full', 'null', 'random', 'stderr', 'stdin', 'stdout', 'tty', 'urandom', 'zero']
/** Bytes that an endless device gives to who doesn't say how many it wants. */
const CHUNK = 65_536

/**
 * `/dev`: `null zero full random urandom`; the shell itself gives `stdin stdout stderr fd/N` their meaning, and no process has a terminal,
 * so that `tty` fails with ENXIO.
 */
export function devices(host: Host): FileSystem {
  let started: number | null = null
  let given = 0
  const endless = (bytes: Uint8Array): MaybePromise<Uint8Array> => {
    given += bytes.length
    if (given < TURN) return bytes
    given = 0
    return host.breathe().then(() => bytes)
  }
  return fixedFiles({
    stat(path) {
      started ??= host.now()
      if (path === '/') return fixedStat('directory', 0o755, 1, 4096, started)
      if (path === '/fd') return fixedStat('directory', 0o555, 2, 0, started)
      const name = deviceAt(path)
      if (name === 'fd/') return fixedStat('fifo', 0o600, 3 + NAMES.length + Number(path.slice(4)), 0, started)
      return fixedStat('character-device', 0o666, 3 + NAMES.indexOf(name), 0, started)
    },
    readdir(path) {
      if (path === '/') return NAMES.map((name) => ({ name, type: name === 'fd' ? 'directory' : 'character-device' }))
      if (path === '/fd') return ['0', '1', '2'].map((name) => ({ name, type: 'fifo' }))
      deviceAt(path)
      throw new FileSystemError('ENOTDIR', path)
    },
    read(path, _offset, length) {
      if (path === '/') throw new FileSystemError('EISDIR', path)
      switch (deviceAt(path)) {
        case 'null':
          return new Uint8Array(0)
        case 'zero':
        case 'full':
          return endless(new Uint8Array(Math.min(length ?? CHUNK, MOST)))
        case 'random':
        case 'urandom': {
          const bytes = new Uint8Array(Math.min(length ?? CHUNK, MOST))
          host.random(bytes)
          return endless(bytes)
        }
        case 'fd':
          throw new FileSystemError('EISDIR', path)
        default:
          throw new FileSystemError('ENXIO', path)
      }
    },
    write(path, data) {
      if (path === '/' || path === '/fd') throw new FileSystemError('EISDIR', path)
      const name = creatable(path)
      if (name === 'full' && data.length > 0) throw new FileSystemError('ENOSPC', path)
      if (WRITABLE.has(name)) return
      throw new FileSystemError('ENXIO', path)
    },
    touch(path) {
      if (path !== '/' && WRITABLE.has(deviceAt(path))) return
      throw new FileSystemError('EPERM', path)
    },
  })
}

const WRITABLE: ReadonlySet<string> = new Set(['full', 'null', 'random', 'urandom', 'zero'])
/** Bytes that a device gives at once, at most. */
const MOST = 1 << 20
/** Bytes of endless devices after which others get their turn, whoever reads. */
const TURN = 4 << 20

/** Name of the device, `fd/` for a descriptor; ENOENT where there is none. */
function deviceAt(path: string): string {
  const name = path.slice(1)
  if (NAMES.includes(name)) return name
  if (/^fd\/[0-9]+$/.test(name)) return 'fd/'
  const [first = ''] = name.split('/')
  throw new FileSystemError(first !== 'fd' && NAMES.includes(first) ? 'ENOTDIR' : 'ENOENT', path)
}

/** As `deviceAt`, for who would make what isn't there. */
function creatable(path: string): string {
  try {
    return deviceAt(path)
  } catch (error) {
    throw path.lastIndexOf('/') > 0 ? error : new FileSystemError('EACCES', path)
  }
}
