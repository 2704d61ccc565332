/** Numbers that look random and come again with the same seed (mulberry32). */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 up to 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }
}

/**
 * A bash script made by chance that ends by itself and writes the same each time: every kind of command, nested, with state of every kind carried from one to the next.
 * What runs at the same time writes to files of its own.
 */
export function randomScript(seed: number): string {
  return new Writer(new Chance(seed)).script()
}

const NAMES = ['a', 'b', 'c', 'n', 's'] as const
const WORDS = ['x', 'yy', 'two words', 'ünï', '*', '$', '', '-n', 'a=b', '12'] as const

class Writer {
  readonly #chance: Chance
  #depth = 0
  #number = 0
  /** Functions may be called that are below this: those that are defined, or, in one of them, those before it. */
  #callable = 0
  #inFunction = false
  #loops = 0

  constructor(chance: Chance) {
    this.#chance = chance
  }

  script(): string {
    const lines = [
      `RANDOM=${this.#chance.below(30000)}`,
      'a=1 b=2 c=three n=0 s=; arr=(one "two words" three); declare -A map=([k]=v [l]="w x")',
    ]
    if (this.#chance.next() < 0.3) lines.push(`trap 'echo "exit $? $a"' EXIT`)
    if (this.#chance.next() < 0.2) lines.push(`trap 'echo "error $?"' ERR`)
    lines.push(this.#chance.next() < 0.5 ? `trap 'echo "usr $n"' USR1` : `trap '' USR1`)
    if (this.#chance.next() < 0.1) lines.push('set -u')
    if (this.#chance.next() < 0.3) lines.push('shopt -s extglob')
    const count = 2 + this.#chance.below(3)
    for (let i = 0; i < count; i++) lines.push(this.#function(i))
    lines.push('set -- p1 "p 2" p3')
    const length = 3 + this.#chance.below(6)
    for (let i = 0; i < length; i++) lines.push(this.#command())
    lines.push('echo "$a|$b|$c|$n|${s: -5}|${arr[*]}|${#map[@]}|$?|$#"')
    if (this.#chance.next() < 0.3) lines.push(`exit ${this.#chance.below(256)}`)
    return `${lines.join('\n')}\n`
  }

  #function(number: number): string {
    this.#inFunction = true
    this.#callable = number
    const body = this.#body(3)
    this.#inFunction = false
    this.#callable = number + 1
    return `f${number}() { local a=in$1 d=$((n + 1)); ${body}; return $((d % 4)); }`
  }

  /** Commands that can stand where one can. */
  #body(most: number): string {
    this.#depth += 1
    const count = 1 + this.#chance.below(most)
    const commands = Array.from({ length: count }, () => this.#command())
    this.#depth -= 1
    return commands.join('\n')
  }

  #command(): string {
    const simple = [
      () => `echo ${this.#word()} ${this.#word()}`,
      () => `printf '%s,' ${this.#word()} "$#"; echo`,
      () => `${this.#chance.of(['a', 'b', 'c', 's'])}=${this.#word()}`,
      () => `n=$((n + ${this.#chance.below(9)}))`,
      () => `((n++, n % ${2 + this.#chance.below(3)} == 0))`,
      () => `s+=${this.#word()}`,
      () => `arr+=(${this.#word()} ${this.#word()})`,
      () => `arr[${this.#chance.below(12)}]=${this.#word()}`,
      () => `map[${this.#chance.of(['k', 'l', 'm'])}]=${this.#word()}; echo "\${map[k]-none}"`,
      () => `[[ $a == ${this.#chance.of(['1', 'in*', '*w*', '[!x]*'])} ]]`,
      () => `echo $RANDOM $((RANDOM % 10))`,
      () => `false`,
      () => `sleep 0.00${this.#chance.below(3)}`,
      // When another process sends it, its moment is chance.
      () => (this.#depth === 0 && !this.#inFunction ? 'kill -USR1 $$; :' : ':'),
      () => `shift 2>/dev/null; echo "$1 $#"`,
      () => `read -r x y <<< ${this.#word()}; echo "$x:$y"`,
      () => `cat <<END\n$a \${arr[1]} $((n * 2)) $(echo in)\nEND\n:`,
      () => `echo line >> log; wc -l < log`,
      () => `echo "$a" > f${this.#chance.below(3)}; cat f?`,
      () => `exec 5>> log; echo five >&5; exec 5>&-`,
      () => `eval 'b="$a$n"; echo "evaluated $b"'`,
      () => `IFS=, read -ra parts <<< "a,$n,c"; echo "\${parts[1]} \${#parts[@]}"`,
      () => `mapfile -t lines < <(printf '%s\\n' x "$n" z); echo "\${#lines[@]} \${lines[1]}"`,
      () => `printf -v c '%03d' "$((n % 100))"; echo $c`,
      () => `cd /tmp && echo "$PWD $OLDPWD"`,
      () => `pushd / > /dev/null; dirs; popd > /dev/null`,
      () => `declare -i k=n; k+=5; echo $k`,
      () => `set -- "$@" more; echo $#`,
      () => `getopts ab: o -a; echo "$o $OPTIND"; OPTIND=1`,
      () => `echo {1..3}{a,b} ~ | tr a-c A-C`,
      () => `${this.#call()} > /dev/null; echo "returned $?"`,
    ]
    const compound = [
      () => this.#loop(() => `for i in ${this.#word()} 2 $n; do echo "i $i"`),
      () => this.#counted((m) => `for ((${m} = 0; ${m} < ${1 + this.#chance.below(4)}; ${m}++)); do n=$((n + ${m}))`),
      () => this.#counted((m) => `${m}=0; while ((${m}++ < ${1 + this.#chance.below(4)})); do echo "m $${m}"`),
      () => this.#counted((m) => `${m}=0; until ((${m} >= 2)); do ${m}=$((${m} + 1))`),
      () => `if ${this.#condition()}; then ${this.#body(2)}; elif ${this.#condition()}; then echo elif; else ${this.#body(2)}; fi`,
      () => `case $a in 1|in*) ${this.#body(2)};; t*) echo t;& *) ${this.#body(1)};; esac`,
      () => `( a=sub; ${this.#body(2)}; exit ${this.#chance.below(4)} ); echo "sub $?"`,
      () => `{ ${this.#body(2)}; } > out; cat out`,
      () => `v=$(${this.#body(2)}); echo "got \${#v} $?"`,
      () => `{ ${this.#body(1)}; echo end; } | while read -r l; do echo "> $l"; ((n += 1)); done; echo "\${PIPESTATUS[*]}"`,
      () => `seq ${3 + this.#chance.below(20)} | sort -rn | head -3 | { read -r x; cat; echo "first $x"; }`,
      () => `cat <(echo p1; ${this.#body(1)}) <(echo p2)`,
      () => this.#background(),
      () => `${this.#call()} | tail -2`,
      () => `while read -r l; do echo "$l"; done < <(printf '%s\\n' q r)`,
      () => `time_ignored=1 eval '${this.#chance.of(['echo e1; echo e2', 'n=$((n+1)); false', 'for q in 1 2; do echo q$q; done'])}'`,
      () => `! ${this.#condition()}; echo $?`,
      () => `${this.#condition()} && echo and || echo or`,
    ]
    if (this.#loops > 0 && this.#chance.next() < 0.08) return this.#chance.of(['break', 'continue', 'break 2', 'continue 2'])
    if (this.#inFunction && this.#loops === 0 && this.#chance.next() < 0.05) return `return ${this.#chance.below(5)}`
    return this.#chance.of(this.#depth < 3 && this.#chance.next() < 0.45 ? compound : simple)()
  }

  /** A loop with a counter of its own: another's would make it endless. */
  #counted(head: (counter: string) => string): string {
    const counter = `m${++this.#number}`
    return this.#loop(() => head(counter))
  }

  #loop(head: () => string): string {
    const start = head()
    this.#loops += 1
    const body = this.#body(3)
    this.#loops -= 1
    return `${start}\n${body}\ndone`
  }

  /** Jobs write apart, and are waited for. */
  #background(): string {
    const file = `bg${++this.#number}`
    const loops = this.#loops
    this.#loops = 0
    const body = this.#body(2)
    this.#loops = loops
    return `{ ${body}; sleep 0.001; } > ${file} 2> ${file}e & { echo other; exit 3; } > ${file}b & wait $!; echo "last $?"; wait; cat ${file} ${file}e ${file}b`
  }

  /** Never of the function it stands in. */
  #call(): string {
    return this.#callable === 0 ? `echo ${this.#word()}` : `f${this.#chance.below(this.#callable)} ${this.#word()}`
  }

  #condition(): string {
    return this.#chance.of([
      'true',
      'false',
      '((n % 2))',
      '[[ -n $s ]]',
      '[ "$a" = 1 ]',
      'test -e f1',
      '(( ${#arr[@]} > 4 ))',
      'grep -q e <<< "$c"',
    ])
  }

  #word(): string {
    const word = this.#chance.of(WORDS)
    return this.#chance.of([
      () => `'${word}'`,
      () => `"${word === '$' ? '\\$' : word}"`,
      () => `"$${this.#chance.of(NAMES)}"`,
      () => `"\${arr[${this.#chance.below(3)}]:-none}"`,
      () => `"\${${this.#chance.of(NAMES)}#?}"`,
      () => `$((n + ${this.#chance.below(5)}))`,
      () => `"$(echo "$n" w)"`,
      () => `"\${c^^}\${a/1/one}"`,
    ])()
  }
}
