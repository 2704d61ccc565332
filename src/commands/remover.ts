import { encode } from '../bytes.ts'
import { hasCode } from '../errors.ts'
import type { FileStat } from '../fs/file-system.ts'
import type { CommandContext } from './command.ts'
import { confirm } from './confirm.ts'
import { fileTypeText } from './file-type-text.ts'
import { quotedFile } from './quoted-file.ts'
import { complain, complainOf } from './utility.ts'

/** How files are removed. */
export interface RemoveOptions {
  readonly recursive: boolean
  /** Empty directories go without `recursive`. */
  readonly directories: boolean
  readonly ignoreMissing: boolean
  /** Asks before each. */
  readonly ask: boolean
  readonly verbose: boolean
  readonly oneFileSystem: boolean
}

/** Removes files and trees as `rm` does; what fails is reported and passed over. */
export class Remover {
  readonly #options: RemoveOptions
  readonly #context: CommandContext

  constructor(options: RemoveOptions, context: CommandContext) {
    this.#options = options
    this.#context = context
  }

  /** True when nothing is left of it, or the user wanted it to stay. */
  async remove(name: string, path: string): Promise<boolean> {
    let stat: FileStat
    try {
      stat = await this.#context.fs.lstat(path)
    } catch (error) {
      if (this.#options.ignoreMissing && (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR'))) return true
      return this.#fail(name, error)
    }
    if (stat.type !== 'directory') return this.#file(name, path, stat)
    if (!this.#options.recursive) return this.#emptyDirectory(name, path)
    return this.#directory(name, path, stat.dev)
  }

  async #file(name: string, path: string, stat: FileStat | null): Promise<boolean> {
    const { ask, verbose } = this.#options
    const { fs } = this.#context
    try {
      if (ask) {
        const kind = fileTypeText(stat ?? (await fs.lstat(path)))
        if (!(await confirm(this.#context, `remove ${kind} ${quotedFile(name)}? `))) return true
      }
      // A slash at the end is only right after a directory.
      if (path.endsWith('/')) await fs.stat(path)
      await fs.unlink(path)
    } catch (error) {
      return this.#fail(name, error)
    }
    if (verbose) await this.#context.stdout.write(encode(`removed ${quotedFile(name)}\n`))
    return true
  }

  async #emptyDirectory(name: string, path: string): Promise<boolean> {
    if (!this.#options.directories) {
      await complain(this.#context, `cannot remove ${quotedFile(name)}: Is a directory`)
      return false
    }
    return this.#ownDirectory(name, path, true)
  }

  async #ownDirectory(name: string, path: string, mayAsk: boolean): Promise<boolean> {
    const { ask, verbose } = this.#options
    if (ask && mayAsk && !(await confirm(this.#context, `remove directory ${quotedFile(name)}? `))) return true
    try {
      await this.#context.fs.rmdir(path)
    } catch (error) {
      return this.#fail(name, error)
    }
    if (verbose) await this.#context.stdout.write(encode(`removed directory ${quotedFile(name)}\n`))
    return true
  }

  async #directory(name: string, path: string, device: number): Promise<boolean> {
    const { ask, verbose, oneFileSystem } = this.#options
    const { fs } = this.#context
    if (!ask && !verbose && !oneFileSystem) {
      try {
        await fs.removeTree(path)
        return true
      } catch (error) {
        // Name by name, it is seen which one can't be removed.
        if (hasCode(error, 'ENOENT') || !isRefusal(error)) return this.#fail(name, error)
      }
    }
    let entries: readonly { readonly name: string; readonly type: FileStat['type'] }[]
    try {
      entries = await fs.readdir(path)
      if (ask && entries.length > 0 && !(await confirm(this.#context, `descend into directory ${quotedFile(name)}? `))) return true
    } catch (error) {
      return this.#fail(name, error)
    }
    let isEmpty = true
    const slash = path.endsWith('/') ? '' : '/'
    const nameSlash = name.endsWith('/') ? '' : '/'
    for (const entry of entries) {
      const childName = name + nameSlash + entry.name
      const childPath = path + slash + entry.name
      const pause = this.#context.pause()
      if (pause !== undefined) await pause
      if (entry.type !== 'directory') {
        if (!(await this.#file(childName, childPath, null))) isEmpty = false
        continue
      }
      if (oneFileSystem && (await fs.lstat(childPath)).dev !== device) {
        await complain(this.#context, `skipping ${quotedFile(childName)}, since it's on a different device`)
        isEmpty = false
        continue
      }
      if (!(await this.#directory(childName, childPath, device))) isEmpty = false
    }
    return isEmpty && this.#ownDirectory(name, path, true)
  }

  async #fail(name: string, error: unknown): Promise<false> {
    await complainOf(this.#context, `cannot remove ${quotedFile(name)}`, error)
    return false
  }
}

/** A back end that can't remove a tree at once, or one part of it. */
function isRefusal(error: unknown): boolean {
  return ['ENOTSUP', 'EXDEV', 'EBUSY', 'EACCES', 'EPERM', 'EROFS', 'ENOTEMPTY', 'ENOTDIR'].some((code) => hasCode(error, code as 'ENOTSUP'))
}
