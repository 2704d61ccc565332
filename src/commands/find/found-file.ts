import type { FileStat, FileType } from '../../fs/file-system.ts'
import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import type { FindRun } from './run.ts'

/** A file that the walk has come to. */
export class FoundFile {
  /** As it is printed: the operand and the names below it. */
  readonly shown: string
  /** Absolute. */
  readonly path: string
  /** Last name, without slashes behind it. */
  readonly name: string
  /** The operand it was found below. */
  readonly root: string
  readonly depth: number
  /** What the name itself is. */
  readonly ownType: FileType
  /** What tests see: the target's type where links are followed. */
  readonly type: FileType
  /** `-prune` had its say. */
  isPruned = false
  readonly #run: FindRun
  #stat: FileStat | null | undefined

  constructor(
    run: FindRun,
    file: Pick<FoundFile, 'shown' | 'path' | 'name' | 'root' | 'depth' | 'ownType'>,
    type: FileType,
    stat?: FileStat,
  ) {
    this.#run = run
    this.shown = file.shown
    this.path = file.path
    this.name = file.name
    this.root = file.root
    this.depth = file.depth
    this.ownType = file.ownType
    this.type = type
    this.#stat = stat
  }

  /** What is known of it; null after saying why nothing is. */
  stat(): MaybePromise<FileStat | null> {
    if (this.#stat !== undefined) return this.#stat
    const keep = (stat: FileStat | null): FileStat | null => {
      this.#stat = stat
      return stat
    }
    const failed = (error: unknown): MaybePromise<null> => {
      this.#stat = null
      const said = this.#run.failed(this.shown, error)
      return isPromise(said) ? said.then(() => null) : null
    }
    try {
      const { fs } = this.#run.context
      const stat = this.type === this.ownType ? fs.lstat(this.path) : fs.stat(this.path)
      return isPromise(stat) ? stat.then(keep, failed) : keep(stat)
    } catch (error) {
      return failed(error)
    }
  }

  /** The directory that holds it, absolute. */
  get directory(): string {
    const path = this.path.replace(/\/+$/, '')
    return path.slice(0, path.lastIndexOf('/')) || '/'
  }

  /** Its name as it is printed, with a slash where the operand ends with one. */
  get base(): string {
    return this.shown.endsWith('/') && this.name !== '/' ? `${this.name}/` : this.name
  }
}

/** What an expression asks of a file: whether it holds. It may do things, too. */
export type Test = (file: FoundFile) => MaybePromise<boolean>

/** A test of what `stat` knows. */
export function statTest(judge: (stat: FileStat, file: FoundFile) => boolean): Test {
  return (file) => {
    const stat = file.stat()
    if (isPromise(stat)) return stat.then((known) => known !== null && judge(known, file))
    return stat !== null && judge(stat, file)
  }
}
