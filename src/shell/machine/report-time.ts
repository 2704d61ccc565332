import { readText } from './parameters.ts'
import type { Process } from './process.ts'

/** `time`: writes how long it took. The machine counts no processor time of its own: user is what ran, sys is zero. */
export function reportTime(process: Process, milliseconds: number, posix: boolean): void {
  const seconds = Math.max(0, milliseconds) / 1000
  const format = readText(process, 'TIMEFORMAT')
  if (posix) {
    process.complain(`real ${seconds.toFixed(2)}\nuser ${seconds.toFixed(2)}\nsys 0.00\n`)
    return
  }
  if (format === undefined) {
    process.complain(`\nreal\t${minutes(seconds, 3)}\nuser\t${minutes(seconds, 3)}\nsys\t${minutes(0, 3)}\n`)
    return
  }
  if (format === '') return
  const text = format.replaceAll(/%(?:%|P|([0-9]?)(l?)([RUS]))/g, (all: string, digits: string, long: string, which: string) => {
    if (all === '%%') return '%'
    if (all === '%P') return seconds === 0 ? '0.00' : '100.00'
    const value = which === 'S' ? 0 : seconds
    const precision = digits === '' ? 3 : Math.min(3, Number(digits))
    return long === 'l' ? minutes(value, precision) : value.toFixed(precision)
  })
  process.complain(`${text}\n`)
}

function minutes(seconds: number, precision: number): string {
  const whole = Math.floor(seconds / 60)
  return `${whole}m${(seconds - whole * 60).toFixed(precision)}s`
}
