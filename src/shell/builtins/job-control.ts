import type { MaybePromise } from '../../host.ts'
import type { Job } from '../machine/jobs.ts'
import { jobState, reportDeath, stateText } from '../machine/jobs.ts'
import { assignScalar, isName, unsetVariable } from '../machine/parameters.ts'
import type { BuiltinState, Process } from '../machine/process.ts'
import { Halt } from '../machine/process.ts'
import type { Program } from '../machine/program.ts'
import { fixedProgram } from '../machine/program.ts'
import { parseSignal, signalName, signalNumber } from '../machine/signals.ts'
import type { Builtin } from './builtin.ts'
import { fail, PENDING, print, readOptions } from './builtin.ts'

/** `jobs [-lnprs] [jobspec …]` */
export const jobsBuiltin: Builtin = {
  run(process, args) {
    const options = readOptions(process, 'jobs', args, 'lnprsx', 'jobs [-lnprs] [jobspec ...] or jobs -x command [args]')
    if (typeof options === 'number') return options
    const { jobs } = process
    if (options.has('x')) {
      const words = options.operands.map((word) => {
        const job = word.startsWith('%') ? jobs?.find(word) : undefined
        return job === undefined || job === 'ambiguous' ? word : String(job.pids[0])
      })
      process.machine.runtime.invokeMatched(process, words)
      return PENDING
    }
    if (jobs === null) return 0
    let status = 0
    const wanted: Job[] = []
    if (options.operands.length === 0) wanted.push(...jobs.jobs.values())
    for (const spec of options.operands) {
      const job = jobs.find(spec)
      if (job === undefined || job === 'ambiguous') {
        fail(process, 'jobs', `${spec}: ${job === undefined ? 'no such job' : 'ambiguous job spec'}`)
        status = 1
      } else wanted.push(job)
    }
    let text = ''
    for (const job of wanted) {
      const { state, status: ended } = jobState(process, job)
      if (options.has('r') && state !== 'Running') continue
      if (options.has('s') && state !== 'Stopped') continue
      if (options.has('p')) {
        text += `${job.pids[0]}\n`
      } else {
        const shown = stateText(state, ended).padEnd(options.has('l') ? 24 : 24)
        const pid = options.has('l') ? `${job.pids[0]} ` : options.has('l') ? '' : ' '
        text += `[${job.id}]${jobs.mark(job.id)} ${pid}${shown}${job.text}${state === 'Running' ? ' &' : ''}\n`
      }
    }
    for (const job of wanted) if (jobState(process, job).state === 'Done' && !options.has('p')) jobs.remove(job.id)
    return print(process, text, status)
  },
}

interface WaitState extends BuiltinState {
  readonly builtin: 'wait'
  readonly pids: readonly number[]
  readonly any: boolean
  readonly variable: string | null
}

/** `wait [-fn] [-p var] [id …]` */
export const waitBuiltin: Builtin = {
  control: true,
  run(process, args) {
    const options = readOptions(process, 'wait', args, 'fnp:', 'wait [-fn] [-p var] [id ...]')
    if (typeof options === 'number') return options
    const variable = options.value('p')
    if (variable !== null) {
      if (!isName(variable)) return fail(process, 'wait', `\`${variable}': not a valid identifier`)
      unsetVariable(process, variable)
    }
    const pids: number[] = []
    let unknown = false
    for (const id of options.operands) {
      const pid = jobPid(process, 'wait', id)
      if (typeof pid === 'string') {
        process.complain(`${process.messagePrefix()}wait: ${pid}\n`)
        unknown = true
        if (/^-/.test(id)) return 2
        if (!/^(?:%|[0-9])/.test(id) && !options.has('n')) return 1
      } else pids.push(pid)
    }
    if (options.operands.length > 0 && pids.length === 0) return unknown ? 127 : 0
    const all = options.operands.length === 0
    const children = all ? backgroundPids(process) : pids
    if (options.has('n') && children.length === 0) return 127
    const state: WaitState = {
      builtin: 'wait',
      pids: children,
      any: options.has('n'),
      variable,
    }
    process.enter('builtin', WAIT_PROGRAM, { state: { ...state, all } })
    return PENDING
  },
}

function backgroundPids(process: Process): number[] {
  const live = [...process.machine.processes.values()]
    .filter((child) => child.parent === process.pid && child.background)
    .map((child) => child.pid)
  const known = process.jobs === null ? [] : [...process.jobs.jobs.values()].flatMap((job) => job.pids)
  return [...new Set([...known.filter((pid) => process.zombies.has(pid)), ...live])]
}

/** A pid, or why there is none. */
function jobPid(process: Process, name: string, id: string): number | string {
  if (id.startsWith('%')) {
    const job = process.jobs?.find(id)
    if (job === undefined) return `${id}: no such job`
    if (job === 'ambiguous') return `${id}: ambiguous job spec`
    return job.pids.at(-1) as number
  }
  if (!/^[0-9]+$/.test(id)) return `\`${id}': not a pid or valid job spec`
  const pid = Number(id)
  const child = process.machine.processes.get(pid)
  if (process.zombies.has(pid) || (child !== undefined && child.parent === process.pid)) return pid
  return name === 'wait' ? `pid ${id} is not a child of this shell` : `(${id}) - No such process`
}

function waitStep(process: Process): void {
  const state = process.frame.state as WaitState & { readonly all?: boolean }
  process.frame.counter = 0
  const ended = state.pids.filter((pid) => !process.machine.processes.has(pid))
  if (state.any) {
    const pid = ended.find((candidate) => process.zombies.has(candidate)) ?? (ended.length === state.pids.length ? ended[0] : undefined)
    if (pid === undefined) {
      process.machine.waitFor(process, state.pids, true)
      return
    }
    const status = reap(process, pid)
    // Unlike a plain `wait`, one that takes the next to end forgets it.
    process.zombies.delete(pid)
    process.leave()
    process.status = status
    if (state.variable !== null) assignScalar(process, state.variable, String(pid))
    return
  }
  const missing = state.pids.find((pid) => process.machine.processes.has(pid))
  if (missing !== undefined) {
    process.machine.waitFor(process, [missing], false)
    return
  }
  let status = 0
  for (const pid of state.pids) status = reap(process, pid)
  process.leave()
  process.status = state.all === true ? 0 : status
  const last = state.pids.at(-1)
  if (state.variable !== null && last !== undefined) assignScalar(process, state.variable, String(last))
}

function reap(process: Process, pid: number): number {
  const status = process.zombies.get(pid) ?? 127
  const job = process.jobs?.byPid(pid)
  if (status > 128) reportDeath(process, pid, () => job?.text ?? '', false)
  if (job?.pids.every((member) => !process.machine.processes.has(member))) process.jobs?.remove(job.id)
  return status
}

/** The code of a `wait` under way. */
const WAIT_PROGRAM: Program = fixedProgram('wait', [waitStep])

/** `kill [-s sig | -n num | -sig] id …`, `kill -l [number]` */
export const killBuiltin: Builtin = {
  run(process, args) {
    const usage = 'kill: usage: kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]\n'
    const [first, ...rest] = args
    if (first === undefined) {
      process.complain(usage)
      return 2
    }
    if (first === '-l' || first === '-L') return listSignals(process, rest)
    let signal = 'TERM'
    let targets: string[] = args
    if (first === '-s' || first === '-n') {
      if (rest[0] === undefined) return fail(process, 'kill', `${first}: option requires an argument`)
      const parsed = parseSignal(rest[0])
      if (parsed === null) return fail(process, 'kill', `${rest[0]}: invalid signal specification`)
      signal = parsed
      targets = rest.slice(1)
    } else if (first === '--') targets = rest
    else if (/^-./.test(first)) {
      const parsed = parseSignal(first.slice(1))
      if (parsed === null) return fail(process, 'kill', `${first.slice(1)}: invalid signal specification`)
      signal = parsed
      targets = rest[0] === '--' ? rest.slice(1) : rest
    }
    if (targets.length === 0) {
      process.complain(usage)
      return 2
    }
    let status = 0
    for (const target of targets) if (!killOne(process, target, signal)) status = 1
    return process.halt !== 0 ? PENDING : status
  },
}

function killOne(process: Process, target: string, signal: string): boolean {
  const { machine } = process
  if (target.startsWith('%')) {
    const job = process.jobs?.find(target)
    if (job === undefined || job === 'ambiguous') {
      fail(process, 'kill', `${target}: no such job`)
      return false
    }
    for (const pid of job.pids) deliver(process, pid, signal)
    return true
  }
  if (!/^-?[0-9]+$/.test(target)) {
    fail(process, 'kill', `${target}: arguments must be process or job IDs`)
    return false
  }
  const pid = Number(target)
  if (pid === 0 || pid < 0) {
    const group = pid === 0 ? process.group : -pid
    const members = [...machine.processes.values()].filter((member) => member.group === group)
    if (members.length === 0) {
      fail(process, 'kill', `(${target}) - No such process`)
      return false
    }
    for (const member of members) deliver(process, member.pid, signal)
    return true
  }
  if (!machine.processes.has(pid)) {
    if (process.zombies.has(pid) && signal === 'EXIT') return true
    fail(process, 'kill', `(${target}) - No such process`)
    return false
  }
  deliver(process, pid, signal)
  return true
}

function deliver(process: Process, pid: number, signal: string): void {
  const child = process.machine.processes.get(pid)
  if (child === undefined || signal === 'EXIT') return
  process.status = 0
  process.machine.signal(child, signal)
}

function listSignals(process: Process, words: readonly string[]): MaybePromise<number> {
  if (words.length === 0) {
    let text = ''
    let column = 0
    for (let number = 1; number <= 64; number++) {
      const name = signalName(number)
      if (name === undefined) continue
      column += 1
      text += `${String(number).padStart(2)}) SIG${name}${column % 5 === 0 ? '\n' : '\t'}`
    }
    return print(process, text.replace(/\t$/, '\n'))
  }
  let status = 0
  let text = ''
  for (const word of words) {
    if (/^[0-9]+$/.test(word)) {
      const number = Number(word)
      const name = signalName(number > 128 ? number - 128 : number)
      if (name === undefined) {
        fail(process, 'kill', `${word}: invalid signal specification`)
        status = 1
      } else text += `${name}\n`
      continue
    }
    const name = parseSignal(word)
    if (name === null) {
      fail(process, 'kill', `${word}: invalid signal specification`)
      status = 1
    } else text += `${signalNumber(name)}\n`
  }
  return print(process, text, status)
}

/** `disown [-ahr] [id …]` */
export const disownBuiltin: Builtin = {
  run(process, args) {
    const options = readOptions(process, 'disown', args, 'ahr', 'disown [-h] [-ar] [jobspec ... | pid ...]')
    if (typeof options === 'number') return options
    const { jobs } = process
    const all = options.has('a') || options.has('r')
    if (options.operands.length === 0 && !all) {
      const current = jobs?.find('%%')
      if (current === undefined || current === 'ambiguous') return fail(process, 'disown', 'current: no such job')
      forget(process, current, options.has('h'))
      return 0
    }
    if (all && jobs !== null) for (const job of [...jobs.jobs.values()]) forget(process, job, options.has('h'))
    let status = 0
    for (const spec of options.operands) {
      const job = /^[0-9]+$/.test(spec) ? jobs?.byPid(Number(spec)) : jobs?.find(spec)
      if (job === undefined || job === 'ambiguous') {
        fail(process, 'disown', `${spec}: no such job`)
        status = 1
      } else forget(process, job, options.has('h'))
    }
    return status
  },
}

function forget(process: Process, job: Job, keepsIt: boolean): void {
  if (keepsIt) job.keep = true
  else process.jobs?.remove(job.id)
}

function jobArgument(process: Process, name: string, spec: string | undefined): Job | null {
  const job = process.jobs?.find(spec ?? '%%')
  if (job === undefined || job === 'ambiguous') {
    fail(process, name, `${spec ?? 'current'}: no such job`)
    return null
  }
  return job
}

function resume(process: Process, job: Job): void {
  for (const pid of job.pids) {
    const child = process.machine.processes.get(pid)
    if (child !== undefined && (child.halt & Halt.stopped) !== 0) process.machine.signal(child, 'CONT')
  }
}

/** `fg [job]` */
export const fgBuiltin: Builtin = {
  run(process, args) {
    if (!process.environment.options.has('monitor') && !process.environment.interactive) return fail(process, 'fg', 'no job control')
    const job = jobArgument(process, 'fg', args[0])
    if (job === null) return 1
    resume(process, job)
    const text = print(process, `${job.text}\n`)
    if (typeof text !== 'number') return text
    process.enter('builtin', WAIT_PROGRAM, { state: { builtin: 'wait', pids: job.pids, any: false, variable: null } as WaitState })
    return PENDING
  },
}

/** `bg [job …]` */
export const bgBuiltin: Builtin = {
  run(process, args) {
    if (!process.environment.options.has('monitor') && !process.environment.interactive) return fail(process, 'bg', 'no job control')
    const specs: (string | undefined)[] = args.length === 0 ? [undefined] : args
    let status = 0
    let text = ''
    for (const spec of specs) {
      const job = jobArgument(process, 'bg', spec)
      if (job === null) {
        status = 1
        continue
      }
      resume(process, job)
      text += `[${job.id}]${process.jobs?.mark(job.id) ?? ' '} ${job.text} &\n`
    }
    return print(process, text, status)
  },
}

/** `suspend [-f]` */
export const suspendBuiltin: Builtin = {
  run(process) {
    return fail(process, 'suspend', 'cannot suspend: no job control')
  },
}
