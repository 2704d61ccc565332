import { createRandom } from '../expand/bash-reference.ts'

/** A short script made from a grammar; the same every time for one seed. It ends, and writes only in its own folder. */
export function randomScript(seed: number): string {
  return new ScriptWriter(createRandom(seed * 7919 + 17)).script()
}

const NAMES = ['a', 'b', 'c', 'v', 'w']
const ARRAYS = ['x', 'y']
const TEXTS = [
  'one',
  'two words',
  "' lead'",
  '"q u o"',
  "''",
  'a*b',
  '/p/q.r/s.t',
  'x=y',
  '1',
  '42',
  '-3',
  '007',
  'é',
  "$'t\\tb'",
  "$'n\\nl'",
  '\\$a',
  'a:b::c',
  ',x,,y,',
  '{p,q}',
  '~/x',
  '[z]',
  'AbC',
]

class ScriptWriter {
  readonly #below: (limit: number) => number
  #functions = 0
  #quoting = 0
  #loops = 0

  constructor(below: (limit: number) => number) {
    this.#below = below
  }

  script(): string {
    const lines = ['a=alpha b="b e t a" c= x=(1 "two 2" 3) declare_done=; declare -A m=([k]=v ["s p"]="q r"); set -- "p 1" p2 ""']
    const count = 3 + this.#below(5)
    for (let i = 0; i < count; i++) lines.push(this.#chance(10) ? this.#hereDocument() : this.#statement(3))
    lines.push('echo "end $? [$a] [$b] [$c] [${v-}] [${w-}] (${x[*]}) (${!x[*]}) (${y[*]-}) ${#m[@]} $# ($*)"')
    return `${lines.join('\n')}\n`
  }

  #pick<T>(...choices: readonly T[]): T {
    return choices[this.#below(choices.length)] as T
  }

  #chance(percent: number): boolean {
    return this.#below(100) < percent
  }

  #statement(depth: number): string {
    if (depth <= 0) return this.#simple()
    switch (this.#below(24)) {
      case 0:
        return `if ${this.#condition(depth - 1)}; then ${this.#list(depth - 1)}; ${this.#chance(50) ? `else ${this.#list(depth - 1)}; ` : ''}fi`
      case 1:
        return `for ${this.#pick(...NAMES)} in ${this.#words(3)}; do ${this.#body(depth - 1)}; done`
      case 2: {
        const i = `i${this.#loops++}`
        return `for ((${i} = 0; ${i} < ${1 + this.#below(3)}; ${i}++)); do ${this.#body(depth - 1)}; done`
      }
      case 3: {
        const i = `i${this.#loops++}`
        return `${i}=0; while ((${i}++ < ${1 + this.#below(3)})) && ${this.#condition(depth - 1)}; do ${this.#body(depth - 1)}; done`
      }
      case 4:
        return `case ${this.#operandWord()} in ${this.#pattern()}) ${this.#list(depth - 1)};${this.#pick(';', '&', ';&')} ${this.#pattern()}|${this.#pattern()}) ${this.#list(depth - 1)};; *) ${this.#simple()};; esac`
      case 5:
        return `( ${this.#list(depth - 1)} )${this.#redirections()}`
      case 6:
        return `{ ${this.#list(depth - 1)}; }${this.#redirections()}`
      case 7: {
        const name = `f${this.#functions++}`
        return `${name}() { ${this.#chance(50) ? `local ${this.#pick(...NAMES)}=${this.#word()}; ` : ''}${this.#list(depth - 1)}${this.#chance(30) ? `; return ${this.#below(5)}` : ''}; }; ${this.#chance(30) ? `${this.#pick(...NAMES)}=${this.#word()} ` : ''}${name} ${this.#words(2)}`
      }
      case 8:
        return `${this.#statement(depth - 1)} | ${this.#pick('cat', 'tr a-z A-Z', 'while read -r l; do echo "<$l>"; done', 'wc -l', '{ read -r q; echo "got $q"; cat; }')}`
      case 9:
        return `${this.#pick(...NAMES)}=$( ${this.#list(depth - 1)} )`
      case 10:
        return `eval ${this.#pick("'echo $a'", '"echo \\"$b\\""', "'v=$c; echo $v'", "'false'", "'set -- $b; echo $#'")}`
      case 11:
        return `${this.#condition(depth - 1)} ${this.#pick('&&', '||')} ${this.#statement(depth - 1)}`
      case 12:
        return `while read -r ${this.#pick('l', 'l r')}; do echo "$l:\${r-}"; done <<< ${this.#word()}`
      case 13:
        return `(set ${this.#pick('-e', '-u', '-f', '-o pipefail', '-eu')}; ${this.#list(depth - 1)})`
      case 14:
        return `(trap 'echo "trap $?"' ${this.#pick('EXIT', 'ERR', 'EXIT ERR')}; ${this.#list(depth - 1)})`
      default:
        return this.#simple()
    }
  }

  #list(depth: number): string {
    const parts = [this.#statement(depth)]
    while (this.#chance(40)) parts.push(this.#statement(depth - 1))
    return parts.join('; ')
  }

  #hereDocument(): string {
    const command = this.#pick('cat', 'while read -r l; do echo "[$l]"; done', 'tr a-z A-Z')
    return `${command} <<${this.#pick('X', "'X'", '-X')}\n${this.#hereText()}\nX`
  }

  #body(depth: number): string {
    return `${this.#list(depth)}${this.#chance(15) ? `; ${this.#condition(0)} && ${this.#pick('break', 'continue')}` : ''}`
  }

  #condition(depth: number): string {
    switch (this.#below(9)) {
      case 0:
        return `[[ ${this.#operandWord()} ${this.#pick('==', '!=', '=')} ${this.#pattern()} ]]`
      case 1:
        return `[[ ${this.#pick('-n', '-z')} ${this.#operandWord()} ${this.#pick('&&', '||')} ${this.#operandWord()} < ${this.#operandWord()} ]]`
      case 2:
        return `(( ${this.#arithmetic(2)} ))`
      case 3:
        return `[ "${this.#expansion(1)}" ${this.#pick('=', '!=')} ${this.#quoted()} ]`
      case 4:
        return this.#pick('true', 'false')
      case 5:
        return `! ${this.#condition(depth - 1)}`
      case 6:
        return `[[ ${this.#operandWord()} =~ ${this.#pick('^[a-z]+', 'e', '(b)(.)', '[0-9]$', '"a"')} ]]`
      case 7:
        return `[[ -v ${this.#pick(...NAMES, 'x[1]', 'm[k]', 'nope')} ]]`
      default:
        return `{ ${this.#simple()}; }`
    }
  }

  #simple(): string {
    switch (this.#below(22)) {
      case 0:
      case 1:
      case 2:
        return `echo ${this.#words(3)}`
      case 3:
      case 4:
        return `printf '<%s>' ${this.#words(3)}; echo`
      case 5:
      case 6:
        return `${this.#pick(...NAMES)}${this.#pick('=', '=', '+=')}${this.#word()}`
      case 7:
        return `${this.#pick(...ARRAYS)}${this.#pick('=', '+=')}(${this.#words(3)})`
      case 8:
        return `${this.#pick(...ARRAYS)}[${this.#pick('0', '1', '2', '-1', '$((1+1))', '5')}]${this.#pick('=', '+=')}${this.#word()}`
      case 9:
        return `m[${this.#pick('k', '$a', '"$b"', "'s p'")}]${this.#pick('=', '+=')}${this.#word()}`
      case 10:
        return `set -- ${this.#words(3)}`
      case 11:
        return `(( ${this.#pick(...NAMES)} = ${this.#arithmetic(2)} ))`
      case 12:
        return this.#pick('shift', 'unset c', "unset 'x[1]'", "unset 'm[k]'", 'unset v w', ':', 'true', 'false')
      case 13:
        return `IFS=${this.#pick(':', ',', "' ,'", "$'\\n'", "''", 'x')} read -r ${this.#pick('v', 'v w', '-a y')} <<< ${this.#word()}`
      case 14:
        return `declare ${this.#pick('-i', '-u', '-l', '-x', '-a', '-g', '--')} ${this.#pick('v', 'w')}=${this.#word()}`
      case 15:
        return `printf -v ${this.#pick(...NAMES)} ${this.#pick("'%s-%s'", "'%5s|'", "'%q'", "'%d'")} ${this.#words(2)}`
      case 16:
        return `declare -p ${this.#pick('a', 'b', 'x', 'm', 'v', 'y')} 2> /dev/null`
      case 17:
        return `IFS=${this.#pick(':', ',', "''", "' '", "$' \\t\\n'")}`
      case 18:
        return `echo ${this.#words(2)} > ${this.#pick('f', '"$a"', 'g')}; cat f 2> /dev/null`
      case 19:
        return `echo "$?" "\${PIPESTATUS[@]}" $#`
      case 20:
        return `(exit ${this.#below(4)})`
      default:
        return `set -- ${this.#pick('"$@"', '$*', '"$*"', '$@')}; echo $# "$@"`
    }
  }

  #redirections(): string {
    return this.#pick('', '', '', ' 2>&1', ' > o', ' 2> /dev/null', ' < /dev/null')
  }

  #words(most: number): string {
    const words = [this.#word()]
    while (words.length < most && this.#chance(50)) words.push(this.#word())
    return words.join(' ')
  }

  #word(): string {
    switch (this.#below(8)) {
      case 0:
      case 1:
        return this.#pick(...TEXTS)
      case 2:
      case 3:
        return this.#expansion(2)
      case 4:
        return `"${this.#quotedPart()}"`
      case 5:
        return `${this.#pick('p', 'q-')}${this.#expansion(1)}${this.#pick('', 's', `"${this.#quotedPart()}"`)}`
      case 6:
        return `$((${this.#arithmetic(2)}))`
      default:
        return `"$(${this.#pick('echo', 'printf "%s\\n\\n"')} ${this.#pick(...TEXTS)} ${this.#expansion(1)})"`
    }
  }

  /** One word, whatever it comes to. */
  #operandWord(): string {
    return this.#chance(70) ? this.#expansion(1) : this.#quoted()
  }

  #quoted(): string {
    return this.#chance(50) ? `"${this.#quotedPart()}"` : `'${this.#pick('one', 'a b', '*', '')}'`
  }

  #quotedPart(): string {
    const parts: string[] = []
    this.#quoting += 1
    do parts.push(this.#chance(60) ? this.#expansion(2) : this.#pick('t ', ' ', '\\$', '\\"', "'", '*', '\\\\', 'u'))
    while (this.#chance(40))
    this.#quoting -= 1
    return parts.join('')
  }

  #hereText(): string {
    return this.#pick(`h ${this.#expansion(1)} t`, `'q' "d" \\$a \`echo bq\``, `$((${this.#arithmetic(1)})) $(echo in)`)
  }

  #name(): string {
    return this.#pick(...NAMES, '1', '2', '@', '*', 'x', 'y', 'x[1]', 'x[@]', 'x[*]', 'm[k]', 'm[s p]', 'y[0]', 'x[-1]', 'nope')
  }

  #expansion(depth: number): string {
    let name = this.#name()
    // bash itself splits "${*#p}" where an "$@" stands beside it.
    if (this.#quoting > 0) name = name.replace('*', '@')
    switch (this.#below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return `\${${name}}`
      case 4:
        return `\${#${name}}`
      case 5:
        return `\${${name}${this.#pick(':-', '-', ':+', '+')}${this.#operand(depth)}}`
      case 6:
        return `\${${name}${this.#pick('#', '##', '%', '%%')}${this.#glob()}}`
      case 7:
        return `\${${name}${this.#pick('/', '//', '/#', '/%')}${this.#glob()}${this.#pick('', '/', `/${this.#operand(0)}`)}}`
      case 8:
        return `\${${name}:${this.#pick('0', '1', '2', ' -1', ' -2', '1:1', '0:2', ' -2:1', '1:-1')}}`
      case 9:
        return `\${${name}${this.#pick('^', '^^', ',', ',,', '^^[a-m]')}}`
      case 10:
        return `\${${name}@${this.#pick('Q', 'U', 'L', 'u', 'E', 'a')}}`
      case 11:
        return this.#pick('${!x[@]}', '${!m[@]}', '$#', '$?', '${#x[@]}', '${#m[@]}', '${!nope*}', '$-x')
      case 12:
        return depth > 0 ? `\${${name}:-${this.#expansion(depth - 1)}}` : '$a'
      case 13:
        return depth > 0 ? `$(echo ${this.#expansion(depth - 1)})` : '$b'
      default:
        return this.#pick('$a', '$b', '$c', '$v', '$1', '$@', '$*', '$x')
    }
  }

  #operand(depth: number): string {
    return depth > 0 && this.#chance(40) ? this.#expansion(depth - 1) : this.#pick('d', 'e f', '"g h"', '', '&', '\\&', '*', "'s'")
  }

  #glob(): string {
    return this.#pick('*', 'a', '?', '[a-e]', '*e', 'b*', '*/', '.*', '" "', '$a', '"$b"', '*[0-9]', 'p', '[!a]', '\\*', 'é')
  }

  #pattern(): string {
    return this.#pick('*', 'a*', '?', '"$a"', '$a', '[0-9]*', "'*'", '*b*', 'one', '""', '*\\ *', '[[:upper:]]*', '$b')
  }

  #arithmetic(depth: number): string {
    if (depth <= 0) return this.#pick('1', '2', '7', '-3', '0', 'i9', '${#a}', '$#', '10', 'x[0]', '0x1f')
    switch (this.#below(6)) {
      case 0:
        return `${this.#arithmetic(depth - 1)} ${this.#pick('+', '-', '*', '|', '&', '^', '<<')} ${this.#arithmetic(depth - 1)}`
      case 1:
        return `${this.#arithmetic(depth - 1)} ${this.#pick('<', '>', '==', '!=', '&&', '||')} ${this.#arithmetic(depth - 1)}`
      case 2:
        return `(${this.#arithmetic(depth - 1)}) ${this.#pick('/', '%')} ${this.#pick('2', '3', '-2')}`
      case 3:
        return `${this.#arithmetic(depth - 1)} ? ${this.#arithmetic(depth - 1)} : ${this.#arithmetic(depth - 1)}`
      case 4:
        return `${this.#pick('!', '~', '-', '+')}(${this.#arithmetic(depth - 1)})`
      default:
        return this.#arithmetic(0)
    }
  }
}
