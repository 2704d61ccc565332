const NAMES =
  'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS'.split(
    ' ',
  )

/** The number of a signal given as `TERM`, `SIGTERM` or `15`; null where there is none. */
export function signalNumber(text: string): number | null {
  if (/^\d+$/.test(text)) return Number(text) <= 64 ? Number(text) : null
  const name = text.toUpperCase().replace(/^SIG/, '')
  if (name === 'EXIT') return 0
  const at = NAMES.indexOf(name === 'CLD' ? 'CHLD' : name === 'POLL' ? 'IO' : name)
  return at < 0 ? null : at + 1
}

/** The name of a signal without SIG; its number where it has none. */
export function signalName(number: number): string {
  return NAMES[number - 1] ?? String(number)
}
