import type { Builtin } from './builtin.ts'
import { declareBuiltin } from './declare.ts'
import { cdBuiltin, dirsBuiltin, popdBuiltin, pushdBuiltin, pwdBuiltin } from './directories.ts'
import { fcBuiltin } from './fc.ts'
import { breakBuiltin, colonBuiltin, continueBuiltin, exitBuiltin, falseBuiltin, returnBuiltin, trueBuiltin } from './flow.ts'
import { historyBuiltin } from './history.ts'
import { echoBuiltin, printfBuiltin, umaskBuiltin } from './io.ts'
import { bgBuiltin, disownBuiltin, fgBuiltin, jobsBuiltin, killBuiltin, suspendBuiltin, waitBuiltin } from './job-control.ts'
import { mapfileBuiltin } from './mapfile.ts'
import { aliasBuiltin, commandBuiltin, enableBuiltin, hashBuiltin, typeBuiltin, unaliasBuiltin } from './names.ts'
import { readBuiltin } from './read.ts'
import { builtinBuiltin, evalBuiltin, execBuiltin, sourceBuiltin } from './run-text.ts'
import { bindBuiltin, callerBuiltin, helpBuiltin, logoutBuiltin, timesBuiltin, ulimitBuiltin } from './shell-information.ts'
import { testBuiltin } from './test.ts'
import { trapBuiltin } from './trap.ts'
import { getoptsBuiltin, letBuiltin, setBuiltin, shiftBuiltin, shoptBuiltin, unsetBuiltin } from './variables.ts'

/** The shell's own commands by name. */
export const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['.', sourceBuiltin],
  [':', colonBuiltin],
  ['[', testBuiltin],
  ['alias', aliasBuiltin],
  ['bg', bgBuiltin],
  ['bind', bindBuiltin],
  ['break', breakBuiltin],
  ['builtin', builtinBuiltin],
  ['caller', callerBuiltin],
  ['cd', cdBuiltin],
  ['command', commandBuiltin],
  ['continue', continueBuiltin],
  ['declare', declareBuiltin('declare')],
  ['dirs', dirsBuiltin],
  ['disown', disownBuiltin],
  ['echo', echoBuiltin],
  ['enable', enableBuiltin],
  ['eval', evalBuiltin],
  ['exec', execBuiltin],
  ['exit', exitBuiltin],
  ['export', declareBuiltin('export')],
  ['false', falseBuiltin],
  ['fc', fcBuiltin],
  ['fg', fgBuiltin],
  ['getopts', getoptsBuiltin],
  ['hash', hashBuiltin],
  ['help', helpBuiltin],
  ['history', historyBuiltin],
  ['jobs', jobsBuiltin],
  ['kill', killBuiltin],
  ['let', letBuiltin],
  ['local', declareBuiltin('local')],
  ['logout', logoutBuiltin],
  ['mapfile', mapfileBuiltin],
  ['popd', popdBuiltin],
  ['printf', printfBuiltin],
  ['pushd', pushdBuiltin],
  ['pwd', pwdBuiltin],
  ['read', readBuiltin],
  ['readarray', mapfileBuiltin],
  ['readonly', declareBuiltin('readonly')],
  ['return', returnBuiltin],
  ['set', setBuiltin],
  ['shift', shiftBuiltin],
  ['shopt', shoptBuiltin],
  ['source', sourceBuiltin],
  ['suspend', suspendBuiltin],
  ['test', testBuiltin],
  ['times', timesBuiltin],
  ['trap', trapBuiltin],
  ['true', trueBuiltin],
  ['type', typeBuiltin],
  ['typeset', declareBuiltin('typeset')],
  ['ulimit', ulimitBuiltin],
  ['umask', umaskBuiltin],
  ['unalias', unaliasBuiltin],
  ['unset', unsetBuiltin],
  ['wait', waitBuiltin],
])
