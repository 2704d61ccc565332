import { FileSystemError } from '../errors.ts'
import type { Host } from '../host.ts'
import type { FileSystem } from './file-system.ts'
import { fixedFiles, fixedStat } from './fixed-files.ts'

const NAMES: readonly string[] = ['fd', 'full', 'null', 'random', 'stderr', 'stdin', 'stdout', 'tty', 'urandom', 'zero']
const CHUNK = 65_536

/** `/dev`: `null zero full random urandom`; the shell itself gives `stdin stdout stderr fd/N` their meaning. */
export function devices(host: Host): FileSystem {
  const started = host.now()
  const device = (path: string): string => {
    const name = path.slice(1)
    if (NAMES.includes(name)) return name
    if (/^fd\/[0-9]+$/.test(name)) return 'fd/'
    throw new FileSystemError('ENOENT', path)
  }
  return fixedFiles({
    stat(path) {
      if (path === '/' || path === '/fd') return fixedStat('directory', 0o755, path === '/' ? 1 : 2, 0, started)
      const name = device(path)
      return fixedStat(name === 'fd/' ? 'fifo' : 'character-device', name === 'fd/' ? 0o600 : 0o666, 3 + NAMES.indexOf(name), 0, started)
    },
    readdir(path) {
      if (path === '/') return NAMES.map((name) => ({ name, type: name === 'fd' ? 'directory' : 'character-device' }))
      if (path === '/fd') return ['0', '1', '2'].map((name) => ({ name, type: 'character-device' }))
      device(path)
      throw new FileSystemError('ENOTDIR', path)
    },
    read(path, _offset, length) {
      switch (device(path)) {
        case 'null':
          return new Uint8Array(0)
        case 'zero':
        case 'full':
          return new Uint8Array(length ?? CHUNK)
        case 'random':
        case 'urandom': {
          const bytes = new Uint8Array(length ?? CHUNK)
          host.random(bytes)
          return bytes
        }
        case 'fd':
          throw new FileSystemError('EISDIR', path)
        default:
          throw new FileSystemError('ENXIO', path)
      }
    },
    write(path, data) {
      const name = device(path)
      if (name === 'full' && data.length > 0) throw new FileSystemError('ENOSPC', path)
      if (name === 'null' || name === 'zero' || name === 'full' || name === 'random' || name === 'urandom') return
      throw new FileSystemError('ENXIO', path)
    },
  })
}
