import type { AnyBuiltin } from './builtin.ts'
import { lazily } from './builtin.ts'
import { compgenBuiltin, completeBuiltin, compoptBuiltin } from './completion.ts'
import { declareBuiltin } from './declare.ts'
import { cdBuiltin, pwdBuiltin } from './directories.ts'
import { echoBuiltin } from './echo.ts'
import { breakBuiltin, colonBuiltin, continueBuiltin, exitBuiltin, falseBuiltin, returnBuiltin, trueBuiltin } from './flow.ts'
import { readBuiltin } from './read.ts'
import { builtinBuiltin, evalBuiltin, execBuiltin, sourceBuiltin } from './run-text.ts'
import { testBuiltin } from './test.ts'
import { letBuiltin, setBuiltin, shiftBuiltin, unsetBuiltin } from './variables.ts'

/** The shell's own commands by name. Those that few lines use are loaded when they are first run. */
export const BUILTINS: ReadonlyMap<string, AnyBuiltin> = new Map<string, AnyBuiltin>([
  ['.', sourceBuiltin],
  [':', colonBuiltin],
  ['[', testBuiltin],
  ['alias', lazily(() => import('./names.ts').then(({ aliasBuiltin }) => aliasBuiltin))],
  ['bg', lazily(() => import('./job-control.ts').then(({ bgBuiltin }) => bgBuiltin))],
  ['bind', lazily(() => import('./shell-information.ts').then(({ bindBuiltin }) => bindBuiltin))],
  ['break', breakBuiltin],
  ['builtin', builtinBuiltin],
  ['caller', lazily(() => import('./shell-information.ts').then(({ callerBuiltin }) => callerBuiltin))],
  ['cd', cdBuiltin],
  ['command', lazily(() => import('./names.ts').then(({ commandBuiltin }) => commandBuiltin), { control: true })],
  ['compgen', compgenBuiltin],
  ['complete', completeBuiltin],
  ['compopt', compoptBuiltin],
  ['continue', continueBuiltin],
  ['declare', declareBuiltin('declare')],
  ['dirs', lazily(() => import('./directory-stack.ts').then(({ dirsBuiltin }) => dirsBuiltin))],
  ['disown', lazily(() => import('./job-control.ts').then(({ disownBuiltin }) => disownBuiltin))],
  ['echo', echoBuiltin],
  ['enable', lazily(() => import('./names.ts').then(({ enableBuiltin }) => enableBuiltin), { control: true })],
  ['eval', evalBuiltin],
  ['exec', execBuiltin],
  ['exit', exitBuiltin],
  ['export', declareBuiltin('export')],
  ['false', falseBuiltin],
  ['fc', lazily(() => import('./fc.ts').then(({ fcBuiltin }) => fcBuiltin))],
  ['fg', lazily(() => import('./job-control.ts').then(({ fgBuiltin }) => fgBuiltin))],
  ['getopts', lazily(() => import('./getopts.ts').then(({ getoptsBuiltin }) => getoptsBuiltin), { control: true })],
  ['hash', lazily(() => import('./names.ts').then(({ hashBuiltin }) => hashBuiltin))],
  ['help', lazily(() => import('./shell-information.ts').then(({ helpBuiltin }) => helpBuiltin))],
  ['history', lazily(() => import('./history.ts').then(({ historyBuiltin }) => historyBuiltin))],
  ['jobs', lazily(() => import('./job-control.ts').then(({ jobsBuiltin }) => jobsBuiltin))],
  ['kill', lazily(() => import('./job-control.ts').then(({ killBuiltin }) => killBuiltin))],
  ['let', letBuiltin],
  ['local', declareBuiltin('local')],
  ['logout', lazily(() => import('./shell-information.ts').then(({ logoutBuiltin }) => logoutBuiltin))],
  ['mapfile', lazily(() => import('./mapfile.ts').then(({ mapfileBuiltin }) => mapfileBuiltin))],
  ['popd', lazily(() => import('./directory-stack.ts').then(({ popdBuiltin }) => popdBuiltin))],
  ['printf', lazily(() => import('./printf.ts').then(({ printfBuiltin }) => printfBuiltin))],
  ['pushd', lazily(() => import('./directory-stack.ts').then(({ pushdBuiltin }) => pushdBuiltin))],
  ['pwd', pwdBuiltin],
  ['read', readBuiltin],
  ['readarray', lazily(() => import('./mapfile.ts').then(({ mapfileBuiltin }) => mapfileBuiltin))],
  ['readonly', declareBuiltin('readonly')],
  ['return', returnBuiltin],
  ['set', setBuiltin],
  ['shift', shiftBuiltin],
  ['shopt', lazily(() => import('./shopt.ts').then(({ shoptBuiltin }) => shoptBuiltin), { control: true })],
  ['source', sourceBuiltin],
  ['suspend', lazily(() => import('./job-control.ts').then(({ suspendBuiltin }) => suspendBuiltin))],
  ['test', testBuiltin],
  ['times', lazily(() => import('./shell-information.ts').then(({ timesBuiltin }) => timesBuiltin), { special: true })],
  ['trap', lazily(() => import('./trap.ts').then(({ trapBuiltin }) => trapBuiltin), { special: true, control: true })],
  ['true', trueBuiltin],
  ['type', lazily(() => import('./names.ts').then(({ typeBuiltin }) => typeBuiltin))],
  ['typeset', declareBuiltin('typeset')],
  ['ulimit', lazily(() => import('./shell-information.ts').then(({ ulimitBuiltin }) => ulimitBuiltin))],
  ['umask', lazily(() => import('./umask.ts').then(({ umaskBuiltin }) => umaskBuiltin))],
  ['unalias', lazily(() => import('./names.ts').then(({ unaliasBuiltin }) => unaliasBuiltin))],
  ['unset', unsetBuiltin],
  ['wait', lazily(() => import('./job-control.ts').then(({ waitBuiltin }) => waitBuiltin), { control: true })],
])
