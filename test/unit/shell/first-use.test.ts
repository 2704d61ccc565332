import { expect, test, vi } from 'vitest'

/** Scripts of which the first builtin, `[[` or brace that has to be loaded stands in an unusual place; and what bash prints. */
const CASES: readonly (readonly [where: string, script: string, printed: string])[] = [
  ['a trap', "trap 'set -- a b; echo $#' EXIT; (trap 'read x <<< hi; echo $x' EXIT); echo end", 'hi\nend\n2\n'],
  ['a subshell', '(declare -i n=2+3; echo $n); echo ${n-unset}', '5\nunset\n'],
  ['a substitution', 'echo $(read a <<< 1; echo $a)$(eval echo 2)', '12\n'],
  ['a pipeline', 'echo a b | { read x y; echo $y; } | while read z; do [ $z = b ] && echo yes; done', 'yes\n'],
  ['the background', 'export X=1 & wait $!; echo $?', '0\n'],
  ['a function, whose local is its own', 'f() { local x=1; shift; echo $x $1; }; x=0; f a b; echo $x', '1 b\n0\n'],
  ['an assignment before it', 'IFS=: read a b <<< 1:2; echo $b; x=1 eval "echo \\$x"; echo ${x-unset}', '2\n1\nunset\n'],
  ['a redirection', '{ unset x; eval "echo out; echo err >&2"; } 2>&1 >/dev/null', 'err\n'],
  ['command and builtin', 'command eval echo a; builtin shift 0; echo $?', 'a\n0\n'],
  ['a condition', 'set -e; ! [[ a = b ]]; if [[ a = a && ! -e /x ]]; then echo yes; fi; [[ a = b ]] || echo no', 'yes\nno\n'],
  ['a function called first in a condition', 'f() { ! [[ a = b ]]; false; echo on; }; if f; then echo ok; fi', 'on\nok\n'],
  ['braces in a function', 'f() { echo {a,b}{1..2} {} {x}; }; f | cat; echo "{a,b}"', 'a1 a2 b1 b2 {} {x}\n{a,b}\n'],
  ['braces in an array made by declare', "declare -a 'x=({1..3} z)'; echo ${#x[@]}", '4\n'],
  ['set -v and a warning', 'set -v\necho {a,b}\n', 'a b\n'],
  ['aliases', 'alias t="[[ a = a ]] &&"\nt echo yes', 'yes\n'],
  ['time', 'TIMEFORMAT=%%; { time :; } 2>&1; { time -p true; } 2> /dev/null', '%\n'],
  ['exec', 'exec 3>&1; echo three >&3; exec echo last; echo never', 'three\nlast\n'],
]

test.each(CASES)('what is loaded when it is first met works in %s', async (_where, script, printed) => {
  vi.resetModules()
  const { Workspace } = await import('../../../src/workspace.ts')
  const workspace = new Workspace()
  const { stdoutText, stderrText } = await workspace.shell(script)
  expect(stdoutText).toBe(printed)
  expect(stderrText).toBe(script.startsWith('set -v') ? 'echo {a,b}\n' : '')
  await workspace.close()
})
