import { encode } from '../bytes.ts'
import { errorText, hasCode } from '../errors.ts'
import type { FileStat } from '../fs/file-system.ts'
import type { ByteReader, ByteWriter, CommandContext } from './command.ts'
import { writeTo } from './output.ts'
import { quotedFile } from './quoted-file.ts'
import { quotedName } from './quoting.ts'
import type { Steps } from './steps.ts'
import { wait } from './steps.ts'
import { complain, isExpected } from './utility.ts'

/** How files are followed. */
export interface Following {
  readonly mode: 'name' | 'descriptor'
  readonly retry: boolean
  /** Milliseconds between two looks. */
  readonly interval: number
  /** Ends when this process does. */
  readonly pid: number | null
  readonly headers: boolean
  /** The file whose header was written last. */
  readonly shown: string | null
  /** The status so far. */
  readonly status: number
}

/** A file being followed: what is known of it and how much of it was written; no `stat` while it can't be read. */
export interface Followed {
  readonly name: string
  offset: number
  stat: FileStat | null
  /** What was said when it could not be read, so that it is said once. */
  reason?: string
}

const PIECE = 262_144

/** Writes what is added to the files until the command is ended, or no file is left to follow. */
export function* follow(files: Followed[], following: Following, context: CommandContext): Steps<number> {
  let left = files
  let { shown, status } = following
  for (const file of left) if (file.stat === null) file.reason = 'No such file or directory'
  for (;;) {
    if (left.length === 0) {
      yield* wait(complain(context, 'no files remaining'))
      return 1
    }
    const ending = following.pid !== null && !(yield* isAlive(following.pid, context))
    for (const file of left) {
      const before = file.stat
      const goesOn = yield* look(file, following, context)
      if (!goesOn) {
        left = left.filter((other) => other !== file)
        status = 1
        continue
      }
      if (file.stat === null || (before === file.stat && file.offset >= file.stat.size)) continue
      if (file.offset >= file.stat.size) continue
      if (following.headers && shown !== file.name) yield* wait(writeTo(context.stdout, encode(`\n==> ${file.name} <==\n`)))
      shown = file.name
      yield* writeNew(file, context)
    }
    if (ending) return status
    yield* wait(rest(following.interval, context))
  }
}

/** Looks at a file again; false when it is given up. */
function* look(file: Followed, { mode, retry }: Following, context: CommandContext): Steps<boolean> {
  const name = quotedFile(file.name)
  let now: FileStat
  try {
    now = yield* wait(context.fs.stat(context.resolve(file.name)))
  } catch (error) {
    if (!isExpected(error)) throw error
    const reason = errorText(error)
    // Followed by descriptor, a removed file would still be open: nothing more comes.
    if (mode === 'descriptor') return true
    if (file.stat !== null) yield* wait(complain(context, `${name} has become inaccessible: ${reason}`))
    else if (file.reason !== reason && !hasCode(error, 'ENOENT'))
      yield* wait(complain(context, `${name} has become inaccessible: ${reason}`))
    file.stat = null
    file.reason = reason
    return retry
  }
  if (now.type === 'directory') {
    if (file.reason !== 'directory') yield* wait(complain(context, `${name} has been replaced with an untailable file`))
    file.stat = null
    file.reason = 'directory'
    return retry
  }
  if (file.stat === null) {
    yield* wait(complain(context, `${name} has appeared;  following new file`))
    file.offset = 0
  } else if (now.ino !== file.stat.ino || now.dev !== file.stat.dev) {
    if (mode === 'descriptor') return true
    yield* wait(complain(context, `${name} has been replaced;  following new file`))
    file.offset = 0
  } else if (now.size < file.offset) {
    yield* wait(complain(context, `${quotedName(file.name)}: file truncated`))
    file.offset = 0
  }
  file.stat = now
  return true
}

function* writeNew(file: Followed, context: CommandContext): Steps<void> {
  for (;;) {
    const bytes = yield* wait(context.fs.read(context.resolve(file.name), file.offset, PIECE))
    if (bytes.length === 0) return
    file.offset += bytes.length
    yield* wait(writeTo(context.stdout, bytes))
  }
}

const nothing: ByteReader = { read: () => null, unread: () => undefined, close: () => undefined }
const nowhere: ByteWriter = { write: () => undefined, close: () => undefined }

function* isAlive(pid: number, context: CommandContext): Steps<boolean> {
  const status = yield* wait(context.run(['kill', '-0', String(pid)], { stdin: nothing, stdout: nowhere, stderr: nowhere }))
  return status === 0
}

/** Waits; fails as the signal does when the command is to end. */
function rest(ms: number, { host, signal }: CommandContext): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason)
      return
    }
    const stop = () => {
      cancel()
      reject(signal.reason)
    }
    const cancel = host.timer(ms, () => {
      signal.removeEventListener('abort', stop)
      resolve()
    })
    signal.addEventListener('abort', stop, { once: true })
  })
}
