/**
 * The tree of a parsed script. Plain data. `line` is the 1-based line of the first token, as LINENO counts.
 * Every word keeps its source text in `raw`, so that printing a tree gives back each word as it was written.
 */

/** Items that run one after another. */
export interface List {
  readonly items: readonly ListItem[]
}

export interface ListItem {
  readonly first: Pipeline
  /** `&&` and `||` bind equally and to the left. */
  readonly rest: readonly { readonly operator: '&&' | '||'; readonly pipeline: Pipeline }[]
  /** Ended by `&`. */
  readonly background: boolean
}

export interface Pipeline {
  readonly negated: boolean
  readonly timed: 'no' | 'time' | 'time -p'
  /** At least one, but for a bare `!` or `time`. */
  readonly stages: readonly Stage[]
  readonly line: number
}

export interface Stage {
  readonly command: Command
  /** Joined to the next stage by `|&`: its standard error goes into the pipe too. */
  readonly errorsToo: boolean
}

export type Command =
  | SimpleCommand
  | Subshell
  | Group
  | If
  | For
  | ArithmeticFor
  | While
  | Case
  | Select
  | ArithmeticCommand
  | TestCommand
  | FunctionDefinition
  | Coprocess

interface Node {
  readonly line: number
  readonly redirects: readonly Redirect[]
}

export interface SimpleCommand extends Node {
  readonly type: 'simple'
  readonly assignments: readonly Assignment[]
  readonly words: readonly Word[]
}
/** `( list )` */
export interface Subshell extends Node {
  readonly type: 'subshell'
  readonly body: List
}
/** `{ list; }` */
export interface Group extends Node {
  readonly type: 'group'
  readonly body: List
}
export interface If extends Node {
  readonly type: 'if'
  /** `if` and each `elif`. */
  readonly clauses: readonly { readonly test: List; readonly body: List }[]
  readonly otherwise: List | null
}
export interface For extends Node {
  readonly type: 'for'
  readonly name: string
  /** null: no `in`, over "$@". */
  readonly words: readonly Word[] | null
  readonly body: List
}
/** `for ((init; test; step))`; a part left out is null. */
export interface ArithmeticFor extends Node {
  readonly type: 'arithmetic-for'
  readonly init: Word | null
  readonly test: Word | null
  readonly step: Word | null
  readonly body: List
}
export interface While extends Node {
  readonly type: 'while'
  readonly until: boolean
  readonly test: List
  readonly body: List
}
export interface Case extends Node {
  readonly type: 'case'
  readonly word: Word
  readonly clauses: readonly CaseClause[]
}
export interface CaseClause {
  readonly patterns: readonly Word[]
  readonly body: List
  readonly terminator: ';;' | ';&' | ';;&'
}
export interface Select extends Node {
  readonly type: 'select'
  readonly name: string
  readonly words: readonly Word[] | null
  readonly body: List
}
/** `(( expression ))` */
export interface ArithmeticCommand extends Node {
  readonly type: 'arithmetic'
  readonly expression: Word
}
/** `[[ expression ]]` */
export interface TestCommand extends Node {
  readonly type: 'test'
  readonly expression: TestExpression
}
export interface FunctionDefinition extends Node {
  readonly type: 'function'
  readonly name: string
  /** Any compound command; redirections written after it belong to it. */
  readonly body: Command
  /** Written with the word `function`. */
  readonly keyword: boolean
}
export interface Coprocess extends Node {
  readonly type: 'coproc'
  /** `COPROC` when left out. */
  readonly name: string
  readonly body: Command
}

export type TestExpression =
  | { readonly type: 'word'; readonly word: Word }
  | { readonly type: 'unary'; readonly operator: string; readonly word: Word }
  | { readonly type: 'binary'; readonly operator: string; readonly left: Word; readonly right: Word }
  | { readonly type: 'not'; readonly operand: TestExpression }
  | { readonly type: 'and' | 'or'; readonly operands: readonly TestExpression[] }
  /** `( expression )`, kept so that printing gives it back. */
  | { readonly type: 'parens'; readonly operand: TestExpression }

/** `name=value`, `name+=value`, `name[subscript]=value`, `name=(…)` */
export interface Assignment {
  readonly name: string
  readonly subscript: Word | null
  readonly append: boolean
  readonly value: Word | ArrayLiteral
  readonly raw: string
}
export interface ArrayLiteral {
  readonly type: 'array'
  readonly elements: readonly ArrayElement[]
}
export interface ArrayElement {
  /** `[subscript]=value`; null for a plain value. */
  readonly subscript: Word | null
  readonly append: boolean
  readonly value: Word
}

export interface Redirect {
  /** Descriptor it acts on: a number, `{name}`, or null for the operator's own (0 for input, 1 for output, 1 and 2 for `&>`). */
  readonly descriptor: number | { readonly variable: string } | null
  readonly operator: '<' | '>' | '>>' | '>|' | '<>' | '<&' | '>&' | '&>' | '&>>' | '<<<' | '<<' | '<<-'
  /** What follows the operator; for a here-document its delimiter as written. */
  readonly target: Word
  /** For `<<` and `<<-`. */
  readonly hereDocument: HereDocument | null
  readonly line: number
}
export interface HereDocument {
  /** The delimiter without its quotes. */
  readonly delimiter: string
  /** The delimiter was quoted: the body is taken as it stands. */
  readonly quoted: boolean
  /** The body, expanded as inside double quotes; `raw` is its text with leading tabs of `<<-` already gone. */
  readonly body: Word
}

/** A shell word, or a text that is expanded like one (arithmetic, subscripts, patterns, here-document bodies). */
export interface Word {
  readonly type: 'word'
  readonly parts: readonly WordPart[]
  readonly raw: string
  /**
   * Set on an argument of `declare`, `typeset`, `local`, `export`, `readonly` (also behind `command` and `builtin`)
   * that reads as an assignment; the parts are then those of the whole text (none where it is an array literal).
   */
  readonly assignment?: Assignment
}

export type WordPart =
  | Text
  | DoubleQuoted
  | ParameterExpansion
  | CommandSubstitution
  | ArithmeticExpansion
  | ProcessSubstitution
  | Tilde
  | BadSubstitution

/** Characters as they are meant: backslashes, '…' and $'…' are decoded. `quoted` ones are never split, globbed or brace-expanded. */
export interface Text {
  readonly type: 'text'
  readonly text: string
  readonly quoted: boolean
}
/** `"…"` or `$"…"`; texts inside are quoted. Also with no parts: `""` makes an empty field. */
export interface DoubleQuoted {
  readonly type: 'double'
  readonly parts: readonly WordPart[]
}
/** `$(…)` */
export interface CommandSubstitution {
  readonly type: 'command'
  /** The parsed body; for a backquoted one its text with the backslashes resolved, to be parsed when it runs, as bash does. */
  readonly body: List | string
  /** Line of the body's first character. */
  readonly line: number
}
/** `$((…))` or `$[…]`: the text is expanded as inside double quotes, then evaluated. */
export interface ArithmeticExpansion {
  readonly type: 'arithmetic'
  readonly expression: Word
}
/** `<(…)` or `>(…)` */
export interface ProcessSubstitution {
  readonly type: 'process'
  readonly direction: '<' | '>'
  readonly body: List
}
/** An unquoted `~` or `~user` where tilde expansion applies; `user` is '' for `~`, `+`, `-` for those, digits for the directory stack. */
export interface Tilde {
  readonly type: 'tilde'
  readonly user: string
}
/** `${…}` that makes no sense: an error when it is expanded, as in bash. `raw` is the whole of it. */
export interface BadSubstitution {
  readonly type: 'bad'
  readonly raw: string
}

export interface ParameterExpansion {
  readonly type: 'parameter'
  /** A variable's name, a position (`1`, `12`), or one of `@ * # ? - $ ! 0`. */
  readonly name: string
  /** Written between the brackets; `@` and `*` unquoted mean all elements. */
  readonly subscript: '@' | '*' | Word | null
  readonly operation: ParameterOperation | null
  /** `${!name…}`: the value names the parameter. (`${!name@}` and `${!name[@]}` are operations instead.) */
  readonly indirect: boolean
  /** Written with braces. */
  readonly braced: boolean
}

export type ParameterOperation =
  | { readonly type: 'length' }
  /** `:-` `-`, `:=` `=`, `:?` `?`, `:+` `+`; `colon` when empty counts as unset. */
  | { readonly type: 'default' | 'assign' | 'error' | 'alternate'; readonly colon: boolean; readonly word: Word }
  | { readonly type: 'remove'; readonly side: 'prefix' | 'suffix'; readonly longest: boolean; readonly pattern: Word }
  | {
      readonly type: 'replace'
      readonly where: 'first' | 'all' | 'prefix' | 'suffix'
      readonly pattern: Word
      readonly replacement: Word | null
    }
  | { readonly type: 'slice'; readonly offset: Word; readonly length: Word | null }
  | { readonly type: 'case'; readonly to: 'upper' | 'lower' | 'toggle'; readonly all: boolean; readonly pattern: Word | null }
  /** `@Q`, `@E`, `@P`, `@A`, `@K`, `@k`, `@a`, `@U`, `@u`, `@L` */
  | { readonly type: 'transform'; readonly letter: string }
  /** `${!prefix@}`, `${!prefix*}` */
  | { readonly type: 'names'; readonly joined: boolean }
  /** `${!name[@]}`, `${!name[*]}` */
  | { readonly type: 'keys'; readonly joined: boolean }
