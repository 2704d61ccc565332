import { PENDING } from '../builtins/builtin.ts'
import { startRead } from '../builtins/read.ts'
import { assignScalar, readText } from './parameters.ts'
import type { Loop, Process } from './process.ts'

/** `select`: shows the menu and asks; the answer comes into REPLY. */
export function askSelection(process: Process): void {
  const loop = process.frame.loops.at(-1) as Loop
  if (loop.items.length === 0) {
    process.status = 1
    return
  }
  if (loop.index === 0) process.complain(menu(process, loop.items))
  loop.index = 1
  process.complain(readText(process, 'PS3') ?? '#? ')
  process.status = 0
  process.after(startRead(process, ['REPLY']), 'read', (status) => {
    if (status !== PENDING) process.status = status
  })
}

/** Takes the answer: true when the body is to run; else the status says whether to ask again (0) or to end. */
export function takeSelection(process: Process, name: string): boolean {
  const loop = process.frame.loops.at(-1) as Loop
  if (loop.items.length === 0) {
    loop.status = 0
    process.status = 1
    return false
  }
  if (process.status !== 0) {
    loop.status = 1
    process.after(process.write(1, '\n'), 'write', () => undefined)
    return false
  }
  const reply = readText(process, 'REPLY') ?? ''
  if (reply === '') {
    loop.index = 0
    return false
  }
  const choice = /^[0-9]+$/.test(reply.trim()) ? loop.items[Number(reply) - 1] : undefined
  assignScalar(process, name, choice ?? '')
  return true
}

/** The choices in columns, as many as fit; in one column where one row would hold them all. */
function menu(process: Process, items: readonly string[]): string {
  const width = Number(readText(process, 'COLUMNS') ?? 80) || 80
  const digits = String(items.length).length
  const cellWidth = Math.max(...items.map((item) => item.length)) + digits + 4
  const fitting = Math.max(1, Math.floor(width / cellWidth))
  const rows = Math.ceil(items.length / fitting)
  const count = rows === 1 ? items.length : rows
  const firstDigits = String(count).length
  let text = ''
  for (let row = 0; row < count; row++) {
    let column = 0
    for (let at = row; at < items.length; at += count) {
      const cell = `${String(at + 1).padStart(column === 0 ? firstDigits : digits)}) ${items[at]}`
      text += cell
      if (at + count < items.length) text += gap(column + cell.length, column + cellWidth)
      column += cellWidth
    }
    text += '\n'
  }
  return text
}

/** Tabs and blanks from one column to another. */
function gap(from: number, to: number): string {
  let text = ''
  while (from < to) {
    const stop = from - (from % 8) + 8
    const tab = Math.floor(to / 8) > Math.floor(from / 8)
    text += tab ? '\t' : ' '
    from = tab ? stop : from + 1
  }
  return text
}
