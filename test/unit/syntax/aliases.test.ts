import { expect, test } from 'vitest'
import type { Word, WordPart } from '../../../src/shell/syntax/ast.ts'
import { createParser, ShellSyntaxError } from '../../../src/shell/syntax/parser.ts'
import { printList } from '../../../src/shell/syntax/print.ts'
import { bash, bashInstalled } from './reference.ts'

function text(parts: readonly WordPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : part.type === 'double' ? text(part.parts) : '')).join('')
}

/** A script with its aliases put in, as far as they are defined by commands of their own. */
function expand(script: string, posix = false): string {
  const aliases = new Map<string, string>()
  const parser = createParser(script)
  let result = ''
  try {
    for (;;) {
      const command = parser.next({ alias: (name) => aliases.get(name), posix })
      if (command === null) return result
      for (const { first } of command.list.items) {
        const simple = first.stages[0]?.command
        if (simple?.type !== 'simple') continue
        const [name, ...operands] = simple.words as Word[]
        for (const operand of operands) {
          const definition = text(operand.parts)
          const equals = definition.indexOf('=')
          if (name?.raw === 'alias' && equals > 0) aliases.set(definition.slice(0, equals), definition.slice(equals + 1))
          if (name?.raw === 'unalias') aliases.delete(definition)
        }
      }
      result += `${printList(command.list)}\n`
    }
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error
    return `${result}echo 'does not parse' >&2`
  }
}

const SCRIPTS = [
  "alias ll='echo hi'\nll a; ll | cat; ll && ll b || ll c",
  'alias ll=\'echo hi\'\nf() { echo $(ll a) "$(ll b)"; }; f',
  "alias sp='echo ' arg=ARG\nsp arg arg\nsp sp arg",
  'alias q=\'echo "open\'\nq close"; q x\ny"\necho after',
  "alias lp='for i in 1 2; do '\nlp echo $i; done",
  "alias cm='echo # '\ncm foo; echo no\necho next",
  "alias nl='echo a\necho b'\nnl c\nnl d; nl e",
  "alias x='echo x; y' y='echo y; x'\nx",
  "alias if='echo IF'\nif foo",
  "alias gt='echo >'\ngt&2; gt&2\necho z",
  "alias hd='cat <<E'\nhd\nbody $((1+1))\nE\necho after",
  "alias e1='echo \\'\ne1 foo",
  "alias ll='echo L'\n>/dev/null ll z\na=1 ll r\n! ll w\n{ ll g; }; (ll s)\nif ll t; then ll u; fi\nwhile ll v; do ll w; break; done\ncase x in ll) ;; x) ll q;; esac",
  "alias foo='bar() { echo bar; }'\nfoo\nbar",
  "alias 2x='echo 2x'\n2x",
  "alias ll='echo L'\n\\ll\n'll'\nl\\l",
  "alias l1='echo q |'\nl1 cat",
  "alias end='; done'\nfor i in 1 2; do echo $i\nend",
  "alias begin='{' end='}'\nbegin echo a; end",
  "alias p='('\np echo sub)",
  "alias a='b' b='a'\na",
  "alias echo='echo pre '\necho echo echo\nalias word=W\necho word",
  "alias x='echo $(echo in)'\nx out",
  "alias v='A=1 ' c='echo cc'\nv c",
  "alias w='while ' t='false'\nw t; do :; done\necho ok",
  "alias nop=''\nnop echo hi\nnop nop echo ho",
  "alias fn='function'\nfn foo { echo foo; }\nfoo",
  "alias x='y ' y='z ' z='echo ' w='W'\nx w",
  "alias c='case x in x) echo yes;; esac'\nc\nc; c && c",
  "alias l='echo 1 \\\n 2'\nl 3",
  "alias h='cat <<E\nin\nE\n'\necho z",
  "alias r='>/dev/null echo'\nr x\necho y",
  "alias f='echo ${x:-'\nf word}",
  "alias f='echo $('\nf echo word)",
  "alias foo='echo a' bar='echo b'\nfoo\n bar; foo bar\nfoo\tbar",
  'alias ll=\'echo a\'\necho $(ll; echo "$(ll)") <(ll) | wc -w',
]

test.runIf(bashInstalled).each(SCRIPTS)('%s', (script) => {
  const wanted = bash(`shopt -s expand_aliases\n${script}\n`)
  const found = bash(expand(`${script}\n`))
  expect([found.stdout, found.stderr !== '']).toEqual([wanted.stdout, wanted.stderr !== ''])
})

test('in posix mode reserved words come first', () => {
  const script = "alias if='echo IF'\nif a; then b; fi\n"
  expect(expand(script, true)).toBe("alias if='echo IF'\nif a; then\n    b;\nfi\n")
  expect(expand(script)).toContain('does not parse')
})

test('an alias acts from the next complete command on', () => {
  expect(expand("alias a='b'; a\na\n")).toBe("alias a='b'; a\nb\n")
})

test('offsets stay those of the script', () => {
  const parser = createParser('a x\na y; z\n')
  const settings = { alias: (name: string) => (name === 'a' ? 'echo one\necho two' : undefined) }
  const offsets: unknown[] = []
  for (let command = parser.next(settings); command !== null; command = parser.next(settings)) {
    offsets.push([command.end, command.line, printList(command.list)])
  }
  expect(offsets).toEqual([
    [1, 1, 'echo one'],
    [4, 1, 'echo two x'],
    [5, 2, 'echo one'],
    [11, 2, 'echo two y; z'],
  ])
})
