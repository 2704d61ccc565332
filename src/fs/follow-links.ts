import { FileSystemError, hasCode, type PosixCode } from '../errors.ts'
import type { MaybePromise } from '../host.ts'
import { isPromise } from '../host.ts'
import {
  type CreateOptions,
  type Dirent,
  type FileAttributes,
  type FileStat,
  type FileSystem,
  type FileSystemCapabilities,
  type FileSystemSpace,
  LinkMet,
} from './file-system.ts'
import { chain, rescue } from './maybe.ts'
import { dirname, isNormal, isWithin, join } from './path.ts'

/**
 * The file system as POSIX walks it: any absolute path (`.`, `..`, doubled and trailing slashes), with symbolic links followed in the
 * namespace of `fs`. More than 40 links on one path fail with ELOOP. Errors name the path that was asked for.
 */
export function followLinks(fs: FileSystem): FileSystem {
  return new LinkFollower(fs)
}

class LinkFollower implements FileSystem {
  readonly #fs: FileSystem

  constructor(fs: FileSystem) {
    this.#fs = fs
  }

  get capabilities(): FileSystemCapabilities {
    return this.#fs.capabilities
  }

  stat(path: string): MaybePromise<FileStat> {
    return this.#at(path, 'target', (found) => this.#fs.stat(found))
  }

  lstat(path: string): MaybePromise<FileStat> {
    return this.#at(path, 'target', (found) => this.#fs.lstat(found))
  }

  readdir(path: string): MaybePromise<readonly Dirent[]> {
    return this.#at(path, 'target', (found) => this.#fs.readdir(found))
  }

  read(path: string, offset?: number, length?: number): MaybePromise<Uint8Array> {
    return this.#at(path, 'target', (found) => this.#fs.read(found, offset, length))
  }

  write(path: string, data: Uint8Array, options?: CreateOptions): MaybePromise<void> {
    return this.#at(path, 'file', (found) => this.#fs.write(found, data, options))
  }

  append(path: string, data: Uint8Array, options?: CreateOptions): MaybePromise<void> {
    return this.#at(path, 'file', (found) => this.#fs.append(found, data, options))
  }

  writeAt(path: string, offset: number, data: Uint8Array): MaybePromise<void> {
    return this.#at(path, 'target', (found) => this.#fs.writeAt(found, offset, data))
  }

  truncate(path: string, size: number): MaybePromise<void> {
    return this.#at(path, 'target', (found) => this.#fs.truncate(found, size))
  }

  mkdir(path: string, mode?: number): MaybePromise<void> {
    return this.#at(path, 'new directory', (found) => this.#fs.mkdir(found, mode))
  }

  rmdir(path: string): MaybePromise<void> {
    return this.#at(path, 'removed', (found) => this.#fs.rmdir(found))
  }

  unlink(path: string): MaybePromise<void> {
    return this.#at(path, 'name', (found) => this.#fs.unlink(found))
  }

  rename(from: string, to: string): MaybePromise<void> {
    if (isNormal(from) && isNormal(to)) return this.#both(from, to, from, to, false, (a, b) => this.#fs.rename(a, b))
    return chain(this.#placeToMove(from), (origin) =>
      chain(this.#placeToMove(to), (place) => {
        if (!isName(from)) throw new FileSystemError('EBUSY', from)
        if (!isName(to)) throw new FileSystemError('EBUSY', to)
        return chain(this.#demandMovable(origin, from, to), () =>
          this.#both(origin, place, from, to, false, (a, b) => this.#fs.rename(a, b)),
        )
      }),
    )
  }

  link(existing: string, path: string): MaybePromise<void> {
    return chain(this.#place(existing, 'target'), (origin) =>
      chain(
        this.#attempt(origin, existing, LINKS, (found) => this.#fs.lstat(found)),
        () => chain(this.#place(path, 'new'), (place) => this.#both(origin, place, existing, path, false, (a, b) => this.#fs.link(a, b))),
      ),
    )
  }

  symlink(target: string, path: string): MaybePromise<void> {
    return this.#at(path, 'new', (found) => this.#fs.symlink(target, found))
  }

  readlink(path: string): MaybePromise<string> {
    return this.#at(path, 'target', (found) => this.#fs.readlink(found))
  }

  setattr(path: string, attributes: FileAttributes): MaybePromise<void> {
    return this.#at(path, 'target', (found) => this.#fs.setattr(found, attributes))
  }

  copyTree(from: string, to: string): MaybePromise<void> {
    return chain(this.#place(from, 'target'), (origin) =>
      chain(this.#place(to, 'new directory'), (place) => this.#both(origin, place, from, to, true, (a, b) => this.#fs.copyTree(a, b))),
    )
  }

  removeTree(path: string): MaybePromise<void> {
    return this.#at(path, 'removed', (found) => this.#fs.removeTree(found))
  }

  space(path: string): MaybePromise<FileSystemSpace> {
    return this.#at(path, 'target', (found) => chain(this.#fs.stat(found), () => this.#fs.space(found)))
  }

  gather(path: string): MaybePromise<(() => void) | undefined> {
    // What fails here fails again when the file is written.
    return rescue(
      () => this.#at(path, 'file', (found) => this.#fs.gather?.(found)),
      () => undefined,
    )
  }

  sync(): MaybePromise<void> {
    return this.#fs.sync()
  }

  close(): MaybePromise<void> {
    return this.#fs.close()
  }

  /** Runs an operation where `asked` leads. */
  #at<T>(asked: string, ending: Ending, run: (found: string) => MaybePromise<T>): MaybePromise<T> {
    if (!isNormal(asked)) return this.#atPlace(asked, ending, run)
    let result: MaybePromise<T>
    try {
      result = run(asked)
    } catch (error) {
      return this.#again(error, asked, asked, LINKS, run, ending)
    }
    return isPromise(result) ? result.catch((error: unknown) => this.#again(error, asked, asked, LINKS, run, ending)) : result
  }

  #atPlace<T>(asked: string, ending: Ending, run: (found: string) => MaybePromise<T>): MaybePromise<T> {
    return chain(this.#place(asked, ending), (place) => this.#attempt(place, asked, LINKS, run, ending))
  }

  #attempt<T>(
    path: string,
    asked: string,
    links: number,
    run: (found: string) => MaybePromise<T>,
    ending: Ending = 'target',
  ): MaybePromise<T> {
    return rescue(
      () => run(path),
      (error) => this.#again(error, path, asked, links, run, ending),
    )
  }

  /** Goes on from an error: where a link was met, along it. */
  #again<T>(
    error: unknown,
    path: string,
    asked: string,
    links: number,
    run: (found: string) => MaybePromise<T>,
    ending: Ending,
  ): MaybePromise<T> {
    if (!(error instanceof LinkMet)) throw named(error, asked)
    if (links === 0) throw new FileSystemError('ELOOP', asked)
    const next = along(error, path)
    if (isNormal(next)) return this.#attempt(next, asked, links - 1, run, ending)
    const place = this.#walk(next, asked, links - 1)
    // The link's text ends in a slash: no file can be made there.
    const isSlashed = lastOf(next) === 'slash'
    const checked = !isSlashed
      ? place
      : chain(place, (found) => (ending === 'file' ? this.#refuseFile(found, asked) : this.#directory(found, asked, links - 1)))
    return chain(checked, (found) => this.#attempt(found, asked, links - 1, run, ending))
  }

  /** Runs an operation on two paths, of which only the first may be followed at its end. */
  #both(
    first: string,
    second: string,
    askedFirst: string,
    askedSecond: string,
    follow: boolean,
    run: (first: string, second: string) => MaybePromise<void>,
    links = 2 * LINKS,
  ): MaybePromise<void> {
    return rescue(
      () => run(first, second),
      (error) => {
        if (!(error instanceof LinkMet)) throw named(error, pathOf(error) === second ? askedSecond : askedFirst)
        const onFirst = isWithin(first, error.at) && (follow || first !== error.at)
        const onSecond = isWithin(second, error.at) && second !== error.at
        if (links === 0) throw new FileSystemError('ELOOP', onFirst ? askedFirst : askedSecond)
        const nextFirst = onFirst ? this.#walk(along(error, first), askedFirst, LINKS) : first
        const nextSecond = onSecond ? this.#walk(along(error, second), askedSecond, LINKS) : second
        return chain(nextFirst, (a) => chain(nextSecond, (b) => this.#both(a, b, askedFirst, askedSecond, follow, run, links - 1)))
      },
    )
  }

  /** A path as a normalised one, with what a trailing slash or dot demands of it checked. */
  #place(asked: string, ending: Ending): MaybePromise<string> {
    if (isNormal(asked)) return asked
    if (!asked.startsWith('/')) throw new FileSystemError('ENOENT', asked)
    const last = lastOf(asked)
    if (last === 'name') return this.#walk(asked, asked, LINKS)
    if (last === 'slash') return chain(this.#walk(asked, asked, LINKS), (path) => this.#slashed(path, asked, ending))
    switch (ending) {
      case 'removed':
        return chain(this.#walk(asked, asked, LINKS), () => fail(last === 'dot' ? 'EINVAL' : 'ENOTEMPTY', asked))
      case 'new':
      case 'new directory':
        return chain(this.#walk(asked, asked, LINKS), () => fail('EEXIST', asked))
      case 'target':
      case 'file':
      case 'name':
        return this.#walk(asked, asked, LINKS)
      default:
        return ending satisfies never
    }
  }

  /** What a trailing slash means: the path must lead to a directory. */
  #slashed(path: string, asked: string, ending: Ending): MaybePromise<string> {
    switch (ending) {
      case 'target':
        return this.#directory(path, asked, LINKS)
      case 'file':
        return this.#refuseFile(path, asked)
      case 'removed':
      case 'name':
        return chain(
          this.#at(path, 'target', (found) => this.#fs.lstat(found)),
          ({ type }) => (type === 'directory' ? path : fail('ENOTDIR', asked)),
        )
      case 'new':
        return chain(
          this.#at(path, 'target', (found) => this.#fs.lstat(found)),
          () => fail('EEXIST', asked),
        )
      case 'new directory':
        return path
      default:
        return ending satisfies never
    }
  }

  #placeToMove(asked: string): MaybePromise<string> {
    if (!asked.startsWith('/')) throw new FileSystemError('ENOENT', asked)
    return chain(this.#walk(asked, asked, LINKS), (path) => chain(this.#demandParent(path, asked), () => path))
  }

  /** Only a directory may be renamed by or to a name with a slash behind it. */
  #demandMovable(origin: string, from: string, to: string): MaybePromise<void> {
    if (lastOf(from) === 'name' && lastOf(to) === 'name') return
    return chain(
      this.#attempt(origin, from, LINKS, (found) => this.#fs.lstat(found)),
      ({ type }) => {
        if (type !== 'directory') throw new FileSystemError('ENOTDIR', lastOf(from) === 'slash' ? from : to)
      },
    )
  }

  #refuseFile(path: string, asked: string): MaybePromise<never> {
    return chain(this.#demandParent(path, asked), () => fail('EISDIR', asked))
  }

  #demandParent(path: string, asked: string): MaybePromise<unknown> {
    return path === '/' ? undefined : this.#directory(dirname(path), asked, LINKS)
  }

  /** Resolves `.` and `..` of a path, as far as links on the way matter to them. */
  #walk(path: string, asked: string, links: number): MaybePromise<string> {
    const names = path.split('/')
    while (names.at(-1) === '') names.pop()
    return this.#walkFrom('/', names, 1, asked, links)
  }

  #walkFrom(start: string, names: readonly string[], from: number, asked: string, links: number): MaybePromise<string> {
    let path = start
    for (let i = from; i < names.length; i++) {
      const name = names[i] as string
      if (name === '' || (name === '.' && (i < names.length - 1 || path === '/'))) continue
      if (name !== '.' && name !== '..') {
        path = join(path, name)
        continue
      }
      if (path === '/') continue
      const directory = this.#directory(path, asked, links)
      const parent = name === '.' ? directory : chain(directory, dirname)
      if (isPromise(parent)) return parent.then((found) => this.#walkFrom(found, names, i + 1, asked, links))
      path = parent
    }
    return path
  }

  /** Where the directory at `path` is once links are followed; ENOTDIR where it is none. */
  #directory(path: string, asked: string, links: number): MaybePromise<string> {
    return this.#attempt(path, asked, links, (found) =>
      chain(this.#fs.stat(found), ({ type }) => (type === 'directory' ? found : fail('ENOTDIR', asked))),
    )
  }
}

/**
 * The absolute path without links, `.` and `..` that `path` leads to. What may be missing: nothing (`error`), the last name (`last`), or
 * anything (`any`, where what can't be walked is taken by its text). Works on either side of `followLinks`.
 */
export function realPath(fs: FileSystem, path: string, options: { readonly missing: Missing }): MaybePromise<string> {
  return walkReal(fs, path, { path: '/', names: namesOf(path), links: 0, gone: false }, options.missing)
}

/** Which names of a path may be missing. */
export type Missing = 'error' | 'last' | 'any'

/** What an operation does to the end of its path. */
type Ending = 'target' | 'file' | 'name' | 'removed' | 'new' | 'new directory'

const LINKS = 40

interface RealWalk {
  /** What is resolved. */
  readonly path: string
  /** What is not, last name first. */
  readonly names: string[]
  readonly links: number
  /** True once a name was missing: what follows is taken by its text. */
  readonly gone: boolean
}

function walkReal(fs: FileSystem, asked: string, start: RealWalk, missing: Missing): MaybePromise<string> {
  let walk = start
  for (;;) {
    const name = walk.names.pop()
    if (name === undefined) return walk.path
    if (name === '' || name === '.') {
      const step = walk.gone || walk.path === '/' ? walk : demandDirectory(fs, asked, walk, missing)
      if (isPromise(step)) return step.then((next) => walkReal(fs, asked, next, missing))
      walk = step
      continue
    }
    if (name === '..') {
      const from = walk
      const step = walk.gone || walk.path === '/' ? walk : demandDirectory(fs, asked, from, missing)
      if (isPromise(step)) return step.then((next) => walkReal(fs, asked, { ...next, path: dirname(next.path) }, missing))
      walk = { ...step, path: dirname(step.path) }
      continue
    }
    const step = walk.gone ? { ...walk, path: join(walk.path, name) } : stepReal(fs, asked, walk, join(walk.path, name), missing)
    if (isPromise(step)) return step.then((next) => walkReal(fs, asked, next, missing))
    walk = step
  }
}

/** One name further. */
function stepReal(fs: FileSystem, asked: string, walk: RealWalk, path: string, missing: Missing): MaybePromise<RealWalk> {
  return rescue<RealWalk>(
    () =>
      chain(fs.lstat(path), ({ type }) => {
        if (type !== 'symlink') return { ...walk, path }
        if (walk.links === LINKS) throw new FileSystemError('ELOOP', asked)
        return chain(fs.readlink(path), (target) => {
          const names = walk.names
          names.push(...namesOf(target))
          return { ...walk, path: target.startsWith('/') ? '/' : walk.path, names, links: walk.links + 1 }
        })
      }),
    (error) => {
      const isLast = walk.names.every((name) => name === '')
      if (missing === 'any' || (missing === 'last' && isLast && hasCode(error, 'ENOENT'))) return { ...walk, path, gone: true }
      throw named(error, asked)
    },
  )
}

function demandDirectory(fs: FileSystem, asked: string, walk: RealWalk, missing: Missing): MaybePromise<RealWalk> {
  if (missing === 'any') return walk
  return chain(fs.lstat(walk.path), ({ type }) => (type === 'directory' ? walk : fail('ENOTDIR', asked)))
}

/** The names of a path, last first. A trailing slash leaves an empty name at the front. */
function namesOf(path: string): string[] {
  return path.split('/').reverse()
}

/** The path that goes on along a link. */
function along(link: LinkMet, path: string): string {
  const rest = path.slice(link.at.length)
  return link.target.startsWith('/') ? link.target + rest : `${join(dirname(link.at), link.target)}${rest}`
}

function lastOf(path: string): 'name' | 'slash' | 'dot' | 'dot dot' {
  const trimmed = path.replace(/\/+$/, '')
  const last = trimmed.slice(trimmed.lastIndexOf('/') + 1)
  if (last === '.') return 'dot'
  if (last === '..') return 'dot dot'
  return trimmed.length < path.length && trimmed !== '' ? 'slash' : 'name'
}

/** False for the root and for what ends in a dot or two. */
function isName(path: string): boolean {
  const last = lastOf(path)
  return last === 'slash' || (last === 'name' && !/^\/*$/.test(path))
}

function pathOf(error: unknown): string | undefined {
  return error instanceof FileSystemError ? error.path : undefined
}

function named(error: unknown, asked: string): unknown {
  if (!(error instanceof FileSystemError) || error.path === asked) return error
  return error.at(asked)
}

function fail(code: PosixCode, path: string): never {
  throw new FileSystemError(code, path)
}
