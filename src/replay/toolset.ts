import type { FileSystem } from '../fs/file-system.ts'
import type { JsonObject, JsonValue } from './json.ts'

/** The tools of one kind of agent. */
export interface Toolset {
  /** What a model that goes on is offered. */
  readonly definitions: readonly ToolDefinition[]
  /** Whether a call can be run again: `fresh`; `stale`: only its recorded observation can be given again; `unsupported`: neither, and a prefix with it is refused. */
  support(name: string, given: JsonObject): 'fresh' | 'stale' | 'unsupported'
  /** Runs a call. What the tool itself calls an error is an outcome with `isError`; it throws only for faults of the site. */
  run(call: ToolCall, site: ReplaySite): Promise<ToolOutcome>
  /** True for a call (with its outcome, when it has run) by which the agent ends its work. */
  ends?(call: ToolCall, outcome: ToolOutcome | null): boolean
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly arguments: JsonObject
}

/** A function as OpenAI-compatible endpoints take it: `parameters` is a JSON schema. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
}

/** A fresh observation. */
export interface ToolOutcome {
  /** In the form of the recorded one, to be compared with it. */
  readonly value: JsonValue
  readonly isError: boolean
  /** What a model is shown. */
  readonly text: string
  /** Exit status of a line of shell; null where there is none. */
  readonly status: number | null
  /** Names of commands that the workspace doesn't have, and that were called. */
  readonly missing: readonly string[]
  /** What else the native form of an observation holds, such as the directory that the shell was in then. */
  readonly native?: JsonObject
}

/** Where calls are run again. */
export interface ReplaySite {
  /** The files, by the paths of the workspace: links followed, changes staged. */
  readonly fs: FileSystem
  /** The directory that stands for the agent's: absolute, a path of the workspace. */
  readonly directory: string
  /** A path that the agent named, absolute or from its directory, as the workspace has it. */
  path(given: string): string
  /** Runs a line of bash. */
  shell(line: string, options?: ShellCallOptions): Promise<ShellOutcome>
  /** State that tools keep between calls of one replay, such as which file is open. Starts empty. */
  readonly memory: Map<string, JsonValue>
}

export interface ShellCallOptions {
  /** Name of a shell that lives from call to call, with its directory, variables and functions. A fresh one when left out. */
  readonly session?: string
  /** Absolute; where a fresh shell starts. The site's directory when left out. */
  readonly cwd?: string
  /** Variables besides those of the site. */
  readonly env?: Readonly<Record<string, string>>
  /** Standard error goes where standard output goes: in the outcome, `output` is `stdout`, and `stderr` is empty. False when left out. */
  readonly mergesErrors?: boolean
  /** Milliseconds; what the site has when left out. */
  readonly timeoutMs?: number
}

export interface ShellOutcome {
  /** Standard output and error in the order they were written. */
  readonly output: string
  readonly stdout: string
  readonly stderr: string
  /** Null where it ended without one: by its time limit, or a signal. */
  readonly status: number | null
  readonly timedOut: boolean
  /** Output beyond the limit was dropped: how many bytes. */
  readonly droppedBytes: number
  readonly missing: readonly string[]
}
