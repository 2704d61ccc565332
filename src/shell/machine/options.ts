/** Options of `set -o`, in the order `set -o` shows them, with the letter of those that have one. */
export const SET_OPTIONS: readonly (readonly [name: string, letter: string])[] = [
  ['allexport', 'a'],
  ['braceexpand', 'B'],
  ['emacs', ''],
  ['errexit', 'e'],
  ['errtrace', 'E'],
  ['functrace', 'T'],
  ['hashall', 'h'],
  ['histexpand', 'H'],
  ['history', ''],
  ['ignoreeof', ''],
  ['interactive-comments', ''],
  ['keyword', 'k'],
  ['monitor', 'm'],
  ['noclobber', 'C'],
  ['noexec', 'n'],
  ['noglob', 'f'],
  ['nolog', ''],
  ['notify', 'b'],
  ['nounset', 'u'],
  ['onecmd', 't'],
  ['physical', 'P'],
  ['pipefail', ''],
  ['posix', ''],
  ['privileged', 'p'],
  ['verbose', 'v'],
  ['vi', ''],
  ['xtrace', 'x'],
]

/** Options of `shopt`, in its order. */
export const SHOPT_OPTIONS: readonly string[] = [
  'autocd',
  'assoc_expand_once',
  'cdable_vars',
  'cdspell',
  'checkhash',
  'checkjobs',
  'checkwinsize',
  'cmdhist',
  'compat31',
  'compat32',
  'compat40',
  'compat41',
  'compat42',
  'compat43',
  'compat44',
  'complete_fullquote',
  'direxpand',
  'dirspell',
  'dotglob',
  'execfail',
  'expand_aliases',
  'extdebug',
  'extglob',
  'extquote',
  'failglob',
  'force_fignore',
  'globasciiranges',
  'globskipdots',
  'globstar',
  'gnu_errfmt',
  'histappend',
  'histreedit',
  'histverify',
  'hostcomplete',
  'huponexit',
  'inherit_errexit',
  'interactive_comments',
  'lastpipe',
  'lithist',
  'localvar_inherit',
  'localvar_unset',
  'login_shell',
  'mailwarn',
  'no_empty_cmd_completion',
  'nocaseglob',
  'nocasematch',
  'noexpand_translation',
  'nullglob',
  'patsub_replacement',
  'progcomp',
  'progcomp_alias',
  'promptvars',
  'restricted_shell',
  'shift_verbose',
  'sourcepath',
  'varredir_close',
  'xpg_echo',
]

const ON_AT_START: readonly string[] = [
  'braceexpand',
  'hashall',
  'interactive-comments',
  'checkwinsize',
  'cmdhist',
  'complete_fullquote',
  'extquote',
  'force_fignore',
  'globasciiranges',
  'globskipdots',
  'hostcomplete',
  'interactive_comments',
  'patsub_replacement',
  'progcomp',
  'promptvars',
  'sourcepath',
]

const SET_NAMES: ReadonlySet<string> = new Set(SET_OPTIONS.map(([name]) => name))
const SHOPT_NAMES: ReadonlySet<string> = new Set(SHOPT_OPTIONS)

/** The switches of a shell: `set` and `shopt` options by name. The ones a running script asks about at every step are fields. */
export class ShellOptions {
  errexit = false
  nounset = false
  xtrace = false
  noglob = false
  noexec = false
  pipefail = false
  posix = false
  extglob = false
  allexport = false
  #on: ReadonlySet<string> = new Set(ON_AT_START)

  has(name: string): boolean {
    return this.#on.has(name)
  }

  set(name: string, on: boolean): void {
    const changed = new Set(this.#on)
    if (on) changed.add(name)
    else changed.delete(name)
    this.#on = changed
    if (name === 'interactive-comments') this.set('interactive_comments', on)
    switch (name) {
      case 'allexport':
      case 'errexit':
      case 'nounset':
      case 'xtrace':
      case 'noglob':
      case 'noexec':
      case 'pipefail':
      case 'posix':
      case 'extglob':
        this[name] = on
    }
  }

  /** Names of the options that are on. */
  names(): string[] {
    return [...this.#on]
  }

  copy(): ShellOptions {
    const copy = new ShellOptions()
    copy.#on = this.#on
    copy.allexport = this.allexport
    copy.errexit = this.errexit
    copy.nounset = this.nounset
    copy.xtrace = this.xtrace
    copy.noglob = this.noglob
    copy.noexec = this.noexec
    copy.pipefail = this.pipefail
    copy.posix = this.posix
    copy.extglob = this.extglob
    return copy
  }

  /** Sets exactly the given options. */
  restore(names: readonly string[]): void {
    for (const name of this.names()) if (!names.includes(name)) this.set(name, false)
    for (const name of names) this.set(name, true)
  }
}

/** True for a name `set -o` knows. */
export function isSetOption(name: string): boolean {
  return SET_NAMES.has(name)
}

/** True for a name `shopt` knows. */
export function isShoptOption(name: string): boolean {
  return SHOPT_NAMES.has(name)
}
