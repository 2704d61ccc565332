import { randomUUID } from 'node:crypto'
import { concat, encode } from '../../src/bytes.ts'
import type { MaybePromise } from '../../src/host.ts'
import { quoteWord } from '../../src/shell/expand/quote.ts'
import type { HostProcess } from './host-process.ts'

type Output = (bytes: Uint8Array, stream: 'stdout' | 'stderr') => MaybePromise<void>

/** Starts the process of a shell that reads its lines. */
export type ShellStart = (stdin: () => Promise<Uint8Array | null>, output: Output) => Promise<HostProcess>

/** A shell of the host that lives from line to line. Each line ends with a mark on both streams, which no command can know. */
export class HostShell {
  /** It has ended: by `exit`, or by being killed. */
  isOver = false
  readonly #mark = `mirage-${randomUUID()}:`
  readonly #lines: Uint8Array[] = []
  #wake: () => void = () => undefined
  #isClosed = false
  #process: HostProcess | null = null
  #line: RunningLine | null = null

  static async start(start: ShellStart): Promise<HostShell> {
    const shell = new HostShell()
    const process = await start(
      () => shell.#next(),
      (bytes, stream) => shell.#line?.take(bytes, stream),
    )
    shell.#process = process
    process.ended.then(
      ({ exitCode }) => shell.#end(exitCode),
      () => shell.#end(null),
    )
    return shell
  }

  readonly kill = (): void => this.#process?.kill()

  /** Runs a line to its end. Its commands read nothing. */
  run(line: string, mergesErrors: boolean, output: Output): Promise<{ readonly exitCode: number | null }> {
    const running = new RunningLine(this.#mark, output)
    this.#line = running
    const errors = mergesErrors ? ' 2>&1' : ''
    const mark = quoteWord(this.#mark)
    // The status and the mark come from the shell itself, so that the line can redirect what it likes.
    this.#give(`eval ${quoteWord(line)} </dev/null${errors}\nprintf '%s%d\\n' ${mark} "$?"; printf '%s0\\n' ${mark} >&2\n`)
    return running.ended
  }

  /** Ends the shell and waits for it. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#wake()
    this.kill()
    await this.#process?.ended
  }

  #give(text: string): void {
    this.#lines.push(encode(text))
    this.#wake()
  }

  async #next(): Promise<Uint8Array | null> {
    while (this.#lines.length === 0 && !this.#isClosed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    return this.#lines.length === 0 ? null : concat(this.#lines.splice(0))
  }

  #end(exitCode: number | null): void {
    this.isOver = true
    this.#isClosed = true
    this.#wake()
    void this.#line?.end(exitCode)
  }
}

/** A line whose end is looked for in what the shell writes. */
class RunningLine {
  readonly ended: Promise<{ readonly exitCode: number | null }>
  readonly #mark: string
  readonly #output: Output
  /** What may be the beginning of the mark, by stream; null after the mark. A character a byte. */
  readonly #held: { stdout: string | null; stderr: string | null } = { stdout: '', stderr: '' }
  #status: number | null = null
  #resolve: (end: { readonly exitCode: number | null }) => void = () => undefined

  constructor(mark: string, output: Output) {
    this.#mark = mark
    this.#output = output
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  async take(bytes: Uint8Array, stream: 'stdout' | 'stderr'): Promise<void> {
    const held = this.#held[stream]
    if (held === null) return
    const text = held + Buffer.from(bytes).toString('latin1')
    const at = text.indexOf(this.#mark)
    if (at < 0) {
      const kept = Math.max(0, text.length - this.#mark.length + 1)
      this.#held[stream] = text.slice(kept)
      await this.#pass(text.slice(0, kept), stream)
      return
    }
    const end = text.indexOf('\n', at)
    if (end < 0) {
      this.#held[stream] = text.slice(at)
      await this.#pass(text.slice(0, at), stream)
      return
    }
    this.#held[stream] = null
    if (stream === 'stdout') this.#status = Number(text.slice(at + this.#mark.length, end))
    await this.#pass(text.slice(0, at), stream)
    if (this.#held.stdout === null && this.#held.stderr === null) this.#resolve({ exitCode: this.#status })
  }

  /** The shell ended within the line. */
  async end(exitCode: number | null): Promise<void> {
    for (const stream of ['stdout', 'stderr'] as const) await this.#pass(this.#held[stream] ?? '', stream)
    this.#resolve({ exitCode })
  }

  async #pass(text: string, stream: 'stdout' | 'stderr'): Promise<void> {
    if (text !== '') await this.#output(new Uint8Array(Buffer.from(text, 'latin1')), stream)
  }
}
