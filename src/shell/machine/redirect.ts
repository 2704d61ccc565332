import { encode } from '../../bytes.ts'
import { errorText, FileSystemError, hasCode } from '../../errors.ts'
import type { FileSystem } from '../../fs/file-system.ts'
import { chain, rescue } from '../../fs/maybe.ts'
import type { Host, MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import type { Redirect, Word } from '../syntax/ast.ts'
import type { Description } from './description.ts'
import { FileDescription, readFrom, TextDescription } from './description.ts'
import { ShellFault } from './fault.ts'
import { asFault } from './machine.ts'
import { assignElement, assignScalar, isAssociative, readElement, readText, splitReference } from './parameters.ts'
import type { Process } from './process.ts'

/** A redirection's own failure; the message has its subject. */
class RedirectionFault extends ShellFault {}

/**
 * Carries out one redirection; `operand` is what its word came to. Undone when the command ends. A promise gives what is to be done
 * once the file is open.
 */
export function redirect(process: Process, node: Redirect, operand: string | string[]): Promise<() => void> | undefined {
  const descriptor = target(process, node)
  if (typeof operand === 'string') {
    const text = node.operator === '<<<' ? `${operand}\n` : operand
    point(process, node, descriptor, new TextDescription(encode(text)))
    return undefined
  }
  if (operand.length !== 1) throw new RedirectionFault(`${node.target.raw}: ambiguous redirect`, 'command')
  const word = operand[0] as string
  switch (node.operator) {
    case '<&':
    case '>&':
      return duplicate(process, node, descriptor, word)
    case '&>':
    case '&>>':
      return open(
        process,
        word,
        node.operator === '&>>' ? 'append' : process.environment.options.has('noclobber') ? 'create' : 'write',
        (description) => {
          process.redirect(1, description)
          process.redirect(2, description)
        },
      )
    case '<':
      return open(process, word, 'read', (description) => point(process, node, descriptor, description))
    case '<>':
      return open(process, word, 'both', (description) => point(process, node, descriptor, description))
    case '>':
      return open(process, word, process.environment.options.has('noclobber') ? 'create' : 'write', (description) =>
        point(process, node, descriptor, description),
      )
    case '>|':
      return open(process, word, 'write', (description) => point(process, node, descriptor, description))
    case '>>':
      return open(process, word, 'append', (description) => point(process, node, descriptor, description))
    case '<<':
    case '<<-':
    case '<<<':
      return undefined
    default:
      return node.operator satisfies never
  }
}

/** The descriptor a redirection acts on; null for `{name}`, which takes a free one. */
function target(process: Process, node: Redirect): number | null {
  if (node.descriptor === null) return node.operator.startsWith('<') ? 0 : 1
  if (typeof node.descriptor === 'number') return node.descriptor
  if (node.operator !== '<&' && node.operator !== '>&') return null
  // `{name}>&-` closes the descriptor the variable holds.
  return node.target.raw === '-' ? Number(readDescriptor(process, node.descriptor.variable) ?? -1) : null
}

function point(process: Process, node: Redirect, descriptor: number | null, description: Description | null): void {
  if (descriptor !== null) {
    process.redirect(descriptor, description)
    return
  }
  let free = 10
  while (process.descriptors.has(free)) free += 1
  // A descriptor kept in a variable outlives the command.
  process.assign(free, description)
  if (node.descriptor !== null && typeof node.descriptor === 'object') {
    const { name, subscript } = splitReference(node.descriptor.variable)
    if (subscript === null) assignScalar(process, name, String(free))
    else assignElement(process, name, key(process, name, subscript), String(free))
  }
}

/** What `{name}` or `{name[subscript]}` holds. */
function readDescriptor(process: Process, variable: string): string | undefined {
  const { name, subscript } = splitReference(variable)
  return subscript === null ? readText(process, name) : readElement(process, name, key(process, name, subscript))
}

function key(process: Process, name: string, subscript: string): string {
  return isAssociative(process, name) ? process.machine.runtime.expandSubscript(process, subscript) : subscript
}

function duplicate(process: Process, node: Redirect, descriptor: number | null, word: string): Promise<() => void> | undefined {
  if (word === '-') {
    if (typeof node.descriptor === 'object' && node.descriptor !== null) process.assign(descriptor ?? -1, null)
    else process.redirect(descriptor as number, null)
    return undefined
  }
  const match = /^([0-9]+)(-?)$/.exec(word)
  if (match === null) {
    if (node.operator === '>&' && node.descriptor === null) {
      return open(process, word, 'write', (description) => {
        process.redirect(1, description)
        process.redirect(2, description)
      })
    }
    throw new RedirectionFault(`${word}: ambiguous redirect`, 'command')
  }
  const from = Number(match[1])
  const description = process.descriptors.get(from)
  if (description === undefined) throw new RedirectionFault(`${node.target.raw}: Bad file descriptor`, 'command')
  point(process, node, descriptor, description)
  if (match[2] === '-' && from !== descriptor) process.redirect(from, null)
  return undefined
}

type OpenMode = 'read' | 'write' | 'create' | 'append' | 'both'

function open(process: Process, path: string, mode: OpenMode, use: (description: Description) => void): Promise<() => void> | undefined {
  try {
    const opened = openFile(process, path, mode)
    if (!isPromise(opened)) {
      use(opened)
      return undefined
    }
    return opened.then(
      (description) => () => use(description),
      (error: unknown) => {
        throw named(path, error)
      },
    )
  } catch (error) {
    throw named(path, error)
  }
}

function named(path: string, error: unknown): unknown {
  if (error instanceof RedirectionFault) return error
  const fault = asFault(error)
  return fault === null ? error : new RedirectionFault(`${path}: ${errorText(error)}`, 'command')
}

const STANDARD: ReadonlyMap<string, number> = new Map([
  ['/dev/stdin', 0],
  ['/dev/stdout', 1],
  ['/dev/stderr', 2],
])

/** The descriptor a path such as `/dev/fd/3` or `/dev/stdout` stands for; null for any other path. */
export function descriptorOf(path: string): number | null {
  if (!path.startsWith('/dev/')) return null
  const standard = STANDARD.get(path)
  if (standard !== undefined) return standard
  const match = /^\/dev\/fd\/([0-9]+)$/.exec(path)
  return match === null ? null : Number(match[1])
}

/** Opens a file as a process sees it. */
export function openFile(process: Process, path: string, mode: OpenMode): MaybePromise<Description> {
  if (path === '') throw new FileSystemError('ENOENT', path)
  const { machine, environment } = process
  const absolute = path.startsWith('/') ? path : environment.cwd === '/' ? `/${path}` : `${environment.cwd}/${path}`
  const descriptor = descriptorOf(absolute)
  if (descriptor !== null) {
    const description = process.descriptors.get(descriptor)
    if (description === undefined) throw new FileSystemError('ENOENT', path)
    return description
  }
  const { fs } = machine
  if (mode === 'read') {
    const readable = new FileDescription(fs, absolute, { readable: true, writable: false, append: false })
    return chain(demandReadable(fs, absolute), () => readable)
  }
  const description = new FileDescription(fs, absolute, { readable: mode === 'both', writable: true, append: mode === 'append' })
  const creation = { mode: 0o666 & ~environment.umask }
  const make = (): MaybePromise<void> => {
    if (mode === 'write') return fs.write(absolute, EMPTY, creation)
    if (mode === 'create') return createNew(process, absolute, path, creation)
    return fs.append(absolute, EMPTY, creation)
  }
  const opened = rescue(
    () => chain(chain(description.gather(), make), (): Description => description),
    (error) => {
      description.settle()
      throw error
    },
  )
  if (isPromise(opened)) opened.then(() => settleUnused(machine.host, description)).catch(() => undefined)
  return opened
}

/** Who was ended while it opened a file never takes it. One that is taken later than now gathers again when it is written. */
async function settleUnused(host: Pick<Host, 'breathe'>, description: FileDescription): Promise<void> {
  await host.breathe()
  if (description.users === 0) description.settle()
}

/** Fails where a file can't be opened for reading, as open(2) would: a directory can. */
export function demandReadable(fs: FileSystem, path: string): MaybePromise<void> {
  const passed = (): void => undefined
  const judged = (error: unknown): void => {
    if (!hasCode(error, 'EISDIR')) throw error
  }
  try {
    const nothing = fs.read(path, 0, 0)
    return isPromise(nothing) ? nothing.then(passed, judged) : undefined
  } catch (error) {
    judged(error)
    return undefined
  }
}

/** `>` under noclobber: an existing file is refused, devices are not. */
function createNew(process: Process, path: string, shown: string, creation: { mode: number }): MaybePromise<void> {
  const { fs } = process.machine
  const refuse = (error: unknown): MaybePromise<void> => {
    const fault = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    if (!fault) throw error
    return chain(fs.stat(path), (stat) => {
      if (stat.type === 'file') throw new RedirectionFault(`${shown}: cannot overwrite existing file`, 'command')
      return fs.write(path, EMPTY, creation)
    })
  }
  try {
    const made = fs.write(path, EMPTY, { ...creation, exclusive: true })
    return isPromise(made) ? made.catch(refuse) : made
  } catch (error) {
    return refuse(error)
  }
}

const EMPTY = new Uint8Array(0)

/** Says why a redirection failed. */
export function complainOfRedirection(process: Process, error: unknown): void {
  const fault = asFault(error)
  if (fault === null) throw error
  if (!(error instanceof RedirectionFault) && error instanceof ShellFault && error.reach !== 'command') throw error
  process.complain(`${process.messagePrefix()}${fault.message}\n`)
}

const SPECIAL: ReadonlySet<string> = new Set([
  '.',
  ':',
  'break',
  'continue',
  'eval',
  'exec',
  'exit',
  'export',
  'readonly',
  'return',
  'set',
  'shift',
  'source',
  'times',
  'trap',
  'unset',
])

/** A redirection of a simple command failed: POSIX ends the shell for its special builtins, and bash for `exec`. */
export function redirectionFailed(process: Process, name: Word | undefined): void {
  if (process.environment.options.posix && SPECIAL.has(name?.raw ?? '')) process.machine.exit(process, 1)
}

/** All a file holds, for `$(<file)`. */
export function readWhole(process: Process, path: string): MaybePromise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  const failed = (error: unknown): Uint8Array[] => {
    const fault = asFault(error)
    if (fault === null) throw error
    process.complain(`${process.messagePrefix()}${path}: ${errorText(error)}\n`)
    process.status = 1
    process.substitutionStatus = 1
    return []
  }
  const step = (description: Description): MaybePromise<Uint8Array[]> => {
    for (;;) {
      const bytes = readFrom(description)
      if (isPromise(bytes)) {
        return bytes.then((chunk) => {
          if (chunk === null || chunk === 'wait') return chunks
          chunks.push(chunk)
          return step(description)
        })
      }
      if (bytes === null) return chunks
      if (bytes === 'wait') {
        const { pipe } = description as Extract<Description, { kind: 'pipe' }>
        return new Promise<void>((resolve) => pipe.onReadable(resolve)).then(() => step(description))
      }
      chunks.push(bytes)
    }
  }
  process.substitutionStatus = 0
  process.status = 0
  try {
    const opened = openFile(process, path, 'read')
    const read = chain(opened, step)
    return isPromise(read) ? read.catch(failed) : read
  } catch (error) {
    return failed(error)
  }
}
