import { expect, test } from 'vitest'
import type { FunctionDefinition } from '../../../src/shell/syntax/ast.ts'
import { printCommand, printFunction, printList } from '../../../src/shell/syntax/print.ts'
import { bash, bashInstalled, parse, shape } from './reference.ts'

const FUNCTIONS = [
  'f() { echo   hi; echo b & echo c; a && b || c; a | b |& c; ! x; time y; time -p z | q; (sub; shell); { g; h; }; }',
  'f() { if a; then b; elif c; then d; else e; fi; for i in 1 2; do x; done; for i; do x; done; for ((i=0;i<3;i++)); do x; done; }',
  'f() { while a; do b; done; until a; do b; done; }',
  'f() { case $x in a|b) echo;; (c) d;& e) ;;& *) x; esac; select s in a b; do x; done; ((x+1)); [[ a == b && ! c || -f d ]]; }',
  "f() { cat <<E1 <<-'E2' >out\nbody $x\nE1\n\ttab\n\tE2\n echo after; }",
  'f() { x=1 y=(1   2\n 3 [4]=5) echo a; z=$( echo   a;echo b ); w=$(\n if a; then b; fi ); q=`x;y`; r=$(<f); s=$( (a) ); t=$((1+ 2)); }',
  'f() { a >f 2>&1 <g 3<>h >|i >>j &>k &>>l >&m 4>&- 5<&- 6>&7- {fd}>x <<<word; b 2>&$x >&2 <&3 <&$y >&-; }',
  'f() ( sub )',
  'f() { a; } >out 2>err',
  'f() if x; then y; fi',
  'f() for i in a; { b; }',
  'f() (sub) >x',
  'f() { coproc X { a; }; coproc Y (b); }',
  'f() { g() { inner; }; function h { a; }; ( a & ) ; { a; } & if a; then b; fi >x; while a; do b; done <y | z; }',
  'f() [[ a =~ ^(x|y)$ ]]',
  'f() { [[ (a && b) || c -nt d ]]; [[ -n $x ]]; [[ a < b ]]; [[ a ]]; [[ ! ( a ) ]]; }',
  'f() { a; if a; then { b; }; fi; if a; then (b); fi; a &\n b; for x in; do y; done; { a & }; if a & then b & fi; }',
  'f() { case a in esac; case "$x" in a) ;; b) (x) ;; esac; }',
  'f() { ! ! a; time; ! ; time ! a; ! time a; time -- b; a=1; a+=b; a[1]=2; }',
  'f() { while read x; do echo $x; done < <(a;  b); diff <(a) >(c  d); echo "$(a;  b)" ${x:-$(c;  d)}; }',
  'f() { ((  a + b  )); for ((;;)); do x; done; for (( a = 1 ; ; b )); do :; done; let a=1; }',
  'f() { cat <<E\nx\nE\na\nb\n}',
  'f() { z\ncat <<E\nx\nE\na\nb\n}',
  'f() { cat <<E | tr a b\nx\nE\ncat <<E && b\nx\nE\n(cat <<E\nx\nE\n); cat <<E &\nx\nE\nb; }',
  'f() { if a; then cat <<E\nx\nE\nelse cat <<E\ny\nE\nfi; }',
  'f() { case x in a) cat <<E\nx\nE\n;; b) cat <<F; r\nz\nF\nesac; }',
  'f() { { cat <<E\nx\nE\n}; for i in a; do cat <<E\ny\nE\ndone; }',
  'f() { until a; do b; done <<E\nx\nE\n{ a; } <<E | c\nx\nE\na > x 3<<E\nw\nE\n}',
  'f() { cat <<\\E\nq\nE\ncat <<"E F"\nq\nE F\nr() { cat <<E\ns\nE\n}; a; }',
  'f() { x=$(cat <<E; echo b\nx\nE\necho c); y=$(a & b\n c && d | e\n for i in 1; do x; done; { r; s; }; f() { x; }; case a in b) c;; esac); z=$(a &); }',
  "f() { echo $'a\\tb' $\"c\" $'it\\'s'; echo $(( a ) ); }",
  'f() { declare -a x=(1   2) y[1]=2; local z; export a=$(b;  c); }',
  'f() { a; # comment\n\n b \\\n  c; }',
]

test.runIf(bashInstalled).each(FUNCTIONS)('%s', (script) => {
  const definition = parse(script).items[0]?.first.stages[0]?.command as FunctionDefinition
  expect(`${printFunction(definition)}\n`).toBe(bash(`${script}\ndeclare -f f`).stdout)
})

test.each(FUNCTIONS)('parses to the same again: %s', (script) => {
  const definition = parse(script).items[0]?.first.stages[0]?.command as FunctionDefinition
  const again = parse(printFunction(definition)).items[0]?.first.stages[0]?.command
  expect(shape(again)).toBe(shape(definition))
  expect(printFunction(again as FunctionDefinition)).toBe(printFunction(definition))
  expect(shape(parse(printList(definition.body.type === 'group' ? definition.body.body : { items: [] })))).toBe(
    shape(definition.body.type === 'group' ? definition.body.body : { items: [] }),
  )
})

test('what bash prints wrongly is printed so that it parses', () => {
  for (const script of [
    'a; if cat <<E\nx\nE\nthen b; c; fi; d',
    'a && cat <<E && b\nx\nE\n',
    'a | cat <<E | b\nx\nE\n',
    'while cat <<E\nx\nE\ndo b; done; c',
    'coproc a b',
    'if a; then b; fi <<E && c\nx\nE\n',
  ]) {
    const list = parse(script)
    expect(shape(parse(printList(list)))).toBe(shape(list))
  }
})

test('on one line outside of functions', () => {
  expect(printList(parse('a;b\nc & d&&e;{ f; g; };(h;i)'))).toBe('a; b; c & d && e; { f; g; }; ( h; i )')
  const command = parse('for i in 1 2; do a; b; done >f').items[0]?.first.stages[0]?.command
  expect(command && printCommand(command)).toBe('for i in 1 2;\ndo\n    a; b;\ndone > f')
})

test('a function named by a reserved word', () => {
  const definition = parse('function if { a; }').items[0]?.first.stages[0]?.command as FunctionDefinition
  expect(printFunction(definition)).toBe('function if () \n{ \n    a\n}')
})

test('long chains of elif stay chains', () => {
  const list = parse(`if a; then b; ${'elif c; then d; '.repeat(1000)}else e; fi`)
  const text = printList(list)
  expect(text.length).toBeLessThan(60_000)
  expect(shape(parse(text))).toBe(shape(list))
})
