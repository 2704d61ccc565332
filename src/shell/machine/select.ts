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
  startRead(process, ['REPLY'])
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
    process.complain('\n')
    loop.status = 1
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

function menu(process: Process, items: readonly string[]): string {
  const width = Number(readText(process, 'COLUMNS') ?? 80) || 80
  const digits = String(items.length).length
  const longest = Math.max(...items.map((item) => item.length)) + digits + 2 + 1
  const columns = Math.max(1, Math.min(items.length, Math.floor(width / (longest + 1))))
  const rows = Math.ceil(items.length / columns)
  const real = items.length <= rows ? 1 : columns
  const lines: string[] = []
  const count = real === 1 ? items.length : rows
  for (let row = 0; row < count; row++) {
    let line = ''
    for (let at = row; at < items.length; at += count) {
      const cell = `${String(at + 1).padStart(digits)}) ${items[at]}`
      line += at + count < items.length ? cell.padEnd(longest) : cell
    }
    lines.push(line)
  }
  return `${lines.join('\n')}\n`
}
