import { ShellOptions } from './options.ts'
import type { Program } from './program.ts'
import { Variables } from './variables.ts'

/** A function: its code, and its definition as text. */
export interface ShellFunction {
  readonly name: string
  /** Text that defines it again. */
  readonly source: string
  /** Compiled when it is first called. */
  program: Program | null
  readonly compile: () => Program
  readonly exported: boolean
  readonly readonly: boolean
  readonly traced: boolean
  /** Where it was defined, for `declare -F` under extdebug. */
  readonly file: string
  readonly line: number
}

/** How the arguments of a command are completed: what `complete` said. Kept and shown, used by `compgen` and by an interactive front end. */
export interface CompletionSpec {
  /** Names as `-A` takes them. */
  readonly actions: readonly string[]
  /** Names as `-o` takes them. */
  readonly options: readonly string[]
  readonly glob: string | null
  readonly words: string | null
  readonly prefix: string | null
  readonly suffix: string | null
  readonly filter: string | null
  readonly command: string | null
  readonly function: string | null
}

/** A line of the history list; `timestamp` in milliseconds since the epoch, null where it isn't known. */
export interface ListedLine {
  readonly command: string
  readonly timestamp: number | null
}

/** What a shell knows of its history besides the session's record. */
export interface ShellHistory {
  /** The list of a shell that has no record, or of a subshell that changed it; null: the record, where there is one. */
  readonly lines: readonly ListedLine[] | null
  /** When the shell was started, in milliseconds: `history -a` is about what came since. */
  readonly since: number
  /** How many lines at the front `history -a` need not look at again. */
  readonly saved: number
  /** How many lines of the history file have been read or written. */
  readonly fileLines: number
}

const NO_HISTORY: ShellHistory = { lines: null, since: 0, saved: 0, fileLines: 0 }

/**
 * Everything a shell process inherits and a subshell gets its own copy of.
 * Maps are replaced, never changed, where a copy may share them; `fork` costs little for what isn't touched.
 */
export class Environment {
  variables: Variables
  functions: ReadonlyMap<string, ShellFunction> = new Map()
  aliases: ReadonlyMap<string, string> = new Map()
  options: ShellOptions = new ShellOptions()
  cwd = '/'
  umask = 0o022
  /** `$0` */
  name = 'bash'
  /** `$$` */
  shellPid = 0
  positional: readonly string[] = []
  /** Commands by the name they are for: `EXIT`, `ERR`, `INT`, …; an empty one means ignore. */
  traps: ReadonlyMap<string, string> = new Map()
  /** Traps of the parent that a subshell may still list. */
  inheritedTraps: ReadonlyMap<string, string> | null = null
  /** PIPESTATUS of the last pipeline; null when it was a single command, whose status is `$?`. Empty at first. */
  pipeStatus: readonly number[] | null = []
  /** `$!`, 0 when there is none. */
  lastBackground = 0
  /** BASH_SUBSHELL */
  depth = 0
  directories: readonly string[] = []
  hashed: Map<string, { path: string; hits: number }> = new Map()
  /** The PATH that `hashed` was filled from. */
  hashedPath = ''
  disabledBuiltins: ReadonlySet<string> = new Set()
  completions: ReadonlyMap<string, CompletionSpec> = new Map()
  history: ShellHistory = NO_HISTORY
  /** State of RANDOM's generator. */
  randomSeed = 0
  /** When SECONDS was zero, in milliseconds. */
  startedAt = 0
  /** getopts: position inside a bundle of letters, and the OPTIND it belongs to. */
  optionLetter = 1
  optionIndex = 1
  /** The string given to `bash -c`. */
  executionString: string | null = null
  interactive = false
  login = false
  readsStandardInput = false
  /** Resource limits set by `ulimit`. */
  limits: ReadonlyMap<string, string> = new Map()

  constructor(variables: Variables = new Variables()) {
    this.variables = variables
  }

  /** A copy for a subshell. */
  fork(): Environment {
    const copy = new Environment(this.variables.fork())
    copy.functions = this.functions
    copy.aliases = this.aliases
    copy.options = this.options.copy()
    copy.cwd = this.cwd
    copy.umask = this.umask
    copy.name = this.name
    copy.shellPid = this.shellPid
    copy.positional = this.positional
    copy.traps = this.traps
    copy.inheritedTraps = this.inheritedTraps
    copy.pipeStatus = this.pipeStatus
    copy.lastBackground = this.lastBackground
    copy.depth = this.depth
    copy.directories = this.directories
    copy.hashed = this.hashed.size === 0 ? this.hashed : new Map(this.hashed)
    copy.hashedPath = this.hashedPath
    copy.disabledBuiltins = this.disabledBuiltins
    copy.completions = this.completions
    copy.history = this.history
    copy.randomSeed = this.randomSeed
    copy.startedAt = this.startedAt
    copy.optionLetter = this.optionLetter
    copy.optionIndex = this.optionIndex
    copy.executionString = this.executionString
    copy.interactive = this.interactive
    copy.login = this.login
    copy.readsStandardInput = this.readsStandardInput
    copy.limits = this.limits
    return copy
  }
}
