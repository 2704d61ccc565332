import { describe, expect, test } from 'vitest'
import type { Assignment, Command, SimpleCommand, Word, WordPart } from '../../../src/shell/syntax/ast.ts'
import { errorOf, parse } from './reference.ts'

function command(script: string): SimpleCommand {
  const found = parse(script).items[0]?.first.stages[0]?.command as Command
  if (found.type !== 'simple') throw new Error(`${script} is no simple command`)
  return found
}

function word(text: string): Word {
  return command(`echo ${text}`).words[1] as Word
}

/** A short form of parts: `text` unquoted, `'text'` quoted, `"…"`, and the type of everything else with what matters of it. */
function short(parts: readonly WordPart[]): string {
  return parts
    .map((part) => {
      switch (part.type) {
        case 'text':
          return part.quoted ? `'${part.text}'` : part.text
        case 'double':
          return `"${short(part.parts)}"`
        case 'tilde':
          return `<tilde ${part.user}>`
        case 'bad':
          return `<bad ${part.raw}>`
        case 'arithmetic':
          return `<arithmetic ${short(part.expression.parts)}>`
        case 'command':
          return `<command ${typeof part.body === 'string' ? part.body : part.body.items.length}>`
        case 'process':
          return `<process ${part.direction} ${part.body.items.length}>`
        default:
          return parameter(part)
      }
    })
    .join('|')
}

function parameter(part: WordPart & { type: 'parameter' }): string {
  const { name, subscript, operation, indirect } = part
  const index = subscript === null ? '' : `[${typeof subscript === 'string' ? subscript : short(subscript.parts)}]`
  const words: string[] = []
  for (const [key, value] of Object.entries(operation ?? {})) {
    const text = typeof value === 'object' && value !== null ? short((value as Word).parts) : String(value)
    words.push(key === 'type' ? text : `${key}=${text}`)
  }
  return `<${indirect ? '!' : ''}${name}${index}${words.length > 0 ? ` ${words.join(' ')}` : ''}>`
}

test.each([
  ['plain-word', 'plain-word'],
  [`a'b'"c"\\d`, `a|'b'|"'c'"|'d'`],
  [`'a''b'\\c`, `'abc'`],
  [`''`, `''`],
  [`x''`, `x|''`],
  [`""`, '""'],
  [`a""b`, 'a|""|b'],
  ['a\\\nb', 'ab'],
  ['"a\\\nb"', `"'ab'"`],
  ['"\\$ \\` \\" \\\\ \\a"', `"'$ \` " \\ \\a'"`],
  [`$'a\\tb\\'\\x41\\u00e9\\101\\cA\\e'`, `'a\tb'A\u00e9A\u0001\u001b'`],
  [`$'\\xc3\\xa9\\xff'`, `'\u00e9\udcff'`],
  // The second half of the character looks like \xc3, which isn't joined with what follows.
  [`$'\\U0001f0c3\\xa9'`, `'\u{1f0c3}\udca9'`],
  [`$'a\\0b'c`, `'a'|c`],
  [`$"a $b"`, `"'a '|<b>"`],
  ['$', '$'],
  ['a$', 'a$'],
  ['$%', '$%'],
  ['"$"', `"'$'"`],
  [`"$'a'"`, `"'$'a''"`],
  ['$a$b_1-c', '<a>|<b_1>|-c'],
  ['$1$12$@$*$#$?$-$$$!$0', '<1>|<1>|2|<@>|<*>|<#>|<?>|<->|<$>|<!>|<0>'],
  ['${a}${10}${@}${#}', '<a>|<10>|<@>|<#>'],
  ['${#a} ', '<a length>'],
  ['${#a[@]}${#a[1]}${##}${#?}${#@}', '<a[@] length>|<a[1] length>|<# length>|<? length>|<@ length>'],
  ['${##x}${#-x}${#:-x}', "<# remove side=prefix longest=false pattern=x>|<# default colon=false word=x>|<# default colon=true word=x>"],
  ['${!a}${!a@}${!a*}${!a[@]}${!a[*]}${!#}${!}', '<!a>|<a names joined=false>|<a names joined=true>|<a keys joined=false>|<a keys joined=true>|<!#>|<!>'],
  ['${!a[1]}${!a:-b}', '<!a[1]>|<!a default colon=true word=b>'],
  ['${a[1+2]}${a[$b]}${a[@]}${a["x y"]}', `<a[1+2]>|<a[<b>]>|<a[@]>|<a["'x y'"]>`],
  ['${a-b}${a:=b}${a:?b}${a+b}', '<a default colon=false word=b>|<a assign colon=true word=b>|<a error colon=true word=b>|<a alternate colon=false word=b>'],
  ["${a-'b'}", "<a default colon=false word='b'>"],
  ["\"${a-'b'}\"", "\"<a default colon=false word=''b''>\""],
  ['"${a-"b c"}"', `"<a default colon=false word='b c'>"`],
  ['"${a-\\}\\"\\q}"', `"<a default colon=false word='}"\\q'>"`],
  ["\"${a-'}'}\"", "\"<a default colon=false word=''}''>\""],
  ["\"${a#'b'}\"", `"<a remove side=prefix longest=false pattern='b'>"`],
  ['${a-b c;d|e}', '<a default colon=false word=b c;d|e>'],
  ['${a-~}${a-b:~}"${a-~}"', `<a default colon=false word=<tilde >>|<a default colon=false word=b:~>|"<a default colon=false word='~'>"`],
  ['${a##*/}${a%.*}${a%%"$b"}', '<a remove side=prefix longest=true pattern=*/>|<a remove side=suffix longest=false pattern=.*>|<a remove side=suffix longest=true pattern="<b>">'],
  ['${a/b/c}', '<a replace where=first pattern=b replacement=c>'],
  ['${a//b}', '<a replace where=all pattern=b replacement=null>'],
  ['${a/#b/c}${a/%b/}', '<a replace where=prefix pattern=b replacement=c>|<a replace where=suffix pattern=b replacement=>'],
  ['${a////x}', '<a replace where=all pattern=/ replacement=x>'],
  ['${a//\\//x}', `<a replace where=all pattern='/' replacement=x>`],
  ['${a/"/"/\'x\'}', `<a replace where=first pattern="'/'" replacement='x'>`],
  ['${a:1}${a:1:2}${a: -1}', `<a slice offset='1' length=null>|<a slice offset='1' length='2'>|<a slice offset=' -1' length=null>`],
  ['${a:b?1:2:3}${a:(c):$d}', `<a slice offset='b?1:2' length='3'>|<a slice offset='(c)' length=<d>>`],
  ['${a::2}', `<a slice offset= length='2'>`],
  ['${a^}${a^^[a-c]}${a,,}${a~}', '<a case to=upper all=false pattern=null>|<a case to=upper all=true pattern=[a-c]>|<a case to=lower all=true pattern=null>|<a case to=toggle all=false pattern=null>'],
  ['${a@Q}${a[@]@A}', '<a transform letter=Q>|<a[@] transform letter=A>'],
  ['${}', '<bad ${}>'],
  ['${a b}x', '<bad ${a b}>|x'],
  ['${a@Z}${a:}${a[]}${#a:-b}', '<bad ${a@Z}>|<bad ${a:}>|<bad ${a[]}>|<bad ${#a:-b}>'],
  ['${${a}}', '<bad ${${a}}>'],
  ['$((1 + $a * (2)))', `<arithmetic '1 + '|<a>|' * (2)'>`],
  ['$[1+a[2]]', `<arithmetic '1+a[2]'>`],
  ['$(("1"+\\$a))', `<arithmetic '1+$a'>`],
  ['$(a; b)$()', '<command 2>|<command 0>'],
  ['$((a); b)', '<command 2>'],
  ['$((a) b)', '<command (a) b>'],
  ['$(<file)', '<command 1>'],
  ['`a \\`b\\` \\$c \\\\d "\\e"`', '<command a `b` $c \\d "\\e">'],
  ['`a \\\nb`', '<command a b>'],
  ['"`echo \\"a\\"`"', '"<command echo "a">"'],
  ['<(a)x>(b)', '<process < 1>|x|<process > 1>'],
  ['~ ', '<tilde >'],
  ['~user/a', '<tilde user>|/a'],
  ['~+/x', '<tilde +>|/x'],
  ['~-1', '<tilde -1>'],
  ['~:a', '<tilde >|:a'],
  ['a~ ', 'a~'],
  ['~"a"', `~|"'a'"`],
  ['~$a', '~|<a>'],
  ['\\~', `'~'`],
  ['a=~:~/b', 'a=|<tilde >|:|<tilde >|/b'],
  ['--a=~', '--a=~'],
  ['a:~', 'a:~'],
  ['{a,b}{1..3}', '{a,b}{1..3}'],
  ['\\{a,b}', `'{'|a,b}`],
  ['a#b', 'a#b'],
])('echo %s', (text, expected) => {
  expect(short(word(text).parts)).toBe(expected)
}) // biome-ignore format: one word a line

describe('assignments', () => {
  function assignment(text: string): string {
    const found = command(text).assignments[0] as Assignment
    const { name, subscript, append, value } = found
    const elements =
      value.type === 'array'
        ? value.elements.map((element) => {
            const index = element.subscript === null ? '' : `[${short(element.subscript.parts)}]${element.append ? '+=' : '='}`
            return index + short(element.value.parts)
          })
        : null
    const index = subscript === null ? '' : `[${short(subscript.parts)}]`
    return `${name}${index}${append ? '+=' : '='}${elements === null ? short((value as Word).parts) : `(${elements.join(' ')})`}`
  }

  test.each([
    ['a=', 'a='],
    ['a=b', 'a=b'],
    ['a+=b', 'a+=b'],
    ['a="b c"', `a="'b c'"`],
    ['a[1 + 2]=b', 'a[1 + 2]=b'],
    ['a[$(x)]+=b', 'a[<command 1>]+=b'],
    ['a["x y"]=b', `a["'x y'"]=b`],
    ['a=~:b:~c', 'a=<tilde >|:b:|<tilde c>'],
    ['a=b=~', 'a=b=~'],
    ['a=()', 'a=()'],
    ['a=(1 "2 3" $x)', `a=(1 "'2 3'" <x>)`],
    ['a+=(\n1 # one\n\n2\n)', 'a+=(1 2)'],
    ['a=([x]=1 [y z]+=2 [q] [r s]t)', 'a=([x]=1 [y z]+=2 [q] [r s]t)'],
  ])('%s', (text, expected) => {
    expect(assignment(text)).toBe(expected)
  })

  test('what only looks like one is a word', () => {
    for (const text of ['1a=b', 'a-b=c', '"a"=b', 'a\\=b', '$a=b', 'a[1]b=c', '=a']) expect(command(text).assignments).toEqual([])
  })

  test('arguments of declare and its kin', () => {
    const { words } = command('declare -a a=(1 2) b[1]=~ c+=$d e "f=g"')
    expect(words.map((found) => [found.raw, found.assignment?.name ?? null])).toEqual([
      ['declare', null],
      ['-a', null],
      ['a=(1 2)', 'a'],
      ['b[1]=~', 'b'],
      ['c+=$d', 'c'],
      ['e', null],
      ['"f=g"', null],
    ])
    expect(words[2]?.parts).toEqual([])
    expect(short(words[3]?.parts ?? [])).toBe('b[1]=|<tilde >')
    expect(words[4]?.assignment?.append).toBe(true)
    for (const start of [
      'export',
      'readonly',
      'typeset',
      'local',
      'command export',
      'builtin local',
      'command -p export',
      'x=1 >f export',
    ]) {
      expect(command(`${start} a=b`).words.at(-1)?.assignment?.name).toBe('a')
    }
    for (const start of ['echo', 'env', '\\export', 'command echo'])
      expect(command(`${start} a=b`).words.at(-1)?.assignment).toBeUndefined()
    expect(errorOf('command declare a=(1)')?.message).toBe("syntax error near unexpected token `('")
    expect(short(command('eval a=(1 $x [2]=3)').words[1]?.parts ?? [])).toBe('a=(1 |<x>| [2]=3)')
  })
})

test('raw is the text as bash keeps it', () => {
  const cases = {
    'a\\\nb': 'ab',
    '$( a;b )': '$(a; b)',
    "$'a\\tb'": "'a\tb'",
    '$"x"': '"x"',
    '"$( a  b )${c:-$(d;  e)}"': '"$(a b)${c:-$(d; e)}"',
    '$( (a) )': '$( ( a ))',
    '$((  1 ))': '$((  1 ))',
    '`a;  b`': '`a;  b`',
    '<( a  b )': '<(a b)',
    "a'b'\\c": "a'b'\\c",
  }
  for (const [text, raw] of Object.entries(cases)) expect(word(text).raw).toBe(raw)
  expect(command('a=(1   2\n3) b').assignments[0]?.raw).toBe('a=(1 2 3)')
})
