import { ByteBuilder } from './byte-builder.ts'
import type { Command, CommandContext } from './command.ts'
import { nextChunk, openEach } from './input.ts'
import type { ParsedOptions } from './options.ts'
import { Output } from './output.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { OLD_TABS, parseTabStops, type TabStops, withoutOldTabs } from './tab-stops.ts'
import { utility } from './utility.ts'

const LISTS = `LIST is one number, for stops that far apart, or several, for stops at those columns; in the last place /N has
further stops at multiples of N, +N each N behind the last one.
`

const EXPAND_HELP = `Usage: expand [OPTION]... [FILE]...
Write each FILE with blanks in place of tabs.
Standard input is read for - and where no FILE is given.

  -i, --initial      only tabs before which there are only blanks
  -t, --tabs=LIST    tab stops, instead of each 8 columns
      --help         show this help
      --version      show the version

${LISTS}`

const UNEXPAND_HELP = `Usage: unexpand [OPTION]... [FILE]...
Write each FILE with tabs in place of blanks at the start of lines.
Standard input is read for - and where no FILE is given.

  -a, --all          all blanks, not only those at the start
      --first-only   only those at the start, even with -t
  -t, --tabs=LIST    tab stops, instead of each 8 columns; means -a
      --help         show this help
      --version      show the version

${LISTS}`

/** `expand`: tabs to blanks. */
export const expand: Command = oldTabs(
  utility({
    help: EXPAND_HELP,
    options: { 'i|initial': 'none', 't|tabs': 'required', [OLD_TABS]: 'required' },
    run: (parsed, context) => proceed(convert(parsed, context, (stops) => new Expanding(stops, parsed.has('i')))),
  }),
)

/** `unexpand`: blanks to tabs. */
export const unexpand: Command = oldTabs(
  utility({
    help: UNEXPAND_HELP,
    options: { 'a|all': 'none', 'first-only': 'none', 't|tabs': 'required', [OLD_TABS]: 'required' },
    run: (parsed, context) => {
      const all = (parsed.has('a') || parsed.has('t')) && !parsed.has('first-only')
      return proceed(convert(parsed, context, (stops) => new Unexpanding(stops, all)))
    },
  }),
)

interface Conversion {
  add(chunk: Uint8Array): Uint8Array
  finish(): Uint8Array
}

function oldTabs(command: Command): Command {
  return { run: (args, context) => command.run(withoutOldTabs(args), context) }
}

function* convert({ options, operands }: ParsedOptions, context: CommandContext, start: (stops: TabStops) => Conversion): Steps<number> {
  const conversion = start(parseTabStops(tabLists(options, context.name === 'unexpand'), context))
  const output = new Output(context.stdout)
  // One line goes on over the end of a file.
  const status = yield* openEach(context, operands, function* (input) {
    for (;;) {
      const chunk = yield* nextChunk(input, output)
      if (chunk === null) break
      output.bytes(conversion.add(chunk))
      yield* wait(output.settle())
      yield* wait(context.pause())
    }
    yield* wait(output.flush())
  })
  output.bytes(conversion.finish())
  yield* wait(output.flush())
  return status
}

/** GNU's unexpand puts digits of old lists together across options, up to a comma. */
function tabLists(options: ParsedOptions['options'], joined: boolean): readonly string[] {
  const lists: string[] = []
  let pending = ''
  for (const { name, value } of options) {
    if (name !== 't' && name !== OLD_TABS) continue
    if (name === 't' || !joined) {
      lists.push(value ?? '')
      continue
    }
    const parts = (pending + (value ?? '')).split(',')
    pending = parts.pop() ?? ''
    lists.push(...parts)
  }
  return pending === '' ? lists : [...lists, pending]
}

class Expanding implements Conversion {
  readonly #stops: TabStops
  readonly #initial: boolean
  readonly #built = new ByteBuilder()
  #column = 0
  #converting = true

  constructor(stops: TabStops, initial: boolean) {
    this.#stops = stops
    this.#initial = initial
  }

  add(chunk: Uint8Array): Uint8Array {
    const built = this.#built
    let column = this.#column
    let converting = this.#converting
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number
      if (byte === 9 && converting) {
        const stop = this.#stops.after(column)
        const to = stop < 0 ? column + 1 : stop
        while (column < to) {
          built.byte(32)
          column += 1
        }
        continue
      }
      built.byte(byte)
      if (byte === 10) {
        column = 0
        converting = true
        continue
      }
      if (byte === 8) column = column > 0 ? column - 1 : 0
      else column += 1
      if (this.#initial && byte !== 32 && byte !== 9) converting = false
    }
    this.#column = column
    this.#converting = converting
    return built.take()
  }

  finish(): Uint8Array {
    return this.#built.take()
  }
}

class Unexpanding implements Conversion {
  readonly #stops: TabStops
  readonly #all: boolean
  readonly #built = new ByteBuilder()
  #column = 0
  #converting = true
  /** Blanks of which it is not known yet whether they become a tab, as they came. */
  #pending: number[] = []
  /** The first of them alone reached a tab stop. */
  #reachedStop = false
  /** What comes before a line counts as blank. */
  #afterBlank = true

  constructor(stops: TabStops, all: boolean) {
    this.#stops = stops
    this.#all = all
  }

  add(chunk: Uint8Array): Uint8Array {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number
      if (this.#converting) this.#convert(byte)
      else this.#built.byte(byte)
      if (byte !== 10) continue
      this.#column = 0
      this.#converting = true
      this.#reachedStop = false
      this.#afterBlank = true
    }
    return this.#built.take()
  }

  finish(): Uint8Array {
    this.#writePending()
    return this.#built.take()
  }

  #convert(byte: number): void {
    const blank = byte === 32 || byte === 9
    let written = byte
    if (blank) {
      const stop = this.#stops.after(this.#column)
      if (stop < 0) this.#converting = false
      else if (byte === 9) {
        this.#column = stop
        this.#replacePending()
      } else {
        this.#column += 1
        if (!this.#afterBlank || this.#column !== stop) {
          if (this.#column === stop) this.#reachedStop = true
          this.#pending.push(byte)
          this.#afterBlank = true
          return
        }
        this.#replacePending()
        written = 9
      }
    } else if (byte === 8) this.#column = Math.max(0, this.#column - 1)
    else this.#column += 1
    this.#writePending()
    this.#afterBlank = blank
    this.#converting &&= this.#all || blank
    this.#built.byte(written)
  }

  /** A tab takes the place of the blanks; another one that of a blank that had reached the stop before. */
  #replacePending(): void {
    this.#pending = this.#reachedStop ? [9] : []
  }

  #writePending(): void {
    if (this.#pending.length === 0) return
    if (this.#pending.length > 1 && this.#reachedStop) this.#pending[0] = 9
    for (const byte of this.#pending) this.#built.byte(byte)
    this.#pending = []
    this.#reachedStop = false
  }
}
