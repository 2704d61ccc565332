import { encode } from '../bytes.ts'
import { errorText } from '../errors.ts'
import type { ByteReader, ByteWriter, CommandContext } from './command.ts'
import { BrokenPipe } from './command.ts'
import { writeTo } from './output.ts'
import { quotedFile } from './quoted-file.ts'
import { quotedName } from './quoting.ts'
import type { SplitPlan } from './split-options.ts'
import type { Steps } from './steps.ts'
import { wait } from './steps.ts'
import { CommandFailure, isExpected } from './utility.ts'

interface Outlet {
  readonly to: ByteWriter
  /** Of a filter: its exit status. */
  readonly ended: Promise<number> | null
  readonly name: string
  broken: boolean
}

/** The files that `split` writes, or the filters that take their place, named one after another. */
export class SplitOutputs {
  /** Worst status of a filter. */
  status = 0
  readonly #plan: SplitPlan
  readonly #context: CommandContext
  readonly #names: Iterator<string>
  /** Those that are open, by number. */
  readonly #open = new Map<number, Outlet>()

  constructor(plan: SplitPlan, context: CommandContext) {
    this.#plan = plan
    this.#context = context
    this.#names = suffixes(plan)
  }

  /** Begins the next output. Outputs of one number take each other's place; with several numbers several stay open. */
  *next(number = 0): Steps<void> {
    const before = this.#open.get(number)
    if (before !== undefined && number > 0) return
    if (before !== undefined) {
      if (this.#plan.by.kind === 'rounds') return
      yield* this.#close(before)
    }
    const { prefix, additionalSuffix, filter, verbose } = this.#plan
    const context = this.#context
    const suffix = this.#names.next()
    if (suffix.done === true) throw new CommandFailure('output file suffixes exhausted')
    const name = prefix + suffix.value + additionalSuffix
    if (verbose) {
      const message = filter === null ? `creating file ${quotedFile(name)}` : `executing with FILE=${quotedName(name)}`
      yield* wait(writeTo(context.stdout, encode(`${message}\n`)))
    }
    if (filter !== null) {
      this.#open.set(number, this.#start(filter, name))
      return
    }
    try {
      this.#open.set(number, { to: yield* wait(context.create(context.resolve(name))), ended: null, name, broken: false })
    } catch (error) {
      if (!isExpected(error)) throw error
      throw new CommandFailure(`${quotedName(name)}: ${errorText(error)}`)
    }
  }

  *write(bytes: Uint8Array, number = 0): Steps<void> {
    const outlet = this.#open.get(number)
    if (outlet === undefined || outlet.broken) return
    try {
      yield* wait(outlet.to.write(bytes))
    } catch (error) {
      // A filter may have read enough.
      if (outlet.ended !== null && error instanceof BrokenPipe) {
        outlet.broken = true
        return
      }
      if (!isExpected(error)) throw error
      throw new CommandFailure(`${quotedName(outlet.name)}: ${errorText(error)}`)
    }
  }

  *close(): Steps<void> {
    for (const outlet of this.#open.values()) yield* this.#close(outlet)
    this.#open.clear()
  }

  *#close(outlet: Outlet): Steps<void> {
    yield* wait(outlet.to.close())
    if (outlet.ended === null) return
    const status = yield* wait(outlet.ended)
    if (status === 0) return
    throw new CommandFailure(`with FILE=${quotedName(outlet.name)}, exit ${status} from command: ${this.#plan.filter}`, status)
  }

  #start(filter: string, name: string): Outlet {
    const pipe = new FilterPipe()
    const env = new Map(this.#context.env).set('FILE', name)
    const ended = this.#context.run(['sh', '-c', filter], { stdin: pipe, env }).finally(() => pipe.abandon())
    // It is looked at when the output is closed; until then a failure is no unhandled one.
    ended.catch(() => undefined)
    return { to: pipe.writer, ended, name, broken: false }
  }
}

/** Hands bytes from `split` to a filter, one chunk at a time. */
class FilterPipe implements ByteReader {
  readonly writer: ByteWriter = {
    write: (bytes) => this.#put(bytes),
    close: () => {
      this.#closed = true
      this.#waiting?.(null)
      this.#waiting = null
    },
  }
  #back: Uint8Array[] = []
  #chunk: Uint8Array | null = null
  #taken: (() => void) | null = null
  #waiting: ((chunk: Uint8Array | null) => void) | null = null
  #closed = false
  #abandoned = false

  read(): Uint8Array | null | Promise<Uint8Array | null> {
    const back = this.#back.pop()
    if (back !== undefined) return back
    const chunk = this.#chunk
    if (chunk !== null) {
      this.#chunk = null
      this.#taken?.()
      this.#taken = null
      return chunk
    }
    if (this.#closed) return null
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }

  unread(bytes: Uint8Array): void {
    this.#back.push(bytes)
  }

  close(): void {
    this.abandon()
  }

  /** Nobody reads any more. */
  abandon(): void {
    this.#abandoned = true
    this.#taken?.()
    this.#taken = null
  }

  #put(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#abandoned) throw new BrokenPipe()
    if (this.#waiting !== null) {
      this.#waiting(bytes)
      this.#waiting = null
      return undefined
    }
    this.#chunk = bytes
    return new Promise((resolve) => {
      this.#taken = resolve
    })
  }
}

/** `aa`, `ab` and so on. Where the length may grow, `zaaa` follows `yz`, so that the names stay in order. */
function* suffixes({ alphabet, suffixLength, mayGrow, start }: SplitPlan): Generator<string, undefined> {
  let grown = ''
  let digits: number[] = new Array(suffixLength).fill(0)
  for (let at = digits.length - 1, rest = start; rest > 0 && at >= 0; at--) {
    digits[at] = rest % alphabet.length
    rest = Math.floor(rest / alphabet.length)
  }
  for (;;) {
    yield grown + digits.map((digit) => alphabet[digit]).join('')
    let at = digits.length - 1
    while (at >= 0 && digits[at] === alphabet.length - 1) digits[at--] = 0
    if (at < 0) return undefined
    digits[at] = (digits[at] as number) + 1
    if (!mayGrow || at > 0 || digits[0] !== alphabet.length - 1) continue
    grown += alphabet.at(-1)
    digits = new Array(digits.length + 1).fill(0)
  }
}
