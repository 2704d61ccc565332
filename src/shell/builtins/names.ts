import type { MaybePromise } from '../../host.ts'
import { isPromise } from '../../host.ts'
import { quoteSingle } from '../expand/quote.ts'
import { findProgram } from '../machine/call.ts'
import { readText } from '../machine/parameters.ts'
import type { Process } from '../machine/process.ts'
import type { Builtin } from './builtin.ts'
import { fail, print, readOptions } from './builtin.ts'
import { runCommandBuiltin } from './run-text.ts'

const RESERVED: ReadonlySet<string> = new Set([
  'if',
  'then',
  'else',
  'elif',
  'fi',
  'case',
  'esac',
  'for',
  'select',
  'while',
  'until',
  'do',
  'done',
  'in',
  'function',
  'time',
  '{',
  '}',
  '!',
  '[[',
  ']]',
  'coproc',
])

/** `alias [-p] [name[=value] …]` */
export const aliasBuiltin: Builtin = {
  run(process, args) {
    const options = readOptions(process, 'alias', args, 'p', 'alias [-p] [name[=value] ... ]')
    if (typeof options === 'number') return options
    const { environment } = process
    let text = ''
    let status = 0
    const line = (name: string, value: string): string => `alias ${name}=${quoteSingle(value)}\n`
    if (options.has('p') || options.operands.length === 0) {
      for (const [name, value] of [...environment.aliases].sort(([a], [b]) => (a < b ? -1 : 1))) text += line(name, value)
    }
    for (const operand of options.operands) {
      const equals = operand.indexOf('=')
      if (equals <= 0) {
        const value = environment.aliases.get(operand)
        if (value === undefined) {
          fail(process, 'alias', `${operand}: not found`)
          status = 1
        } else text += line(operand, value)
        continue
      }
      const name = operand.slice(0, equals)
      if (/[\s/$`'"\\|&;()<>]/.test(name)) {
        fail(process, 'alias', `\`${name}': invalid alias name`)
        status = 1
        continue
      }
      environment.aliases = new Map(environment.aliases).set(name, operand.slice(equals + 1))
    }
    return print(process, text, status)
  },
}

/** `unalias [-a] name …` */
export const unaliasBuiltin: Builtin = {
  run(process, args) {
    const options = readOptions(process, 'unalias', args, 'a', 'unalias [-a] name [name ...]')
    if (typeof options === 'number') return options
    const { environment } = process
    if (options.has('a')) {
      environment.aliases = new Map()
      return 0
    }
    if (options.operands.length === 0) {
      process.complain('unalias: usage: unalias [-a] name [name ...]\n')
      return 2
    }
    let status = 0
    const aliases = new Map(environment.aliases)
    for (const name of options.operands) {
      if (aliases.delete(name)) continue
      fail(process, 'unalias', `${name}: not found`)
      status = 1
    }
    environment.aliases = aliases
    return status
  },
}

type Meaning =
  | { readonly type: 'alias'; readonly text: string }
  | { readonly type: 'keyword' | 'builtin' | 'special' }
  | { readonly type: 'function'; readonly source: string }
  | { readonly type: 'file'; readonly path: string; readonly hashed: boolean }

/** Everything a name means, in the order the shell would look. */
function meanings(process: Process, name: string, skipFunctions: boolean): Meaning[] {
  const { environment, machine } = process
  const found: Meaning[] = []
  const alias = environment.options.has('expand_aliases') || environment.interactive ? environment.aliases.get(name) : undefined
  if (alias !== undefined) found.push({ type: 'alias', text: alias })
  if (RESERVED.has(name)) found.push({ type: 'keyword' })
  const shellFunction = environment.functions.get(name)
  if (shellFunction !== undefined && !skipFunctions) found.push({ type: 'function', source: shellFunction.source })
  const builtin = machine.runtime.builtin(name)
  if (builtin !== undefined && !environment.disabledBuiltins.has(name))
    found.push({ type: builtin.special === true && environment.options.posix ? 'special' : 'builtin' })
  return found
}

/** Paths of the programs of a name, along PATH. */
async function programs(process: Process, name: string, path: string | undefined): Promise<string[]> {
  if (name.includes('/')) {
    const program = await findProgram(process, name)
    return program.type === 'none' ? [] : [name]
  }
  const paths: string[] = []
  for (const folder of (path ?? readText(process, 'PATH') ?? '/usr/bin:/bin').split(':')) {
    const program = await findProgram(process, name, folder)
    if (program.type !== 'none') paths.push(program.path)
  }
  return paths
}

/** `type [-afptP] name …` */
export const typeBuiltin: Builtin = {
  async run(process, args) {
    const options = readOptions(process, 'type', args, 'afptP', 'type [-afptP] name [name ...]')
    if (typeof options === 'number') return options
    let text = ''
    let status = 0
    for (const name of options.operands) {
      const all = options.has('a')
      let known = options.has('P') ? [] : meanings(process, name, options.has('f'))
      let files: string[] = []
      if (known.length === 0 || all) files = await programs(process, name, undefined)
      if (!all) {
        known = known.slice(0, 1)
        files = known.length > 0 ? [] : files.slice(0, 1)
      }
      const hashed = process.environment.hashed.get(name)
      if (hashed !== undefined && known.length === 0 && !all) files = [hashed.path]
      if (known.length + files.length === 0) {
        if (!options.has('t') && !options.has('p') && !options.has('P')) fail(process, 'type', `${name}: not found`)
        status = 1
        continue
      }
      if (options.has('p') || options.has('P')) {
        if (known.length === 0 || all) text += files.map((path) => `${path}\n`).join('')
        continue
      }
      for (const meaning of known)
        text += options.has('t') ? `${meaning.type === 'special' ? 'builtin' : meaning.type}\n` : describe(name, meaning)
      for (const path of files) {
        text += options.has('t') ? 'file\n' : hashed !== undefined && !all ? `${name} is hashed (${path})\n` : `${name} is ${path}\n`
      }
    }
    return await print(process, text, status)
  },
}

function describe(name: string, meaning: Meaning): string {
  switch (meaning.type) {
    case 'alias':
      return `${name} is aliased to \`${meaning.text}'\n`
    case 'keyword':
      return `${name} is a shell keyword\n`
    case 'builtin':
      return `${name} is a shell builtin\n`
    case 'special':
      return `${name} is a special shell builtin\n`
    case 'function':
      return `${name} is a function\n${meaning.source}\n`
    case 'file':
      return `${name} is ${meaning.path}\n`
    default:
      return meaning satisfies never
  }
}

/** `command [-pVv] name [args]` */
export const commandBuiltin: Builtin = {
  control: true,
  run(process, args) {
    const options = readOptions(process, 'command', args, 'pvV', 'command [-pVv] command [arg ...]')
    if (typeof options === 'number') return options
    if (!options.has('v') && !options.has('V')) return runCommandBuiltin(process, options.operands, options.has('p'))
    return describeAll(process, options.operands, options.has('V'), options.has('p') ? '/usr/bin:/bin' : undefined)
  },
}

function describeAll(process: Process, names: readonly string[], long: boolean, path: string | undefined): MaybePromise<number> {
  let text = ''
  const step = (at: number, status: number): MaybePromise<number> => {
    for (let i = at; i < names.length; i++) {
      const name = names[i] as string
      const [meaning] = meanings(process, name, false)
      if (meaning !== undefined) {
        status = 0
        text += long ? describe(name, meaning) : meaning.type === 'alias' ? `alias ${name}=${quoteSingle(meaning.text)}\n` : `${name}\n`
        continue
      }
      const found = findProgram(process, name, path)
      const use = (program: Awaited<ReturnType<typeof findProgram>>): number => {
        if (program.type === 'none') {
          if (long) fail(process, 'command', `${name}: not found`)
          return status
        }
        text += long ? `${name} is ${program.path}\n` : `${program.path}\n`
        return 0
      }
      if (isPromise(found)) return found.then((program) => step(i + 1, use(program)))
      status = use(found)
    }
    return print(process, text, status)
  }
  return step(0, names.length === 0 ? 0 : 1)
}

/** `hash [-lr] [-p path] [-dt] [name …]` */
export const hashBuiltin: Builtin = {
  async run(process, args) {
    const options = readOptions(process, 'hash', args, 'lrp:dt', 'hash [-lr] [-p pathname] [-dt] [name ...]')
    if (typeof options === 'number') return options
    const { environment } = process
    if (options.has('r')) environment.hashed = new Map()
    const path = options.value('p')
    let status = 0
    let text = ''
    if (options.operands.length === 0 && !options.has('r')) {
      if (environment.hashed.size === 0) return await print(process, options.has('l') ? '' : 'hash: hash table empty\n')
      if (!options.has('l')) text = 'hits\tcommand\n'
      for (const [name, entry] of environment.hashed) {
        text += options.has('l') ? `builtin hash -p ${entry.path} ${name}\n` : `${String(entry.hits).padStart(4)}\t${entry.path}\n`
      }
      return await print(process, text)
    }
    const hashed = new Map(environment.hashed)
    for (const name of options.operands) {
      if (path !== null) {
        hashed.set(name, { path, hits: 0 })
        environment.hashedPath = readText(process, 'PATH') ?? ''
        continue
      }
      if (options.has('d') || options.has('t')) {
        const entry = hashed.get(name)
        if (entry === undefined) {
          if (options.has('d') && environment.hashed.size === 0) continue
          fail(process, 'hash', `${name}: not found`)
          status = 1
        } else if (options.has('d')) hashed.delete(name)
        else text += options.operands.length > 1 ? `${name}\t${entry.path}\n` : `${entry.path}\n`
        continue
      }
      if (name.includes('/')) continue
      if (process.machine.runtime.builtin(name) !== undefined || environment.functions.has(name)) continue
      const program = await findProgram(process, name)
      if (program.type === 'none') {
        fail(process, 'hash', `${name}: not found`)
        status = 1
      } else hashed.set(name, { path: program.path, hits: 0 })
    }
    environment.hashed = hashed
    return await print(process, text, status)
  },
}

/** `enable [-adnps] [name …]` */
export const enableBuiltin: Builtin = {
  control: true,
  run(process, args) {
    const options = readOptions(process, 'enable', args, 'adnpsf:', 'enable [-a] [-dnps] [-f filename] [name ...]')
    if (typeof options === 'number') return options
    const { environment, machine } = process
    if (options.has('f')) return fail(process, 'enable', 'dynamic loading not available')
    if (options.operands.length === 0) {
      const names = machine.runtime.builtinNames()
      const wanted = names.filter((name) => {
        if (options.has('s') && machine.runtime.builtin(name)?.special !== true) return false
        const off = environment.disabledBuiltins.has(name)
        return options.has('a') || (options.has('n') ? off : !off)
      })
      return print(process, wanted.map((name) => `enable ${environment.disabledBuiltins.has(name) ? '-n ' : ''}${name}\n`).join(''))
    }
    let status = 0
    const disabled = new Set(environment.disabledBuiltins)
    for (const name of options.operands) {
      if (machine.runtime.builtin(name) === undefined) {
        fail(process, 'enable', `${name}: not a shell builtin`)
        status = 1
      } else if (options.has('n')) disabled.add(name)
      else disabled.delete(name)
    }
    environment.disabledBuiltins = disabled
    return status
  },
}
