import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import { compilePattern, hasPatternCharacters, unescapePattern } from '../expand/pattern.ts'
import { splitFields } from '../expand/split.ts'
import { ShellFault } from './fault.ts'
import { lazy } from './lazy.ts'
import { readText } from './parameters.ts'
import type { Fragments, PendingGlob, Process } from './process.ts'

/** What a fragment of a word still may become. */
export const Piece = {
  /** Quoted: stays as it is, and makes a field even when empty. */
  quoted: 1,
  /** Result of an unquoted expansion: is split at IFS. */
  split: 2,
  /** A field ends before it (an element of "$@"). */
  breakBefore: 4,
} as const

/** IFS as it is now. */
export function fieldSeparators(process: Process): string {
  return readText(process, 'IFS') ?? ' \t\n'
}

/**
 * Turns the fragments of one word into fields. Fields that are patterns are put among them as they are written and noted in
 * `process.globs`; {@link matchGlobs} replaces them.
 */
export function finishFields(process: Process, fragments: Fragments, out: string[]): void {
  const { texts, flags } = fragments
  if (texts.length === 1) {
    const text = texts[0] as string
    const flag = flags[0] as number
    if ((flag & Piece.quoted) !== 0) {
      out.push(text)
      return
    }
    if ((flag & Piece.split) !== 0 && PLAIN.test(text) && isDefaultIfs(process)) {
      if (text.length > 0) out.push(text)
      return
    }
    if (flag === Piece.split && isDefaultIfs(process) && (process.environment.options.noglob || !/[*?[\\(]/.test(text))) {
      splitAtBlanks(text, out)
      return
    }
  }
  const parts = texts.map((text, i) => {
    const flag = flags[i] as number
    return {
      text,
      quoted: (flag & Piece.quoted) !== 0,
      split: (flag & Piece.split) !== 0,
      breakBefore: (flag & Piece.breakBefore) !== 0,
    }
  })
  const globbing = !process.environment.options.noglob
  for (const field of splitFields(parts, fieldSeparators(process))) {
    if (globbing && field.pattern !== null && hasPatternCharacters(field.pattern, process.environment.options.extglob)) {
      process.globs.push({ at: out.length, pattern: field.pattern })
    }
    out.push(field.text)
  }
}

function splitAtBlanks(text: string, out: string[]): void {
  let start = -1
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 32 || unit === 10 || unit === 9) {
      if (start >= 0) out.push(text.slice(start, i))
      start = -1
    } else if (start < 0) start = i
  }
  if (start >= 0) out.push(text.slice(start))
}

/** Letters, digits and what else neither splits nor globs with the default IFS. */
const PLAIN = /^[A-Za-z0-9_.,:/=+@%^-]*$/

function isDefaultIfs(process: Process): boolean {
  const ifs = process.environment.variables.get('IFS')?.value
  return ifs === undefined || ifs === ' \t\n'
}

/** Puts the names that match in the place of each pattern noted by {@link finishFields}. */
export function matchGlobs(process: Process, fields: string[]): MaybePromise<string[]> {
  const pending = process.globs
  if (pending.length === 0) return fields
  process.globs = []
  const { options } = process.environment
  const ignore = readText(process, 'GLOBIGNORE') ?? ''
  const matched = (pattern: string, { expandGlob }: GlobModule): MaybePromise<readonly string[]> =>
    expandGlob(pattern, {
      fs: process.machine.fs,
      cwd: process.environment.cwd,
      extglob: options.extglob,
      globstar: options.has('globstar'),
      dotglob: options.has('dotglob') || ignore !== '',
      nocaseglob: options.has('nocaseglob'),
      globignore: ignore,
      globskipdots: options.has('globskipdots'),
    })
  const replace = (at: number, result: string[], shift: number, loaded: GlobModule): MaybePromise<string[]> => {
    for (let i = at; i < pending.length; i++) {
      const glob = pending[i] as PendingGlob
      const names = matched(glob.pattern, loaded)
      if (isPromise(names)) return names.then((found) => replace(i + 1, ...placed(process, result, glob, found, shift), loaded))
      ;[result, shift] = placed(process, result, glob, names, shift)
    }
    return result
  }
  const loaded = globs.get()
  return isPromise(loaded) ? loaded.then((module) => replace(0, fields, 0, module)) : replace(0, fields, 0, loaded)
}

type GlobModule = typeof import('../expand/glob.ts')

/** Loaded when the first pattern has to be matched with files. */
const globs = lazy<GlobModule>(() => import('../expand/glob.ts'))

function placed(process: Process, fields: string[], glob: PendingGlob, names: readonly string[], shift: number): [string[], number] {
  const { options } = process.environment
  if (names.length === 0) {
    if (options.has('failglob')) throw new ShellFault(`no match: ${unescapePattern(glob.pattern)}`)
    if (!options.has('nullglob')) return [fields, shift]
  }
  const at = glob.at + shift
  const result = fields.slice(0, at).concat(names, fields.slice(at + 1))
  return [result, shift + names.length - 1]
}

/** Elements joined as "$*" joins them. */
export function joinStar(process: Process, values: readonly string[]): string {
  const ifs = fieldSeparators(process)
  return values.join(ifs === '' ? '' : String.fromCodePoint(ifs.codePointAt(0) as number))
}

/** True where a text matches a shell pattern with the shell's own settings. */
export function matchesPattern(
  process: Process,
  pattern: string,
  text: string,
  extglob: boolean = process.environment.options.extglob,
): boolean {
  const { options } = process.environment
  return compilePattern(pattern, { extglob, nocase: options.has('nocasematch') }).matches(text)
}
