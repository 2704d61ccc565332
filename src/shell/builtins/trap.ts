import { quoteSingle } from '../expand/quote.ts'
import type { Process } from '../machine/process.ts'
import { parseSignal, signalName, signalNumber } from '../machine/signals.ts'
import type { Builtin } from './builtin.ts'
import { fail, print, readOptions } from './builtin.ts'

const USAGE = 'trap [-lp] [[arg] signal_spec ...]'

/** `trap [-lp] [action] [signal …]` */
export const trapBuiltin: Builtin = {
  special: true,
  control: true,
  run(process, args) {
    if (args[0] === '-' || (args[0] !== undefined && !args[0].startsWith('-'))) return set(process, args)
    const options = readOptions(process, 'trap', args, 'lp', USAGE)
    if (typeof options === 'number') return options
    if (options.has('l')) {
      const lines: string[] = []
      for (let number = 1; number <= 64; number++) {
        const name = signalName(number)
        if (name !== undefined) lines.push(`${String(number).padStart(2)}) SIG${name}`)
      }
      let text = ''
      for (const [i, line] of lines.entries()) text += line + ((i + 1) % 5 === 0 || i === lines.length - 1 ? '\n' : '\t')
      return print(process, text)
    }
    if (options.operands.length === 0) return print(process, list(process, null))
    if (!options.has('p')) return set(process, options.operands)
    const names: string[] = []
    let status = 0
    for (const operand of options.operands) {
      const name = parseSignal(operand)
      if (name === null) {
        fail(process, 'trap', `${operand}: invalid signal specification`)
        status = 1
      } else names.push(name)
    }
    return print(process, list(process, names), status)
  },
}

function set(process: Process, words: readonly string[]): number {
  const { environment } = process
  const [action, ...signals] = words
  if (action === undefined) return 0
  // A lone signal, or a number first, means: back to the default.
  const resets = action === '-' || (signals.length === 0 && parseSignal(action) !== null) || /^[0-9]+$/.test(action)
  const names = action === '-' ? signals : resets ? words : signals
  if (names.length === 0) {
    process.complain(`trap: usage: ${USAGE}\n`)
    return 2
  }
  const traps = new Map(environment.traps)
  let status = 0
  for (const text of names) {
    const name = parseSignal(text)
    if (name === null) {
      fail(process, 'trap', `${text}: invalid signal specification`)
      status = 1
      continue
    }
    if (resets) traps.delete(name)
    else traps.set(name, action)
  }
  environment.traps = traps
  environment.inheritedTraps = null
  return status
}

function order(name: string): number {
  if (name === 'DEBUG') return 65
  if (name === 'ERR') return 66
  if (name === 'RETURN') return 67
  return signalNumber(name)
}

function list(process: Process, names: readonly string[] | null): string {
  const { environment } = process
  const traps = environment.inheritedTraps ?? environment.traps
  return (names ?? [...traps.keys()].sort((a, b) => order(a) - order(b)))
    .filter((name) => traps.has(name))
    .map((name) => `trap -- ${quoteSingle(traps.get(name) as string)} ${signalNumber(name) > 0 ? `SIG${name}` : name}\n`)
    .join('')
}
