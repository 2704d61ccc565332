import type { FileSystem } from '../fs/file-system.ts'
import type { Host, MaybePromise } from '../host.ts'

/** A stream of bytes coming in. */
export interface ByteReader {
  /** The next bytes, at least one; null at the end. Only one read at a time. The chunk is the caller's to keep but not to change. */
  read(): MaybePromise<Uint8Array | null>
  /** Gives back bytes that were read and not used: the next `read`, by anyone who shares the stream, gets them first. */
  unread(bytes: Uint8Array): void
  /** Lets go of the stream; a writer at the other end then gets SIGPIPE. Standard streams are closed by the shell, not by the command. */
  close(): MaybePromise<void>
}

/** A stream of bytes going out. */
export interface ByteWriter {
  /**
   * Takes the bytes, which must not be changed afterwards. A promise means: wait before writing more.
   * Throws {@link BrokenPipe} when nobody reads any more; let it pass, the shell turns it into status 141.
   */
  write(bytes: Uint8Array): MaybePromise<void>
  close(): MaybePromise<void>
}

/** Nobody reads what is being written. */
export class BrokenPipe extends Error {
  override readonly name: string = 'BrokenPipe'
  readonly code = 'EPIPE'
}

/** Where another command started by a command reads and writes; what is left out is the caller's own. */
export interface RunOptions {
  readonly stdin?: ByteReader
  readonly stdout?: ByteWriter
  readonly stderr?: ByteWriter
  /** The whole environment of the new command. */
  readonly env?: ReadonlyMap<string, string>
  readonly cwd?: string
  /** Fires to end that command alone (status 143). */
  readonly signal?: AbortSignal
}

/** Cells of a terminal. */
export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

/** How what is typed comes: shown or not; in whole lines that can be corrected, or each key at once. */
export interface TerminalMode {
  readonly echo: boolean
  readonly lines: boolean
}

/** All that exists for a command. */
export interface CommandContext {
  /** The name it was called by. */
  readonly name: string
  readonly stdin: ByteReader
  readonly stdout: ByteWriter
  readonly stderr: ByteWriter
  /** Absolute path of the file that standard input comes from; null or left out where it is none. */
  readonly inputFile?: string | null
  /** Absolute path of the file that standard output goes to; null or left out where it is none. */
  readonly outputFile?: string | null
  /** The session's view: symbolic links are followed as POSIX has it, `.` and `..` are understood, rules are enforced. Absolute paths only. */
  readonly fs: FileSystem
  /** Absolute working directory. */
  readonly cwd: string
  /** Exported variables. */
  readonly env: ReadonlyMap<string, string>
  /** Bits that new files and directories must not have. */
  readonly umask: number
  readonly host: Host
  /** Fires when the line is aborted or the command killed. */
  readonly signal: AbortSignal
  /** An operand made absolute (an empty one stays empty, and names nothing): `resolve('a/../b')` is `cwd + '/a/../b'`, left for `fs` to walk. */
  resolve(path: string): string
  /** Opens a file to read; knows `/dev/stdin`, `/dev/fd/N`. The caller closes it. Fails as `fs.read` does, EISDIR for a directory. */
  open(path: string): MaybePromise<ByteReader>
  /** Opens a file to write from its start (truncated) or at its end; knows `/dev/stdout`, `/dev/fd/N`. The umask is applied. The caller closes it. */
  create(path: string, options?: { append?: boolean; exclusive?: boolean }): MaybePromise<ByteWriter>
  /** Runs another command (found as the shell finds it on PATH, never functions or shell builtins that have no command of the same name) to its end; its exit status. 127 when it is not found, after saying so. */
  run(argv: readonly string[], options?: RunOptions): Promise<number>
  /** Call in long work that never waits, at least every few milliseconds' worth; await what it gives. Throws when the command is to end. */
  pause(): Promise<void> | undefined
  /** True where the descriptor is a terminal. */
  isTerminal(descriptor: 0 | 1 | 2): boolean
  /** Size of the terminal; null or left out where there is none. */
  readonly terminal?: TerminalSize | null
}

/** A utility. It writes its own messages to stderr and returns its exit status; what it throws is a fault, reported by the shell. */
export interface Command {
  run(args: readonly string[], context: CommandContext): MaybePromise<number>
}
