import { codeOf } from '../../errors.ts'
import type { Dirent, FileSystem } from '../../fs/file-system.ts'
import { chain } from '../../fs/maybe.ts'
import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import { sortByBytes } from './byte-order.ts'
import type { Pattern } from './pattern.ts'
import { compilePattern, hasPatternCharacters, unescapePattern } from './pattern.ts'
import { groupEnd } from './pattern-syntax.ts'

export interface GlobOptions {
  /** The session's view: it understands `.` and `..` and follows links. */
  readonly fs: FileSystem
  /** Absolute directory that relative patterns start from. */
  readonly cwd: string
  readonly extglob: boolean
  readonly globstar: boolean
  readonly dotglob: boolean
  readonly nocaseglob: boolean
  /** Value of GLOBIGNORE. Where it is not empty hidden names match too. */
  readonly globignore?: string
  /** False: patterns that start with a dot match `.` and `..` too. */
  readonly globskipdots?: boolean
}

/**
 * The paths a pattern text matches, sorted as bash sorts them in C.UTF-8, relative where the pattern is; empty when there are none. Directories
 * that can't be read hold nothing. Each directory is read once, and nothing else is asked about what is in it.
 */
export function expandGlob(pattern: string, options: GlobOptions): MaybePromise<readonly string[]> {
  // A backslash with nothing behind it matches nothing.
  if (/(?:^|[^\\])(?:\\\\)*\\$/.test(pattern)) return []
  const { start, components } = parsePath(pattern, options)
  const walk = new GlobWalk(options)
  return chain(walk.run(start, components), (paths) => sortByBytes(withoutIgnored(paths, options)))
}

interface Component {
  readonly type: 'literal' | 'pattern' | 'globstar'
  readonly text: string
  /** The slashes behind it, as written. */
  readonly slashes: string
  /** A pattern stands before it. */
  readonly behind: boolean
}

function parsePath(pattern: string, options: GlobOptions): { start: string; components: readonly Component[] } {
  const start = /^\/*/.exec(pattern)?.[0] ?? ''
  const components: Component[] = []
  let from = start.length
  for (let at = from; at <= pattern.length; at++) {
    const char = pattern[at]
    if (char === '\\' && pattern[at + 1] !== '/') at += 1
    else if (options.extglob && pattern[at + 1] === '(' && char !== undefined && '?*+@!'.includes(char)) {
      const close = groupEnd(pattern, at + 1)
      if (close > 0) at = close
    } else if (char === '/' || char === undefined || (char === '\\' && pattern[at + 1] === '/')) {
      const slashes = /\/*/y
      slashes.lastIndex = char === '\\' ? at + 1 : at
      const run = slashes.exec(pattern)?.[0] ?? ''
      if (at > from) addComponent(components, pattern.slice(from, at), run, options)
      from = slashes.lastIndex
      at = Math.max(at, from - 1)
    }
  }
  return { start, components }
}

function addComponent(components: Component[], text: string, written: string, options: GlobOptions): void {
  const active = hasPatternCharacters(text, options.extglob)
  // From the first pattern on one slash stands for any run of them.
  const behind = components.some((component) => component.type !== 'literal')
  const slashes = (active || behind) && written !== '' ? '/' : written
  if (!active) components.push({ type: 'literal', text: unescapePattern(text), slashes, behind })
  else if (text !== '**' || !options.globstar) components.push({ type: 'pattern', text, slashes, behind })
  else {
    const doubled = components.at(-1)?.type === 'globstar' ? components.pop() : undefined
    components.push({ type: 'globstar', text, slashes, behind: doubled?.behind ?? behind })
  }
}

const NOTHING: readonly Dirent[] = []
/** Directories asked for at once where the file system can't answer at once. */
const CONCURRENCY = 16

class GlobWalk {
  readonly #options: GlobOptions
  readonly #hidden: boolean
  readonly #directories = new Map<string, readonly Dirent[]>()

  constructor(options: GlobOptions) {
    this.#options = options
    this.#hidden = options.dotglob || (options.globignore ?? '') !== ''
  }

  run(start: string, components: readonly Component[]): MaybePromise<string[]> {
    let prefixes: MaybePromise<string[]> = [start]
    for (let at = 0; at < components.length; at++) {
      const component = components[at] as Component
      const last = at === components.length - 1
      const keep = components[at + 1] !== undefined && component.type === 'globstar'
      prefixes = chain(prefixes, (list) => flatten(list, (prefix) => this.#component(prefix, component, last, keep)))
    }
    return prefixes
  }

  #component(prefix: string, component: Component, last: boolean, keep: boolean): MaybePromise<readonly string[]> {
    switch (component.type) {
      case 'literal':
        return this.#literal(prefix + component.text, component.slashes, last)
      case 'pattern':
        return this.#pattern(prefix, component, last)
      case 'globstar':
        return this.#globstar(prefix, component, last, keep)
      default:
        return component.type satisfies never
    }
  }

  /** Only at the end is it worth asking: a directory that isn't there reads as empty. */
  #literal(path: string, slashes: string, last: boolean): MaybePromise<readonly string[]> {
    if (!last) return [path + slashes]
    const { fs } = this.#options
    if (slashes !== '') return chain(this.#isDirectory(path), (yes) => (yes ? [path + slashes] : []))
    return attempt(
      () => fs.lstat(this.#absolute(path)),
      () => [path],
      [],
    )
  }

  #pattern(prefix: string, component: Component, last: boolean): MaybePromise<readonly string[]> {
    const { extglob, nocaseglob } = this.#options
    const pattern = compilePattern(component.text, { extglob, nocase: nocaseglob })
    return chain(this.#read(prefix, false), (entries) => {
      const directories = !last || component.slashes !== ''
      const found: string[] = []
      let links: string[] | null = null
      for (const { name, type } of entries) {
        if (directories && type !== 'directory' && type !== 'symlink') continue
        if (!this.#matches(pattern, name)) continue
        const path = prefix + name + component.slashes
        if (last && directories && type === 'symlink') (links ??= []).push(path)
        else found.push(path)
      }
      if (this.#options.globskipdots === false) {
        for (const name of ['.', '..']) if (pattern.matchesName(name)) found.push(prefix + name + component.slashes)
      }
      if (links === null) return found
      const linked = flatten(links, (path) => chain(this.#isDirectory(path), (yes) => (yes ? [path] : [])))
      return chain(linked, (more) => found.concat(more))
    })
  }

  #matches(pattern: Pattern, name: string): boolean {
    return this.#hidden ? pattern.matches(name) : pattern.matchesName(name)
  }

  /** All below. Links to directories are found, but what is below them is not. */
  #globstar(prefix: string, { slashes, behind }: Component, last: boolean, keep: boolean): MaybePromise<readonly string[]> {
    const found: string[] = prefix === '' && last ? [] : [last && slashes === '' && behind ? withoutSlash(prefix) : prefix]
    const links: string[] = []
    const visit = (from: string): MaybePromise<readonly string[]> =>
      chain(this.#read(from, keep), (entries) => {
        const below: string[] = []
        for (const { name, type } of entries) {
          if (!this.#hidden && name[0] === '.') continue
          const path = from + name
          if (type === 'directory') below.push(`${path}/`)
          if (slashes === '') found.push(path)
          else if (type === 'directory') found.push(`${path}/`)
          else if (type === 'symlink') links.push(`${path}/`)
        }
        return below
      })
    const descend = (level: readonly string[]): MaybePromise<readonly string[]> => {
      let below: MaybePromise<readonly string[]> = level
      while (!isPromise(below) && below.length > 0) below = flatten(below, visit)
      return isPromise(below) ? below.then(descend) : []
    }
    const linked = (): MaybePromise<readonly string[]> => {
      // bash looks behind links but where the pattern starts with the two stars.
      if (!last) return prefix === '' ? [] : links
      return flatten(links, (path) => chain(this.#isDirectory(path), (yes) => (yes ? [path] : [])))
    }
    return chain(this.#isDirectory(prefix), (yes) =>
      yes ? chain(descend([prefix]), () => chain(linked(), (more) => found.concat(more))) : [],
    )
  }

  #read(prefix: string, keep: boolean): MaybePromise<readonly Dirent[]> {
    const path = this.#absolute(prefix)
    const known = this.#directories.get(path)
    if (known !== undefined) return known
    return attempt(
      () => this.#options.fs.readdir(path),
      (entries) => {
        if (keep) this.#directories.set(path, entries)
        return entries
      },
      NOTHING,
    )
  }

  #isDirectory(path: string): MaybePromise<boolean> {
    return attempt(
      () => this.#options.fs.stat(this.#absolute(path)),
      (stat) => stat.type === 'directory',
      false,
    )
  }

  #absolute(path: string): string {
    const { cwd } = this.#options
    const whole = path.startsWith('/') ? path : cwd === '/' ? `/${path}` : `${cwd}/${path}`
    return withoutSlash(whole.includes('//') ? whole.replace(/\/\/+/g, '/') : whole)
  }
}

function withoutIgnored(paths: string[], { globignore = '', extglob, nocaseglob }: GlobOptions): string[] {
  if (globignore === '') return paths
  const ignored = splitIgnored(globignore).map((pattern) => {
    const parts = pattern.split('/')
    const patterns = parts.map((part) => compilePattern(part, { extglob, nocase: nocaseglob }))
    // A star at the very end stands for slashes, too.
    return { patterns, open: /(?:^|[^\\])\*$/.test(pattern) }
  })
  return paths.filter((path) => {
    const names = path.split('/')
    const name = names.at(-1)
    if (name === '.' || name === '..') return false
    return !ignored.some(({ patterns, open }) => {
      if (names.length < patterns.length || (names.length > patterns.length && !open)) return false
      const last = patterns.length - 1
      return patterns.every((pattern, at) => pattern.matches(at < last ? (names[at] as string) : names.slice(last).join('/')))
    })
  })
}

/** Colons part the patterns, but for one behind a backslash or inside brackets. */
function splitIgnored(globignore: string): readonly string[] {
  return globignore.match(/(?:\\[\s\S]|\[[!^]?\]?(?:\[:[a-z]*:\]|[^\]])*\]|[^:])+/g) ?? []
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

/** What `work` gives, run through `next`; `otherwise` where the file system refuses. */
function attempt<T, R>(work: () => MaybePromise<T>, next: (value: T) => R, otherwise: R): MaybePromise<R> {
  const refused = (error: unknown): R => {
    const code = codeOf(error)
    if (code === undefined || !(code.startsWith('E') || code === 'POLICY_DENIED')) throw error
    return otherwise
  }
  try {
    const value = work()
    return isPromise(value) ? value.then(next, refused) : next(value)
  } catch (error) {
    return refused(error)
  }
}

function flatten(items: readonly string[], work: (item: string) => MaybePromise<readonly string[]>): MaybePromise<string[]> {
  const results: string[] = []
  for (let at = 0; at < items.length; at++) {
    const result = work(items[at] as string)
    if (isPromise(result)) return flattenLater(results, result, items, at + 1, work)
    for (const one of result) results.push(one)
  }
  return results
}

async function flattenLater(
  results: string[],
  first: Promise<readonly string[]>,
  items: readonly string[],
  from: number,
  work: (item: string) => MaybePromise<readonly string[]>,
): Promise<string[]> {
  for (const one of await first) results.push(one)
  for (let at = from; at < items.length; at += CONCURRENCY) {
    const lists = await Promise.all(items.slice(at, at + CONCURRENCY).map(work))
    for (const list of lists) for (const one of list) results.push(one)
  }
  return results
}
