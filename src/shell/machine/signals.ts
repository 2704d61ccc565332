/** Signal names by number, as Linux has them. */
const NAMES: readonly string[] = [
  'EXIT',
  'HUP',
  'INT',
  'QUIT',
  'ILL',
  'TRAP',
  'ABRT',
  'BUS',
  'FPE',
  'KILL',
  'USR1',
  'SEGV',
  'USR2',
  'PIPE',
  'ALRM',
  'TERM',
  'STKFLT',
  'CHLD',
  'CONT',
  'STOP',
  'TSTP',
  'TTIN',
  'TTOU',
  'URG',
  'XCPU',
  'XFSZ',
  'VTALRM',
  'PROF',
  'WINCH',
  'IO',
  'PWR',
  'SYS',
]

/** Real-time signals: numbers 34 to 64. */
const REAL_TIME: readonly string[] = Array.from({ length: 31 }, (_, i) =>
  i === 0 ? 'RTMIN' : i === 30 ? 'RTMAX' : i < 16 ? `RTMIN+${i}` : `RTMAX-${30 - i}`,
)

/** Name of a signal number, without SIG; undefined where there is none. */
export function signalName(number: number): string | undefined {
  return number >= 34 && number <= 64 ? REAL_TIME[number - 34] : NAMES[number]
}

/** Number of a signal by its name without SIG; 0 where there is none. */
export function signalNumber(name: string): number {
  const at = NAMES.indexOf(name)
  if (at >= 0) return at
  const realTime = REAL_TIME.indexOf(name)
  return realTime < 0 ? 0 : realTime + 34
}

/** The name a signal goes by, from `9`, `KILL`, `SIGKILL`, `sigkill`, `EXIT`, `DEBUG` …; null where it is none. */
export function parseSignal(text: string): string | null {
  if (/^[0-9]+$/.test(text)) return signalName(Number(text)) ?? null
  const upper = text.toUpperCase()
  const name = upper.startsWith('SIG') ? upper.slice(3) : upper
  if (name === 'DEBUG' || name === 'ERR' || name === 'RETURN') return upper === name ? name : null
  return NAMES.includes(name) || REAL_TIME.includes(name) ? name : null
}

/** What a signal is called when it ended a process: `Terminated`. */
export function signalDescription(name: string): string {
  return DESCRIPTIONS.get(name) ?? `Signal ${signalNumber(name)}`
}

const DESCRIPTIONS: ReadonlyMap<string, string> = new Map([
  ['HUP', 'Hangup'],
  ['INT', 'Interrupt'],
  ['QUIT', 'Quit'],
  ['ILL', 'Illegal instruction'],
  ['ABRT', 'Aborted'],
  ['FPE', 'Floating point exception'],
  ['KILL', 'Killed'],
  ['SEGV', 'Segmentation fault'],
  ['PIPE', 'Broken pipe'],
  ['ALRM', 'Alarm clock'],
  ['TERM', 'Terminated'],
  ['USR1', 'User defined signal 1'],
  ['USR2', 'User defined signal 2'],
])
