import { encode } from '../bytes.ts'
import { errorText, FileSystemError, hasCode } from '../errors.ts'
import type { CreateOptions, Dirent, FileAttributes, FileStat } from '../fs/file-system.ts'
import { normalise } from '../fs/path.ts'
import type { MaybePromise } from '../host.ts'
import { isPromise } from '../host.ts'
import type { BackupRule } from './backup.ts'
import { backupPath } from './backup.ts'
import type { CommandContext } from './command.ts'
import { confirm } from './confirm.ts'
import { quotedFile } from './quoted-file.ts'
import { quotedName } from './quoting.ts'
import { Remover } from './remover.ts'
import { complain, complainOf, isExpected } from './utility.ts'

/** How files are copied or moved. */
export interface CopyRules {
  /** Renames where it can; copies and removes where it can't. */
  readonly move: boolean
  readonly recursive: boolean
  /** Which symbolic links are followed. */
  readonly follow: 'none' | 'operands' | 'all'
  /** What a copy keeps of the original. */
  readonly keep: {
    readonly mode: boolean
    readonly owner: boolean
    readonly times: boolean
    /** Files that are one stay one. */
    readonly links: boolean
  }
  /** `--no-preserve=mode`: new files get the usual mode. */
  readonly plainModes: boolean
  readonly overwrite: 'ask' | 'never' | 'always'
  /** Only what is newer than its target. */
  readonly update: boolean
  readonly verbose: boolean
  readonly asHardLinks: boolean
  readonly asSymbolicLinks: boolean
  readonly backup: BackupRule
  readonly oneFileSystem: boolean
  /** Removes what can't be opened, and tries again. */
  readonly force: boolean
  /** Removes each existing target first. */
  readonly removeFirst: boolean
  readonly attributesOnly: boolean
  /** Special files are read, not made again. */
  readonly copyContents: boolean
}

/** A file as the user names it, and where it is. */
export interface NamedPath {
  readonly name: string
  readonly path: string
}

const PIECE = 1 << 20
/** Below this, copying the bytes costs less than making the back end share them. */
const SHARED_FROM = 65_536

/** Copies and moves files and trees; what fails is reported, and the rest goes on. */
export class Copier {
  readonly #rules: CopyRules
  readonly #context: CommandContext
  /** Files with several names, and where their first copy is. */
  readonly #firstCopies = new Map<string, string>()
  /** What this run made: it must not be overwritten by another operand of the same name. */
  readonly #made = new Set<string>()
  readonly #sourceFiles = new Set<string>()
  readonly #sourceDirectories = new Set<string>()
  /** The back end copies by reference; false once it has refused. */
  #sharesFiles = true
  #sharesTrees = true

  constructor(rules: CopyRules, context: CommandContext) {
    this.#rules = rules
    this.#context = context
  }

  /** Copies or moves one operand; true when all went well. */
  async transfer(source: NamedPath, target: NamedPath): Promise<boolean> {
    return this.#one(source, target, { isOperand: true, isNew: false, root: null, device: null })
  }

  async #one(source: NamedPath, target: NamedPath, place: Place): Promise<boolean> {
    const rules = this.#rules
    const { fs } = this.#context
    const followsSource = rules.follow === 'all' || (rules.follow === 'operands' && place.isOperand)
    let stat: FileStat
    try {
      const answer = followsSource ? fs.stat(source.path) : fs.lstat(source.path)
      stat = isPromise(answer) ? await answer : answer
    } catch (error) {
      return this.#fail(`cannot stat ${quotedFile(source.name)}`, error)
    }
    if (stat.type === 'directory' && !rules.recursive && !rules.move) {
      return this.#refuse(`-r not specified; omitting directory ${quotedFile(source.name)}`)
    }
    if (place.isOperand && stat.type === 'directory' && !rules.move) {
      const identity = `${stat.dev}:${stat.ino}`
      if (this.#sourceDirectories.has(identity) && this.#made.has(target.path)) {
        await complain(this.#context, `warning: source directory ${quotedFile(source.name)} specified more than once`)
        return true
      }
      this.#sourceDirectories.add(identity)
    }

    if (place.isOperand && stat.type !== 'directory' && rules.backup.kind === 'none') {
      const key = `${stat.dev}:${stat.ino} ${source.path}`
      if (this.#sourceFiles.has(key)) {
        await complain(this.#context, `warning: source file ${quotedFile(source.name)} specified more than once`)
        return true
      }
      this.#sourceFiles.add(key)
    }

    let existing: FileStat | null = null
    let backupName: string | null = null
    if (!place.isNew) {
      try {
        existing = await this.#existing(target, stat)
      } catch (error) {
        return this.#fail(`cannot stat ${quotedFile(target.name)}`, error)
      }
      if (existing !== null) {
        const sameness = await this.#sameness(source, target, stat, existing)
        if (sameness === 'same') return this.#refuse(`${quotedFile(source.name)} and ${quotedFile(target.name)} are the same file`)
        if (sameness === 'nothing to do') return true
        if (sameness === 'one name less') return this.#dropSource(source)
        if (!(await this.#mayOverwrite(target, stat, existing))) return true
        const clash = this.#clash(source, target, stat, existing, place)
        if (clash !== null) return this.#refuse(clash)
        if (rules.backup.kind !== 'none' && existing.type !== 'directory') {
          const kept = await this.#keepBackup(source, target)
          if (kept === null) return false
          backupName = kept
          existing = null
        } else if (existing.type !== 'directory' && !rules.move && this.#removesFirst(stat, existing)) {
          try {
            await fs.unlink(target.path)
            if (rules.verbose) await this.#write(`removed ${quotedFile(target.name)}\n`)
          } catch (error) {
            return this.#fail(`cannot remove ${quotedFile(target.name)}`, error)
          }
          existing = null
        }
      }
    }

    const arrow = `${quotedFile(source.name)} -> ${quotedFile(target.name)}${backupName === null ? '' : ` (backup: ${quotedFile(backupName)})`}\n`
    const note = (verb = ''): unknown => (rules.verbose ? this.#write(verb + arrow) : undefined)

    if (stat.type === 'directory' && place.root !== null && place.root.dev === stat.dev && place.root.ino === stat.ino) {
      return this.#refuse(`cannot copy a directory, ${quotedFile(place.root.name)}, into itself, ${quotedFile(place.root.target)}`)
    }
    if (rules.move && place.isOperand) {
      const moved = await this.#rename(source, target, stat, note)
      if (moved !== 'elsewhere') return moved
      return this.#moveElsewhere(source, target, arrow)
    }
    if (place.isOperand) this.#made.add(target.path)

    if (rules.keep.links && stat.nlink > 1 && stat.type !== 'directory') {
      const key = `${stat.dev}:${stat.ino}`
      const first = this.#firstCopies.get(key)
      if (first !== undefined) return this.#linkTo(first, source, target, existing, note)
      this.#firstCopies.set(key, target.path)
    }
    if (stat.type === 'directory') return this.#directory(source, target, stat, existing, place, note)
    await note()
    if (rules.asHardLinks) return this.#hardLink(source, target, existing, followsSource)
    if (rules.asSymbolicLinks) return this.#symbolicLink(source, target)
    if (stat.type === 'symlink') return this.#copyLink(source, target, existing)
    return this.#file(source, target, stat, existing)
  }

  /** What is at the target; a link there counts as what it leads to only where the copy would be written through it. */
  async #existing(target: NamedPath, source: FileStat): Promise<FileStat | null> {
    const { fs } = this.#context
    try {
      return this.#seesTargetLink(source) ? await fs.lstat(target.path) : await fs.stat(target.path)
    } catch (error) {
      if (hasCode(error, 'ENOENT') || hasCode(error, 'ELOOP')) return null
      throw error
    }
  }

  #seesTargetLink(source: FileStat): boolean {
    const rules = this.#rules
    return (
      source.type !== 'file' ||
      rules.move ||
      rules.asSymbolicLinks ||
      rules.asHardLinks ||
      rules.backup.kind !== 'none' ||
      rules.removeFirst
    )
  }

  async #sameness(
    source: NamedPath,
    target: NamedPath,
    stat: FileStat,
    existing: FileStat,
  ): Promise<'different' | 'same' | 'nothing to do' | 'one name less'> {
    const rules = this.#rules
    const { fs } = this.#context
    const isSame = (a: FileStat, b: FileStat): boolean => a.ino === b.ino && a.dev === b.dev
    if (rules.follow !== 'none' && !isSame(stat, existing)) return 'different'
    const sourceLink = await fs.lstat(source.path)
    const targetLink = await fs.lstat(target.path)
    const sameLink = isSame(sourceLink, targetLink)
    const sameName = normalise(source.path) === normalise(target.path)
    const hasBackup = rules.backup.kind !== 'none'
    if (rules.follow === 'none') {
      if (sourceLink.type === 'symlink' && targetLink.type === 'symlink') {
        if (sameName) return 'same'
        if (hasBackup) return 'different'
        if (!sameLink) return 'different'
        return rules.move ? 'one name less' : 'nothing to do'
      }
      if (!sameLink) {
        const leads = targetLink.type === 'symlink' ? existing : targetLink
        return !rules.move && sourceLink.type !== 'symlink' && isSame(stat, leads) && !hasBackup && !this.#removesFirst(stat, existing)
          ? 'same'
          : 'different'
      }
    } else if (sourceLink.type === 'symlink' && targetLink.type === 'symlink' && rules.removeFirst) return 'different'
    if (hasBackup) {
      if (!sameLink) return !rules.move && sourceLink.type === 'symlink' && targetLink.type !== 'symlink' ? 'same' : 'different'
      return sameName ? 'same' : 'different'
    }
    if (rules.removeFirst || rules.force) {
      if (targetLink.type === 'symlink' && rules.removeFirst) return 'different'
      if (sameLink && targetLink.nlink > 1 && !sameName && rules.removeFirst && !rules.move) return 'different'
    }
    if (rules.asHardLinks && sameLink) return 'nothing to do'
    if (rules.asSymbolicLinks && targetLink.type === 'symlink' && rules.force) return 'different'
    return 'same'
  }

  async #mayOverwrite(target: NamedPath, stat: FileStat, existing: FileStat): Promise<boolean> {
    const rules = this.#rules
    if (stat.type === 'directory' && !rules.move) return true
    if (rules.update && stat.type !== 'directory' && existing.mtimeMs >= stat.mtimeMs) return false
    if (rules.overwrite === 'never') return false
    if (rules.overwrite !== 'ask') return true
    return confirm(this.#context, `overwrite ${quotedFile(target.name)}? `)
  }

  /** Why one can't take the other's place; null where it can. */
  #clash(source: NamedPath, target: NamedPath, stat: FileStat, existing: FileStat, place: Place): string | null {
    const { move } = this.#rules
    if (stat.type === 'directory') {
      if (existing.type !== 'directory' && !(move && this.#rules.backup.kind !== 'none')) {
        return `cannot overwrite non-directory ${quotedFile(target.name)} with directory ${quotedFile(source.name)}`
      }
      return null
    }
    if (existing.type === 'directory') {
      return `cannot overwrite directory ${quotedFile(target.name)} with non-directory`
    }
    if (place.isOperand && this.#made.has(target.path) && this.#rules.backup.kind !== 'numbered') {
      return `will not overwrite just-created ${quotedFile(target.name)} with ${quotedFile(source.name)}`
    }
    return null
  }

  #removesFirst(stat: FileStat, existing: FileStat): boolean {
    const rules = this.#rules
    if (rules.removeFirst) return true
    if (rules.attributesOnly) return false
    // A link in the way is replaced by what is no plain copy of data; so is a file that keeps its other names.
    return rules.keep.links && rules.follow !== 'all' && existing.nlink > 1 && stat.type === 'file'
      ? true
      : (rules.follow === 'none' && existing.type === 'file' && stat.type !== 'file') || (stat.type === 'symlink' && !rules.asHardLinks)
  }

  async #keepBackup(source: NamedPath, target: NamedPath): Promise<string | null> {
    const path = (await backupPath(target.path, this.#rules.backup, this.#context)) ?? ''
    const name = target.name + path.slice(target.path.length)
    if (normalise(path) === normalise(source.path)) {
      await complain(
        this.#context,
        `backing up ${quotedFile(target.name)} might destroy source;  ${quotedFile(source.name)} not ${this.#rules.move ? 'moved' : 'copied'}`,
      )
      return null
    }
    try {
      await this.#context.fs.rename(target.path, path)
      return name
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return name
      await this.#fail(`cannot backup ${quotedFile(target.name)}`, error)
      return null
    }
  }

  async #dropSource(source: NamedPath): Promise<boolean> {
    try {
      await this.#context.fs.unlink(source.path)
      if (this.#rules.verbose) await this.#write(`removed ${quotedFile(source.name)}\n`)
      return true
    } catch (error) {
      return this.#fail(`cannot remove ${quotedFile(source.name)}`, error)
    }
  }

  async #rename(source: NamedPath, target: NamedPath, stat: FileStat, note: (verb?: string) => unknown): Promise<boolean | 'elsewhere'> {
    const { fs } = this.#context
    try {
      await fs.rename(source.path, target.path)
    } catch (error) {
      if (hasCode(error, 'EXDEV')) return 'elsewhere'
      if (hasCode(error, 'EINVAL') && stat.type === 'directory') {
        return this.#refuse(`cannot move ${quotedFile(source.name)} to a subdirectory of itself, ${quotedFile(target.name)}`)
      }
      return this.#fail(`cannot move ${quotedFile(source.name)} to ${quotedFile(target.name)}`, error)
    }
    this.#made.add(target.path)
    await note('renamed ')
    return true
  }

  /** Across mounts: a copy that keeps everything, then the original goes. */
  async #moveElsewhere(source: NamedPath, target: NamedPath, arrow: string): Promise<boolean> {
    const { fs } = this.#context
    try {
      const old = await fs.lstat(target.path)
      if (old.type === 'directory') await fs.rmdir(target.path)
      else await fs.unlink(target.path)
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) {
        return this.#fail(
          `inter-device move failed: ${quotedFile(source.name)} to ${quotedFile(target.name)}; unable to remove target`,
          error,
        )
      }
    }
    const { verbose } = this.#rules
    if (verbose) await this.#write(`copied ${arrow}`)
    const copier = new Copier(
      {
        ...this.#rules,
        move: false,
        recursive: true,
        follow: 'none',
        keep: { mode: true, owner: true, times: true, links: true },
        overwrite: 'always',
        update: false,
        verbose: false,
        backup: { kind: 'none', suffix: '~' },
      },
      this.#context,
    )
    if (!(await copier.transfer(source, target))) return false
    const remover = new Remover(
      { recursive: true, directories: true, ignoreMissing: false, ask: false, verbose, oneFileSystem: false },
      this.#context,
    )
    return remover.remove(source.name, source.path)
  }

  async #linkTo(first: string, source: NamedPath, target: NamedPath, existing: FileStat | null, note: () => unknown): Promise<boolean> {
    const { fs } = this.#context
    await note()
    try {
      if (existing !== null) await fs.unlink(target.path)
      await fs.link(first, target.path)
      return true
    } catch (error) {
      if (!hasCode(error, 'ENOTSUP')) {
        return this.#fail(`cannot create hard link ${quotedFile(target.name)} to ${quotedFile(first)}`, error)
      }
    }
    return this.#file(source, target, await fs.stat(source.path), null)
  }

  async #directory(
    source: NamedPath,
    target: NamedPath,
    stat: FileStat,
    existing: FileStat | null,
    place: Place,
    note: () => unknown,
  ): Promise<boolean> {
    const rules = this.#rules
    const { fs, umask } = this.#context
    if (existing === null) {
      if (this.#mayShareTree()) {
        try {
          const shared = fs.copyTree(source.path, target.path)
          if (isPromise(shared)) await shared
          return true
        } catch (error) {
          if (!isRefusal(error)) return this.#fail(`cannot create directory ${quotedFile(target.name)}`, error)
          this.#sharesTrees = !hasCode(error, 'ENOTSUP')
        }
      }
      try {
        await fs.mkdir(target.path, (stat.mode & ~umask & 0o777) | 0o700)
      } catch (error) {
        return this.#fail(`cannot create directory ${quotedFile(target.name)}`, error)
      }
      await note()
    }
    let names: readonly Dirent[]
    try {
      names = await fs.readdir(source.path)
    } catch (error) {
      return this.#fail(`cannot access ${quotedFile(source.name)}`, error)
    }
    const root = place.root ?? { ...(await this.#identityOf(target.path)), name: source.name, target: target.name, path: target.path }
    const inside: Place = { isOperand: false, isNew: existing === null, root, device: place.device ?? stat.dev }
    const sourceSlash = source.path.endsWith('/') ? '' : '/'
    const targetSlash = target.path.endsWith('/') ? '' : '/'
    const sourceNameSlash = source.name.endsWith('/') ? '' : '/'
    const targetNameSlash = target.name.endsWith('/') ? '' : '/'
    let allWell = true
    const isPlain = existing === null && this.#isPlain()
    for (const { name, type } of names) {
      const from = { name: source.name + sourceNameSlash + name, path: source.path + sourceSlash + name }
      const to = { name: target.name + targetNameSlash + name, path: target.path + targetSlash + name }
      const pause = this.#context.pause()
      if (pause !== undefined) await pause
      if (isPlain && type === 'file') {
        const copied = this.#plainFile(from.path, to.path)
        if (isPromise(copied) ? await copied : copied) continue
      }
      if (rules.oneFileSystem && (await this.#isElsewhere(from, inside))) continue
      if (!(await this.#one(from, to, inside))) allWell = false
    }
    const isNew = existing === null
    const attributes = this.#attributes(stat, isNew)
    // The mode it was made with let the user write into it.
    if (isNew && attributes.mode === undefined && ((stat.mode & ~umask & 0o777) | 0o700) !== this.#newMode(stat)) {
      return (await this.#setAttributes(target, { ...attributes, mode: this.#newMode(stat) })) && allWell
    }
    return (await this.#setAttributes(target, attributes)) && allWell
  }

  /** Nothing is to be done to a file in a new directory but to copy it. */
  #isPlain(): boolean {
    const rules = this.#rules
    return !rules.verbose && !rules.asHardLinks && !rules.asSymbolicLinks && !rules.attributesOnly && !rules.oneFileSystem
  }

  /** Copies a small file where that goes straight on; false where it is better done the long way, which also says what is wrong. */
  #plainFile(source: string, target: string): MaybePromise<boolean> {
    const { fs } = this.#context
    try {
      const stat = fs.lstat(source)
      if (isPromise(stat) || stat.type !== 'file' || stat.size >= SHARED_FROM || (stat.nlink > 1 && this.#rules.keep.links)) return false
      const data = fs.read(source)
      if (isPromise(data)) return false
      const written = fs.write(target, data, { mode: this.#newMode(stat), exclusive: true })
      const { owner, times } = this.#rules.keep
      const set = (): MaybePromise<boolean> => {
        if (!owner && !times) return true
        const done = fs.setattr(target, this.#attributes(stat, true))
        return isPromise(done) ? done.then(() => true) : true
      }
      const copied = isPromise(written) ? written.then(set) : set()
      // A back end without modes and times has the data all the same.
      return isPromise(copied) ? copied.catch((error: unknown) => hasCode(error, 'ENOTSUP') || judged(error)) : copied
    } catch (error) {
      if (isExpected(error)) return false
      throw error
    }
  }

  /** A tree may be copied in one go where the copy is to be the original in every way. */
  #mayShareTree(): boolean {
    const rules = this.#rules
    const { mode, owner, times } = rules.keep
    return (
      this.#sharesTrees &&
      mode &&
      owner &&
      times &&
      rules.follow !== 'all' &&
      !rules.verbose &&
      !rules.asHardLinks &&
      !rules.asSymbolicLinks &&
      !rules.attributesOnly &&
      !rules.oneFileSystem &&
      !rules.copyContents
    )
  }

  async #isElsewhere(source: NamedPath, place: Place): Promise<boolean> {
    try {
      return (await this.#context.fs.lstat(source.path)).dev !== place.device
    } catch (error) {
      if (isExpected(error)) return false
      throw error
    }
  }

  async #identityOf(path: string): Promise<{ dev: number; ino: number }> {
    const { dev, ino } = await this.#context.fs.stat(path)
    return { dev, ino }
  }

  async #hardLink(source: NamedPath, target: NamedPath, existing: FileStat | null, followsSource: boolean): Promise<boolean> {
    const { fs } = this.#context
    try {
      if (existing !== null && (this.#rules.force || this.#rules.removeFirst)) await fs.unlink(target.path)
      await fs.link(followsSource ? await this.#resolved(source.path) : source.path, target.path)
      return true
    } catch (error) {
      return this.#fail(`cannot create hard link ${quotedFile(target.name)} to ${quotedFile(source.name)}`, error)
    }
  }

  /** Where a chain of symbolic links leads. */
  async #resolved(path: string): Promise<string> {
    let at = path
    for (let links = 0; links < 40; links++) {
      const { type } = await this.#context.fs.lstat(at)
      if (type !== 'symlink') return at
      const link = await this.#context.fs.readlink(at)
      at = link.startsWith('/') ? link : `${at.slice(0, at.lastIndexOf('/'))}/${link}`
    }
    throw new FileSystemError('ELOOP', path)
  }

  async #symbolicLink(source: NamedPath, target: NamedPath): Promise<boolean> {
    if (!source.name.startsWith('/') && target.name.includes('/') && normalise(`${target.path}/..`) !== normalise(this.#context.cwd)) {
      return this.#refuse(`${quotedName(target.name)}: can make relative symbolic links only in current directory`)
    }
    const { fs } = this.#context
    try {
      if (this.#rules.force) await fs.unlink(target.path)
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) return this.#fail(`cannot remove ${quotedFile(target.name)}`, error)
    }
    try {
      await fs.symlink(source.name, target.path)
      return true
    } catch (error) {
      return this.#fail(`cannot create symbolic link ${quotedFile(target.name)} to ${quotedFile(source.name)}`, error)
    }
  }

  async #copyLink(source: NamedPath, target: NamedPath, existing: FileStat | null): Promise<boolean> {
    const { fs } = this.#context
    let link: string
    try {
      link = await fs.readlink(source.path)
    } catch (error) {
      return this.#fail(`cannot read symbolic link ${quotedFile(source.name)}`, error)
    }
    try {
      if (existing !== null) await fs.unlink(target.path)
      await fs.symlink(link, target.path)
      return true
    } catch (error) {
      return this.#fail(`cannot create symbolic link ${quotedFile(target.name)}`, error)
    }
  }

  async #file(source: NamedPath, target: NamedPath, stat: FileStat, existing: FileStat | null): Promise<boolean> {
    const { fs } = this.#context
    if (existing === null && target.path.endsWith('/')) {
      return this.#refuse(`cannot create regular file ${quotedFile(target.name)}: Not a directory`)
    }
    if (existing === null && stat.type === 'file' && stat.size >= SHARED_FROM && this.#sharesFiles && !this.#rules.attributesOnly) {
      try {
        const shared = fs.copyTree(source.path, target.path)
        if (isPromise(shared)) await shared
        return this.#setAttributes(target, this.#attributesOfShared(stat))
      } catch (error) {
        if (hasCode(error, 'EEXIST')) return this.#refuse(`not writing through dangling symlink ${quotedFile(target.name)}`)
        if (!isRefusal(error)) return this.#fail(`cannot create regular file ${quotedFile(target.name)}`, error)
        this.#sharesFiles = !hasCode(error, 'ENOTSUP')
      }
    }
    try {
      await this.#content(source, target, stat, existing)
    } catch (error) {
      if (!(error instanceof SourceProblem)) {
        // There was nothing, as links are followed: what is there is a link that leads nowhere.
        if (existing === null && hasCode(error, 'EEXIST')) {
          return this.#refuse(`not writing through dangling symlink ${quotedFile(target.name)}`)
        }
        if (existing === null || !this.#rules.force || !isExpected(error)) {
          return this.#fail(`cannot create regular file ${quotedFile(target.name)}`, error)
        }
        return this.#replace(source, target, stat)
      }
      await complain(this.#context, error.message)
      return false
    }
    return this.#setAttributes(target, this.#attributes(stat, existing === null))
  }

  async #replace(source: NamedPath, target: NamedPath, stat: FileStat): Promise<boolean> {
    try {
      await this.#context.fs.unlink(target.path)
      if (this.#rules.verbose) await this.#write(`removed ${quotedFile(target.name)}\n`)
      await this.#content(source, target, stat, null)
    } catch (error) {
      return this.#fail(`cannot create regular file ${quotedFile(target.name)}`, error)
    }
    return this.#setAttributes(target, this.#attributes(stat, true))
  }

  async #content(source: NamedPath, target: NamedPath, stat: FileStat, existing: FileStat | null): Promise<void> {
    const { fs } = this.#context
    const creation = { mode: this.#newMode(stat), exclusive: existing === null }
    if (this.#rules.attributesOnly) {
      if (existing === null) await fs.write(target.path, new Uint8Array(0), creation)
      return
    }
    if (stat.type === 'file' && stat.size <= PIECE) return this.#whole(source, target, creation)
    const gathered = fs.gather?.(target.path)
    const complete = isPromise(gathered) ? await gathered : gathered
    // A file that is made exclusively is there at once, and empty.
    const making = complete === undefined ? creation : { mode: creation.mode }
    try {
      if (stat.type !== 'file') await this.#stream(source, target, making)
      else if (complete === undefined && !fs.capabilities.partialWrites) await this.#whole(source, target, creation)
      else await this.#pieces(source, target, making)
    } finally {
      complete?.()
    }
  }

  async #whole(source: NamedPath, target: NamedPath, creation: CreateOptions): Promise<void> {
    const data = await this.#read(source, 0, undefined)
    await this.#context.fs.write(target.path, data, creation)
  }

  async #pieces(source: NamedPath, target: NamedPath, creation: { readonly mode: number }): Promise<void> {
    const { fs } = this.#context
    const { mode } = creation
    await fs.write(target.path, new Uint8Array(0), creation)
    for (let offset = 0; ; ) {
      const piece = await this.#read(source, offset, PIECE)
      if (piece.length === 0) return
      await fs.append(target.path, piece, { mode })
      offset += piece.length
      const pause = this.#context.pause()
      if (pause !== undefined) await pause
    }
  }

  async #read(source: NamedPath, offset: number, length: number | undefined): Promise<Uint8Array> {
    try {
      return await this.#context.fs.read(source.path, offset, length)
    } catch (error) {
      if (!isExpected(error)) throw error
      throw new SourceProblem(`cannot open ${quotedFile(source.name)} for reading: ${errorText(error)}`)
    }
  }

  /** Devices and pipes have no size. */
  async #stream(source: NamedPath, target: NamedPath, creation: CreateOptions): Promise<void> {
    const { fs } = this.#context
    const input = await this.#context.open(source.path)
    try {
      await fs.write(target.path, new Uint8Array(0), creation)
      for (;;) {
        const chunk = await input.read()
        if (chunk === null) return
        await fs.append(target.path, chunk)
        const pause = this.#context.pause()
        if (pause !== undefined) await pause
      }
    } finally {
      await input.close()
    }
  }

  #newMode(stat: FileStat): number {
    const { keep, plainModes } = this.#rules
    const { umask } = this.#context
    if (keep.mode) return stat.mode
    if (plainModes) return (stat.type === 'directory' ? 0o777 : 0o666) & ~umask
    return stat.mode & 0o777 & ~umask
  }

  #attributes(stat: FileStat, isNew: boolean): FileAttributes {
    const { keep, plainModes } = this.#rules
    return {
      ...(keep.mode ? { mode: stat.mode } : {}),
      ...(plainModes && isNew ? { mode: this.#newMode(stat) } : {}),
      ...(keep.owner ? { uid: stat.uid, gid: stat.gid } : {}),
      ...(keep.times ? { mtimeMs: stat.mtimeMs, atimeMs: stat.atimeMs } : {}),
    }
  }

  /** A copy by reference has all of the original's, so what is not to be kept is set. */
  #attributesOfShared(stat: FileStat): FileAttributes {
    const { keep } = this.#rules
    const now = this.#context.host.now()
    const mode = this.#newMode(stat)
    return {
      ...(mode === stat.mode ? {} : { mode }),
      ...(keep.times ? {} : { mtimeMs: now, atimeMs: now }),
    }
  }

  async #setAttributes(target: NamedPath, attributes: FileAttributes): Promise<boolean> {
    if (attributes.mode === undefined && attributes.mtimeMs === undefined && attributes.uid === undefined) return true
    try {
      const set = this.#context.fs.setattr(target.path, attributes)
      if (isPromise(set)) await set
    } catch (error) {
      // A back end without modes and times copies the data all the same.
      if (hasCode(error, 'ENOTSUP')) return true
      return this.#fail(`preserving permissions for ${quotedFile(target.name)}`, error)
    }
    return true
  }

  #write(text: string): unknown {
    return this.#context.stdout.write(encode(text))
  }

  async #refuse(message: string): Promise<false> {
    await complain(this.#context, message)
    return false
  }

  async #fail(what: string, error: unknown): Promise<false> {
    await complainOf(this.#context, what, error)
    return false
  }
}

/** Where in the work a file comes up. */
interface Place {
  readonly isOperand: boolean
  /** Nothing can be at the target. */
  readonly isNew: boolean
  /** The directory that the whole copy goes to, and its names. */
  readonly root: { readonly dev: number; readonly ino: number; readonly name: string; readonly target: string } | null
  readonly device: number | null
}

class SourceProblem extends Error {
  override readonly name: string = 'SourceProblem'
}

function isRefusal(error: unknown): boolean {
  return (
    hasCode(error, 'ENOTSUP') || hasCode(error, 'EXDEV') || hasCode(error, 'EACCES') || hasCode(error, 'EPERM') || hasCode(error, 'EINVAL')
  )
}

/** False for what a command may go on from. */
function judged(error: unknown): false {
  if (isExpected(error)) return false
  throw error
}
