import type { Regex } from '../../regex/regex.ts'
import type { Replacement } from './replacement.ts'
import type { Transliteration } from './transliteration.ts'

/** A parsed sed script: commands in order; blocks have become jumps. */
export interface SedScript {
  readonly commands: readonly SedCommand[]
  /** The first line is `#n`. */
  readonly silent: boolean
  /** Files that `w`, `W` and `s///w` write, each named once. */
  readonly outputs: readonly string[]
}

/** Null where a pattern is empty: the last one used is meant. */
export type SedPattern = {
  readonly regex: Regex
  /** The same for many lines at once; null where the pattern could tell the difference. */
  readonly inLines: () => Regex | null
  /** It may match nothing. */
  readonly nullable: boolean
  /** The text it stands for, where it is just a text; else null. */
  readonly literal: string | null
} | null

export type SedAddress =
  | { readonly type: 'line'; readonly line: number }
  | { readonly type: 'step'; readonly first: number; readonly step: number }
  | { readonly type: 'last' }
  | { readonly type: 'pattern'; readonly pattern: SedPattern }
  /** `+N`: so many lines more. */
  | { readonly type: 'more'; readonly count: number }
  /** `~N`: up to the next multiple. */
  | { readonly type: 'multiple'; readonly of: number }

export interface SedSubstitution {
  readonly pattern: SedPattern
  readonly replacement: Replacement
  readonly global: boolean
  /** The match to begin with, from 1. */
  readonly number: number
  readonly print: boolean
  readonly file: string | null
}

export type SedAction =
  | { readonly type: '=' | 'd' | 'D' | 'F' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' }
  | { readonly type: 'a' | 'i' | 'c'; readonly text: string }
  | { readonly type: 'q' | 'Q'; readonly status: number }
  | { readonly type: 'l'; readonly width: number | null }
  | { readonly type: 'r' | 'R' | 'w' | 'W'; readonly file: string }
  | { readonly type: 's'; readonly substitution: SedSubstitution }
  | { readonly type: 'y'; readonly map: Transliteration }
  /** Jumps: `b` always, `t` and `T` by whether something was substituted, `{` (past its block) always. */
  | { readonly type: 'b' | 't' | 'T' | '{'; readonly target: number }

export interface SedCommand {
  readonly from: SedAddress | null
  readonly to: SedAddress | null
  /** Applies where the addresses don't. */
  readonly negated: boolean
  readonly action: SedAction
}
