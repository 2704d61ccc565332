/** A script that writes `half` where it is suspended. */
export interface SuspendedScript {
  readonly name: string
  readonly script: string
  /** All that it writes, on both streams, in order. */
  readonly output: string
  readonly status: number
}

/** One for each kind of thing that a running shell holds. A unit test compares them with bash. */
export const suspendedScripts: readonly SuspendedScript[] = [
  {
    name: 'a loop that sleeps',
    script: 'for i in 1 2 3; do echo tick $i; [[ $i == 2 ]] && echo half; sleep 0.01; done; echo done',
    output: 'tick 1\ntick 2\nhalf\ntick 3\ndone\n',
    status: 0,
  },
  {
    name: 'a pipeline in flight',
    script:
      'seq 1 20000 | while read -r n; do (( s += n )); case $n in 10000) echo half;; 20000) echo $s;; esac; done; echo ${PIPESTATUS[@]}',
    output: 'half\n200010000\n0 0\n',
    status: 0,
  },
  {
    name: 'functions with locals and arrays',
    script: `declare -A seen=([start]='a b')
walk() {
  local -i depth=$1
  local -a path=("\${@:2}")
  seen[$depth]=\${path[*]}
  if (( depth < 3 )); then walk $((depth + 1)) "\${path[@]}" "step $depth"; else echo half; fi
  echo "$depth: \${#path[@]} \${path[-1]}"
  return $depth
}
walk 0 root
echo "$? \${seen[start]} \${seen[3]} \${depth-unset}"`,
    output: 'half\n3: 4 step 2\n2: 3 step 1\n1: 2 step 0\n0: 1 root\n0 a b root step 0 step 1 step 2 unset\n',
    status: 0,
  },
  {
    name: 'traps',
    script: `trap 'echo "bye $x $?"' EXIT
trap 'echo "err $?"' ERR
trap 'echo usr1; x=3' USR1
x=1
echo half
kill -USR1 $$
false
exit $((x + 2))`,
    output: 'half\nusr1\nerr 1\nbye 3 5\n',
    status: 5,
  },
  {
    name: 'a background job',
    script: '{ sleep 0.02; echo late; exit 7; } & echo half; wait $!; echo "job $?"',
    output: 'half\nlate\njob 7\n',
    status: 0,
  },
  {
    name: 'reading from a pipe',
    script: `printf '%s\\n' a b c d | { read -r a; read -r b; echo half; rest=$(cat); echo "$a-$b-\${rest//$'\\n'/+}"; }`,
    output: 'half\na-b-c+d\n',
    status: 0,
  },
  {
    name: 'a here-document',
    script: `x='t w o'
while IFS= read -r line; do echo "> $line"; [[ $line == *w* ]] && echo half; done <<EOF
one
$x
  $((1 + 2))
EOF`,
    output: '> one\n> t w o\nhalf\n>   3\n',
    status: 1,
  },
  {
    name: 'a command substitution',
    script: 'x=$(echo a; echo half >&2; sleep 0.01; echo b; exit 4); echo "<$x> $?"',
    output: 'half\n<a\nb> 4\n',
    status: 0,
  },
  {
    name: '$RANDOM',
    script: 'RANDOM=42; echo $RANDOM $RANDOM; echo half; echo $RANDOM $RANDOM $(echo $BASH_SUBSHELL)',
    output: '17772 26794\nhalf\n1435 24388 1\n',
    status: 0,
  },
  {
    name: 'open files with their offsets',
    script: `cd /tmp; printf '%s\\n' 1 2 3 > in; exec 3> out 4< in
read -r -u 4 a; echo "a $a" >&3
echo half
read -r -u 4 b; echo "b $b" >&3
exec 3>&- 4<&-; cat out; rm in out`,
    output: 'half\na 1\nb 2\n',
    status: 0,
  },
  {
    name: 'arguments, options and a subshell',
    script: `set -u -- -a one -b two
( IFS=:; while getopts 'a:b' o; do echo "$o \${OPTARG-}"; [[ $o == a ]] && echo half; done; shift $((OPTIND - 1)); echo "$# $*"; exit 6 )
echo "$? $# \${-//[!u]}"`,
    output: 'a one\nhalf\nb \n1 two\n6 4 u\n',
    status: 0,
  },
]
