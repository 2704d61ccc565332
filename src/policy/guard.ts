import { FileSystemError, type PosixCode } from '../errors.ts'
import type {
  CreateOptions,
  Dirent,
  FileAttributes,
  FileStat,
  FileSystem,
  FileSystemCapabilities,
  FileSystemSpace,
} from '../fs/file-system.ts'
import { chain, rescue } from '../fs/maybe.ts'
import { dirname, isWithin, join } from '../fs/path.ts'
import { readOnly } from '../fs/read-only.ts'
import type { MaybePromise } from '../host.ts'
import type { SessionRules } from '../state/session-fields.ts'
import { compilePathRules, type PathRules } from './path-rules.ts'

/** Tells the mounts apart, as a mount table does. */
export interface Mounts {
  /** Prefix of the mount that a normalised path belongs to. */
  prefixOf(path: string): string
}

/**
 * The file system as a session with `rules` sees it; `fs` itself where they say nothing about files. It belongs between the mount table and
 * `followLinks`, so that a path is judged by where it really leads.
 *
 * - A hidden path doesn't exist: ENOENT, not listed; making one is EACCES.
 * - A denied one is listed and has attributes; reading, changing or looking below it is EACCES.
 * - Where the session's mode of a mount is `read`, changes fail with EROFS. A mode is that of one mount if `mounts` is given, else of
 *   everything below its prefix.
 * - A directory can't be renamed (EACCES), copied or removed as a whole (ENOTSUP) where a rule may be about something in it.
 *
 * CONFIG_INVALID for an entry that can't be a rule.
 */
export function guard(fs: FileSystem, rules: SessionRules, mounts?: Mounts): FileSystem {
  const { hide, deny } = rules.paths
  const readPrefixes = [...rules.mountModes].filter(([, mode]) => mode === 'read').map(([prefix]) => prefix)
  if (hide.length === 0 && deny.length === 0 && readPrefixes.length === 0) return fs
  return new Guard(fs, compilePathRules(hide), compilePathRules(deny), modeReader(rules, mounts))
}

class Guard implements FileSystem {
  readonly #fs: FileSystem
  readonly #readOnly: FileSystem
  readonly #hide: PathRules
  readonly #deny: PathRules
  readonly #isRead: (path: string) => boolean

  constructor(fs: FileSystem, hide: PathRules, deny: PathRules, isRead: (path: string) => boolean) {
    this.#fs = fs
    this.#readOnly = readOnly(fs)
    this.#hide = hide
    this.#deny = deny
    this.#isRead = isRead
  }

  get capabilities(): FileSystemCapabilities {
    return this.#fs.capabilities
  }

  stat(path: string): MaybePromise<FileStat> {
    this.#demandSeen(path)
    return this.#fs.stat(path)
  }

  lstat(path: string): MaybePromise<FileStat> {
    this.#demandSeen(path)
    return this.#fs.lstat(path)
  }

  readlink(path: string): MaybePromise<string> {
    this.#demandSeen(path)
    return this.#fs.readlink(path)
  }

  readdir(path: string): MaybePromise<readonly Dirent[]> {
    this.#demandAllowed(path)
    return chain(this.#fs.readdir(path), (entries) => {
      return entries.filter((entry) => this.#hide.standing(join(path, entry.name)) === undefined)
    })
  }

  read(path: string, offset?: number, length?: number): MaybePromise<Uint8Array> {
    this.#demandAllowed(path)
    return this.#fs.read(path, offset, length)
  }

  write(path: string, data: Uint8Array, options?: CreateOptions): MaybePromise<void> {
    return this.#create(path, (fs) => fs.write(path, data, options))
  }

  append(path: string, data: Uint8Array, options?: CreateOptions): MaybePromise<void> {
    return this.#create(path, (fs) => fs.append(path, data, options))
  }

  writeAt(path: string, offset: number, data: Uint8Array): MaybePromise<void> {
    this.#demandAllowed(path)
    return this.#changeable(path).writeAt(path, offset, data)
  }

  truncate(path: string, size: number): MaybePromise<void> {
    this.#demandAllowed(path)
    return this.#changeable(path).truncate(path, size)
  }

  mkdir(path: string, mode?: number): MaybePromise<void> {
    return this.#create(path, (fs) => fs.mkdir(path, mode))
  }

  rmdir(path: string): MaybePromise<void> {
    this.#demandAllowed(path)
    return this.#changeable(path).rmdir(path)
  }

  unlink(path: string): MaybePromise<void> {
    this.#demandAllowed(path)
    return this.#changeable(path).unlink(path)
  }

  rename(from: string, to: string): MaybePromise<void> {
    this.#demandAllowed(from)
    return this.#create(to, (fs) => {
      if (this.#isRead(from) !== this.#isRead(to)) return this.#refuseAcross(from, to)
      const mayMove = from === '/' || to === '/' || (!this.#reachesBelow(from) && !this.#reachesBelow(to))
      if (mayMove) return fs.rename(from, to)
      return chain(fs.lstat(from), ({ type }) => {
        if (type === 'directory') throw new FileSystemError('EACCES', this.#reachesBelow(from) ? from : to)
        return fs.rename(from, to)
      })
    })
  }

  link(existing: string, path: string): MaybePromise<void> {
    this.#demandAllowed(existing)
    return this.#create(path, (fs) => {
      if (this.#isRead(existing) !== this.#isRead(path)) return this.#refuseAcross(existing, path)
      return fs.link(existing, path)
    })
  }

  symlink(target: string, path: string): MaybePromise<void> {
    return this.#create(path, (fs) => fs.symlink(target, path))
  }

  setattr(path: string, attributes: FileAttributes): MaybePromise<void> {
    this.#demandAllowed(path)
    return this.#changeable(path).setattr(path, attributes)
  }

  copyTree(from: string, to: string): MaybePromise<void> {
    this.#demandAllowed(from)
    return this.#create(to, (fs) => {
      if (this.#concernsBelow(from) || this.#reachesBelow(to)) throw new FileSystemError('ENOTSUP', from)
      return fs.copyTree(from, to)
    })
  }

  removeTree(path: string): MaybePromise<void> {
    this.#demandAllowed(path)
    if (this.#concernsBelow(path)) throw new FileSystemError('ENOTSUP', path)
    return this.#changeable(path).removeTree(path)
  }

  space(path: string): MaybePromise<FileSystemSpace> {
    this.#demandSeen(path)
    return this.#fs.space(path)
  }

  gather(path: string): MaybePromise<(() => void) | undefined> {
    return this.#fs.gather?.(path)
  }

  sync(): MaybePromise<void> {
    return this.#fs.sync()
  }

  close(): MaybePromise<void> {
    return this.#fs.close()
  }

  /** That the path exists for the session, and isn't below a denied one. */
  #demandSeen(path: string): void {
    if (this.#hide.standing(path) !== undefined) throw new FileSystemError('ENOENT', path)
    if (this.#deny.standing(path) === 'below') throw new FileSystemError('EACCES', path)
  }

  #demandAllowed(path: string): void {
    if (this.#hide.standing(path) !== undefined) throw new FileSystemError('ENOENT', path)
    if (this.#deny.standing(path) !== undefined) throw new FileSystemError('EACCES', path)
  }

  #changeable(path: string): FileSystem {
    return this.#isRead(path) ? this.#readOnly : this.#fs
  }

  #create(path: string, run: (fs: FileSystem) => MaybePromise<void>): MaybePromise<void> {
    const hidden = this.#hide.standing(path)
    if (hidden === 'below') throw new FileSystemError('ENOENT', path)
    if (hidden === 'at') return this.#refuseIn(path)
    if (this.#deny.standing(path) !== undefined) throw new FileSystemError('EACCES', path)
    return run(this.#changeable(path))
  }

  /** EACCES, unless the directory that would hold `path` is missing or elsewhere. */
  #refuseIn(path: string): MaybePromise<never> {
    const refuse = (code: PosixCode): never => {
      throw new FileSystemError(code, path)
    }
    if (path === '/') return refuse('EACCES')
    return chain(this.#parentStat(path), ({ type }) => refuse(type === 'directory' ? 'EACCES' : 'ENOTDIR'))
  }

  #parentStat(path: string): MaybePromise<FileStat> {
    return rescue(
      () => this.stat(dirname(path)),
      (error) => {
        throw error instanceof FileSystemError ? error.at(path) : error
      },
    )
  }

  /** Two modes are two mounts. */
  #refuseAcross(from: string, to: string): MaybePromise<never> {
    return chain(this.#fs.lstat(from), () =>
      chain(this.#parentStat(to), () => {
        throw new FileSystemError('EXDEV', to)
      }),
    )
  }

  #reachesBelow(path: string): boolean {
    return this.#hide.reachesBelow(path) || this.#deny.reachesBelow(path)
  }

  #concernsBelow(path: string): boolean {
    return this.#hide.hasNamePatterns || this.#deny.hasNamePatterns || this.#reachesBelow(path)
  }
}

function modeReader(rules: SessionRules, mounts: Mounts | undefined): (path: string) => boolean {
  const modes = rules.mountModes
  if (mounts !== undefined) return (path) => modes.get(mounts.prefixOf(path)) === 'read'
  const longestFirst = [...modes].sort(([a], [b]) => b.length - a.length)
  return (path) => longestFirst.find(([prefix]) => isWithin(path, prefix))?.[1] === 'read'
}
