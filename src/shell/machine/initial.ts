import { SPECIALS } from './specials.ts'
import type { Variable } from './variables.ts'
import { Attribute, IndexedArray, Variables } from './variables.ts'

/** Version of bash whose behaviour is kept. */
const VERSION: readonly string[] = ['5', '2', '15', '1', 'release', 'x86_64-pc-linux-gnu']
const ARRAYS: ReadonlySet<string> = new Set(['BASH_LINENO', 'BASH_SOURCE', 'DIRSTACK', 'FUNCNAME', 'GROUPS', 'PIPESTATUS'])
const NUMBERS: ReadonlySet<string> = new Set(['BASHPID', 'HISTCMD', 'LINENO', 'RANDOM', 'SECONDS', 'EPOCHSECONDS'])
const MAPS: ReadonlySet<string> = new Set(['BASH_ALIASES', 'BASH_CMDS'])

/** The variables a shell starts with. */
export function initialVariables(): Map<string, Variable> {
  const map = new Map<string, Variable>()
  const variables = new Variables(map)
  const put = (name: string, value: Variable['value'], attributes = 0): void => variables.put(name, variables.make(value, attributes))
  put('BASH', '/bin/bash')
  put('BASH_VERSION', '5.2.15(1)-release')
  put('BASH_VERSINFO', IndexedArray.of(VERSION), Attribute.array | Attribute.readonly)
  put('EUID', '1000', Attribute.integer | Attribute.readonly)
  put('UID', '1000', Attribute.integer | Attribute.readonly)
  put('PPID', '1', Attribute.integer | Attribute.readonly)
  put('HOSTTYPE', 'x86_64')
  put('MACHTYPE', 'x86_64-pc-linux-gnu')
  put('OSTYPE', 'linux-gnu')
  put('HOSTNAME', 'localhost')
  put('IFS', ' \t\n')
  put('OPTERR', '1')
  put('OPTIND', '1')
  put('PS4', '+ ')
  put('PATH', '/usr/bin:/bin')
  for (const name of SPECIALS.keys()) {
    let attributes: number = Attribute.special
    if (ARRAYS.has(name)) attributes |= Attribute.array
    if (NUMBERS.has(name)) attributes |= Attribute.integer
    if (MAPS.has(name)) attributes |= Attribute.assoc
    if (name === 'SHELLOPTS' || name === 'BASHOPTS') attributes |= Attribute.readonly
    put(name, undefined, attributes)
  }
  return map
}
