import type { Pattern } from '../../shell/expand/pattern.ts'
import { compilePattern } from '../../shell/expand/pattern.ts'

interface Rule {
  readonly pattern: Pattern
  readonly include: boolean
}

/** The rules of `--include`, `--exclude`, `--exclude-from` and `--exclude-dir`. The last one that matches counts. */
export class FileRules {
  readonly #files: (Rule | { readonly list: string })[] = []
  readonly #directories: Rule[] = []

  addFile(glob: string, include: boolean): void {
    this.#files.push({ pattern: compile(glob), include })
  }

  addDirectory(glob: string): void {
    this.#directories.push({ pattern: compile(glob.length > 1 ? glob.replace(/\/+$/, '') : glob), include: false })
  }

  /** Notes a file of patterns, to be read by {@link FileRules.fill}. */
  addList(path: string): void {
    this.#files.push({ list: path })
  }

  get rulesDirectories(): boolean {
    return this.#directories.length > 0
  }

  /** The files of patterns that have not been read. */
  get lists(): readonly string[] {
    return this.#files.flatMap((rule) => ('list' in rule ? [rule.list] : []))
  }

  /** Puts the patterns of a file in the place where it was named. */
  fill(path: string, content: string): void {
    const at = this.#files.findIndex((rule) => 'list' in rule && rule.list === path)
    const globs = content.split('\n').map((line) => line.replace(/[ \t]+$/, ''))
    const rules = globs.filter((glob) => glob !== '').map((glob): Rule => ({ pattern: compile(glob), include: false }))
    this.#files.splice(at, 1, ...rules)
  }

  /** Whether a file is passed over: an operand by what it was called, any other by its name alone. */
  skipsFile(path: string): boolean {
    if (this.#files.length === 0) return false
    for (const rule of this.#files.toReversed()) {
      if ('pattern' in rule && matches(rule.pattern, path)) return !rule.include
    }
    const first = this.#files[0] as Rule | { list: string }
    return 'include' in first && first.include
  }

  /** Likewise a directory. */
  skipsDirectory(path: string): boolean {
    if (this.#directories.length === 0) return false
    const name = path.length > 1 ? path.replace(/\/+$/, '') : path
    return this.#directories.some((rule) => matches(rule.pattern, name))
  }
}

function compile(glob: string): Pattern {
  return compilePattern(glob, { extglob: false })
}

/** A pattern may match the whole, or what follows any slash. */
function matches(pattern: Pattern, path: string): boolean {
  if (pattern.matches(path)) return true
  for (let slash = path.lastIndexOf('/'); slash >= 0; slash = slash === 0 ? -1 : path.lastIndexOf('/', slash - 1)) {
    if (pattern.matches(path.slice(slash + 1))) return true
  }
  return false
}
