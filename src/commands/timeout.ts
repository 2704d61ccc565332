import { encode } from '../bytes.ts'
import type { Command, CommandContext } from './command.ts'
import { parseInterval } from './interval.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { quotedFile } from './quoted-file.ts'
import { quoted } from './quoting.ts'
import { signalName, signalNumber } from './signal-names.ts'
import { complain, utility } from './utility.ts'

const FAILED = 125
const TIMED_OUT = 124
const KILL = 9

/** Runs a command with a time limit. */
export const timeout: Command = utility({
  help: `Usage: timeout [OPTION] DURATION COMMAND [ARG]...
Runs COMMAND, and ends it when it still runs after DURATION: seconds, or with a suffix s, m, h or d. 0 is no limit.

      --preserve-status    the status of COMMAND even when it is ended
      --foreground         accepted
  -k, --kill-after=DURATION  kill it when it still runs so long after the signal
  -s, --signal=SIGNAL      the signal to send, TERM by default
  -v, --verbose            say so when a signal is sent
      --help               show this text
      --version            show the version

Status: 124 when the time is up, 125 when timeout itself fails, 126 when COMMAND can't be run, 127 when it isn't found,
137 when it is killed, else that of COMMAND.
`,
  options: { foreground: 'none', 'k|kill-after': 'required', 'preserve-status': 'none', 's|signal': 'required', 'v|verbose': 'none' },
  operandsEndOptions: true,
  usageStatus: FAILED,
  run: runLimited,
})

async function runLimited(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  const interval = (text: string): number => {
    const seconds = parseInterval(text)
    if (seconds === null) throw new UsageError(`invalid time interval ${quoted(context, text)}`)
    return seconds
  }
  const killAfter = parsed.value('k')
  if (killAfter !== null) interval(killAfter)
  const signalText = parsed.value('s') ?? 'TERM'
  const signal = signalNumber(signalText)
  if (signal === null) throw new UsageError(`${quoted(context, signalText)}: invalid signal`)
  const [duration, ...argv] = parsed.operands
  if (duration === undefined || argv.length === 0) {
    await context.stderr.write(encode(`Try '${context.name} --help' for more information.\n`))
    return FAILED
  }
  const ms = interval(duration) * 1000
  if (ms === 0) return context.run(argv)

  const controller = new AbortController()
  let isOver = false
  let cancel = (): void => undefined
  const said: unknown[] = []
  const ring = (left: number): void => {
    const part = Math.min(left, 0x7fff_ffff)
    cancel = context.host.timer(part, () => {
      if (left > part) return ring(left - part)
      isOver = true
      if (parsed.has('v')) {
        said.push(complain(context, `sending signal ${signalName(signal)} to command ${quotedFile(argv[0] as string)}`))
      }
      controller.abort(new DOMException('the time is up', 'AbortError'))
    })
  }
  if (Number.isFinite(ms)) ring(ms)
  let status: number
  try {
    status = await context.run(argv, { signal: controller.signal })
  } finally {
    cancel()
    await Promise.all(said)
  }
  if (!isOver) return status
  if (signal === KILL) return 128 + KILL
  return parsed.has('preserve-status') ? 128 + signal : TIMED_OUT
}
