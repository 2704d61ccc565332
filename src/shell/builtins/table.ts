import type { AnyBuiltin, Builtin, LazyBuiltin } from './builtin.ts'
import { cdBuiltin, pwdBuiltin } from './directories.ts'
import { echoBuiltin } from './echo.ts'
import { breakBuiltin, colonBuiltin, continueBuiltin, exitBuiltin, falseBuiltin, returnBuiltin, trueBuiltin } from './flow.ts'

/** Special builtins of POSIX among those that are loaded when they are first run. */
const SPECIAL: ReadonlySet<string> = new Set(['eval', 'exec', 'export', 'readonly', 'set', 'shift', 'source', 'times', 'trap', 'unset'])

/** Those of them that no rule of a session forbids. */
const CONTROL: ReadonlySet<string> = new Set(
  'builtin command declare enable eval exec export getopts let local readonly set shift shopt source trap typeset unset wait'.split(' '),
)

/** The shell's own commands by name. Those that short lines can do without are loaded when they are first run. */
export const BUILTINS: ReadonlyMap<string, AnyBuiltin> = shared(
  new Map<string, AnyBuiltin>([
    [':', colonBuiltin],
    ['break', breakBuiltin],
    ['cd', cdBuiltin],
    ['continue', continueBuiltin],
    ['echo', echoBuiltin],
    ['exit', exitBuiltin],
    ['false', falseBuiltin],
    ['pwd', pwdBuiltin],
    ['return', returnBuiltin],
    ['true', trueBuiltin],
    ...from(() => import('./completion.ts'), 'compgen', 'complete', 'compopt'),
    ...from(() => import('./declare.ts'), 'declare', 'export', 'local', 'readonly', 'typeset'),
    ...from(() => import('./directory-stack.ts'), 'dirs', 'popd', 'pushd'),
    ...from(() => import('./fc.ts'), 'fc'),
    ...from(() => import('./getopts.ts'), 'getopts'),
    ...from(() => import('./history.ts'), 'history'),
    ...from(() => import('./job-control.ts'), 'bg', 'disown', 'fg', 'jobs', 'kill', 'suspend', 'wait'),
    ...from(() => import('./mapfile.ts'), 'mapfile'),
    ...from(() => import('./names.ts'), 'alias', 'command', 'enable', 'hash', 'type', 'unalias'),
    ...from(() => import('./printf.ts'), 'printf'),
    ...from(() => import('./read.ts'), 'read'),
    ...from(() => import('./run-text.ts'), 'builtin', 'eval', 'exec', 'source'),
    ...from(() => import('./shell-information.ts'), 'bind', 'caller', 'help', 'logout', 'times', 'ulimit'),
    ...from(() => import('./shopt.ts'), 'shopt'),
    ...from(() => import('./test.ts'), 'test'),
    ...from(() => import('./trap.ts'), 'trap'),
    ...from(() => import('./umask.ts'), 'umask'),
    ...from(() => import('./variables.ts'), 'let', 'set', 'shift', 'unset'),
  ]),
)

/** Builtins of a module that is loaded when one of them is first run. */
function from<Name extends string>(
  load: () => Promise<{ readonly [Key in `${NoInfer<Name>}Builtin`]: Builtin }>,
  ...names: readonly Name[]
): [Name, LazyBuiltin][] {
  return names.map((name) => [
    name,
    {
      special: SPECIAL.has(name),
      control: CONTROL.has(name),
      load: async () => (await load())[`${name}Builtin`],
      loaded: null,
    },
  ])
}

/** Adds the second names that some have. */
function shared(builtins: Map<string, AnyBuiltin>): Map<string, AnyBuiltin> {
  builtins.set('.', builtins.get('source') as AnyBuiltin)
  builtins.set('[', builtins.get('test') as AnyBuiltin)
  builtins.set('readarray', builtins.get('mapfile') as AnyBuiltin)
  return builtins
}
