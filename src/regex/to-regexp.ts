import type { CharSet } from './char-set.ts'
import { includesAll, mayOverlap, WORD } from './char-set.ts'
import type { AssertionKind, Node, Pattern } from './node.ts'
import { isNullable, someNode } from './node.ts'

/** A pattern as a RegExp, with what is known of how that behaves. */
export interface Translation {
  /** For unicode mode. */
  readonly source: string
  /** Its matches are the longest ones with the groups POSIX wants; otherwise only whether it matches is right. */
  readonly exact: boolean
  /** How long a text (or line, where no match leaves its line) may be before looking through it can take long. */
  readonly longest: number
  /** It could match nothing inside a pair of surrogates, where V8 looks as well. */
  readonly splitsPairs: boolean
}

/**
 * The pattern as a RegExp; null where it could take exponential time, or says what a RegExp can't.
 * RegExp takes the first way that matches, POSIX the longest: `exact` is claimed only where the two are sure to agree.
 */
export function toRegExp(pattern: Pattern, options: { readonly multiline: boolean }): Translation | null {
  const { node } = pattern
  if (pattern.references && !referencesAreSet(node)) return null
  if (someNode(node, (found) => found.type === 'repeat' && found.max > 1 && isNullable(found.body))) return null
  const positions = new Positions(node)
  const deterministic = !pattern.references && positions.deterministic
  if (!deterministic && someNode(node, (found) => found.type === 'repeat' && found.max > found.min && !isSimple(found.body))) return null
  const spans = (deterministic && emptyLast(node)) || endsFixed(node, options.multiline) || oneVariable(node) || endsInAll(node)
  return {
    source: write(node, options.multiline),
    exact: spans && !groupsGoStale(node),
    longest: longestText(node, deterministic),
    splitsPairs:
      isNullable(node) && someNode(node, (found) => found.type === 'look' || (found.type === 'assertion' && found.kind.includes('word'))),
  }
}

/** Steps that one look through a text may take. */
const STEPS = 1e7

function longestText(node: Node, deterministic: boolean): number {
  const loops = fallibleLoops(node)
  let factor = 1
  for (const spread of loops.bounded) factor *= spread
  const { unbounded } = loops
  if (unbounded === 0 && factor < 1000) return Infinity
  const anchored = startsFixed(node)
  const power = (deterministic && unbounded > 0 ? 1 : unbounded) + (anchored ? 0 : 1)
  return power === 0 ? Infinity : Math.floor((STEPS / (deterministic ? 1 : factor)) ** (1 / power))
}

/** Repetitions with something behind them that may fail: how many have no bound, and the spread of the others. */
function fallibleLoops(node: Node): { unbounded: number; bounded: number[] } {
  const found = { unbounded: 0, bounded: [] as number[] }
  const visit = (part: Node, fallible: boolean): void => {
    if (part.type === 'sequence') {
      let behind = fallible
      for (const inner of part.parts.toReversed()) {
        visit(inner, behind)
        behind ||= !neverFails(inner)
      }
    } else if (part.type === 'choice') {
      for (const option of part.options) visit(option, fallible)
    } else if (part.type === 'repeat') {
      if (part.max === Infinity) found.unbounded += fallible || !isSimple(part.body) ? 1 : 0
      else if (part.max > part.min && (fallible || !isSimple(part.body))) found.bounded.push(part.max - part.min + 1)
      visit(part.body, fallible || part.max > 1)
    } else if (part.type === 'reference') {
      found.unbounded += 1
    } else if ('body' in part) visit(part.body, fallible)
  }
  visit(node, false)
  return found
}

function neverFails(node: Node): boolean {
  return isNullable(node) && !someNode(node, (found) => found.type === 'assertion' || found.type === 'reference' || found.type === 'look')
}

/** One character, with or without groups round it. */
function isSimple(node: Node): boolean {
  return node.type === 'set' || (node.type === 'group' && isSimple(node.body))
}

/** Each back-reference names a group that is sure to have matched: where it hasn't, POSIX fails and RegExp takes nothing. */
function referencesAreSet(node: Node): boolean {
  const wanted = new Set<number>()
  const sure = new Set<number>()
  const visit = (part: Node, always: boolean): void => {
    if (part.type === 'reference') wanted.add(part.index)
    else if (part.type === 'group') {
      if (always) sure.add(part.index)
      visit(part.body, always)
    } else if (part.type === 'sequence') for (const inner of part.parts) visit(inner, always)
    else if (part.type === 'choice') for (const option of part.options) visit(option, false)
    else if (part.type === 'repeat') visit(part.body, always && part.min === 1 && part.max === 1)
  }
  visit(node, true)
  return [...wanted].every((index) => sure.has(index))
}

/** A group in a repetition keeps what an earlier turn matched in POSIX, and forgets it in RegExp: true where that may show. */
function groupsGoStale(node: Node): boolean {
  const optional = (part: Node): boolean => {
    if (part.type === 'choice') return someNode(part, (found) => found.type === 'group')
    if (part.type === 'repeat') return (part.min === 0 && someNode(part, (found) => found.type === 'group')) || optional(part.body)
    if (part.type === 'sequence') return part.parts.some(optional)
    return 'body' in part && optional(part.body)
  }
  return someNode(node, (found) => found.type === 'repeat' && found.max > 1 && optional(found.body))
}

/** An alternative that may match nothing comes after those that can't. */
function emptyLast(node: Node): boolean {
  return !someNode(node, (found) => found.type === 'choice' && found.options.slice(0, -1).some(isNullable))
}

function lastPart(node: Node): Node {
  if (node.type === 'sequence') return lastPart(node.parts.at(-1) as Node)
  return node.type === 'group' ? lastPart(node.body) : node
}

function startsFixed(node: Node): boolean {
  if (node.type === 'sequence') return startsFixed(node.parts[0] as Node)
  if (node.type === 'group') return startsFixed(node.body)
  return node.type === 'assertion' && (node.kind === 'text-start' || node.kind === 'line-start')
}

/** All matches from one start end at the same place: the end of the text, or of the line where no match leaves its line. */
function endsFixed(node: Node, multiline: boolean): boolean {
  const last = lastPart(node)
  if (last.type !== 'assertion') return false
  if (last.kind === 'text-end' || (last.kind === 'line-end' && !multiline)) return true
  return last.kind === 'line-end' && !someNode(node, (found) => found.type === 'set' && found.set.has(10))
}

/** At most one element is of variable length, and that one repeats a single character: the most turns give the longest match. */
function oneVariable(node: Node): boolean {
  let variable = 0
  const visit = (part: Node): void => {
    if (fixedLength(part) >= 0) return
    if (part.type === 'sequence') for (const inner of part.parts) visit(inner)
    else if (part.type === 'group') visit(part.body)
    else variable += part.type === 'repeat' && isSimple(part.body) ? 1 : 2
  }
  visit(node)
  return variable <= 1
}

/** The last element takes everything that any element behind the first free choice could take: all ways end at the same place. */
function endsInAll(node: Node): boolean {
  const last = lastPart(node)
  if (last.type !== 'repeat' || last.max !== Infinity || last.body.type !== 'set') return false
  const all = last.body.set
  if (someNode(node, (found) => found.type === 'choice' || found.type === 'reference')) return false
  let free = false
  let holds = true
  const visit = (part: Node): void => {
    if (part.type === 'sequence') for (const inner of part.parts) visit(inner)
    else if (part.type === 'group') visit(part.body)
    else if (part.type === 'repeat') {
      if (fixedLength(part) < 0) free = true
      if (part.body.type !== 'set' || (part.max !== Infinity && part.max !== part.min)) holds = false
      else if (free && !includesAll(all, part.body.set)) holds = false
    } else if (part.type === 'set') holds &&= !free || includesAll(all, part.set)
    else if (part.type !== 'empty' && !(part.type === 'assertion' && !free)) holds = false
  }
  visit(node)
  return holds
}

/** How many characters the node takes, -1 where that varies. */
function fixedLength(node: Node): number {
  switch (node.type) {
    case 'empty':
    case 'assertion':
    case 'look':
    case 'keep':
      return 0
    case 'set':
      return 1
    case 'sequence':
      return node.parts.reduce((sum, part) => (sum < 0 || fixedLength(part) < 0 ? -1 : sum + fixedLength(part)), 0)
    case 'choice': {
      const first = fixedLength(node.options[0] as Node)
      return node.options.every((option) => fixedLength(option) === first) ? first : -1
    }
    case 'repeat': {
      const one = fixedLength(node.body)
      return node.min === node.max && one >= 0 ? one * node.min : -1
    }
    case 'group':
    case 'atomic':
      return fixedLength(node.body)
    case 'reference':
      return -1
    default:
      return node satisfies never
  }
}

/** Patterns with more characters than this are not looked at closely. */
const MOST_POSITIONS = 200

/** Which characters of the pattern can follow which. Deterministic: after any one, the next character of a text leaves one way only. */
class Positions {
  readonly deterministic: boolean
  readonly #sets: CharSet[] = []
  readonly #follow: Set<number>[] = []
  #ambiguous = false

  constructor(node: Node) {
    const { first } = this.#visit(node)
    this.deterministic =
      !this.#ambiguous && this.#sets.length <= MOST_POSITIONS && [first, ...this.#follow].every((next) => this.#apart([...next]))
  }

  #apart(positions: readonly number[]): boolean {
    return positions.every((a, i) => positions.slice(i + 1).every((b) => !mayOverlap(this.#sets[a] as CharSet, this.#sets[b] as CharSet)))
  }

  #visit(node: Node): { first: Set<number>; last: Set<number>; nullable: boolean } {
    if (this.#sets.length > MOST_POSITIONS) return { first: new Set(), last: new Set(), nullable: true }
    switch (node.type) {
      case 'set': {
        const position = this.#sets.push(node.set) - 1
        this.#follow.push(new Set())
        return { first: new Set([position]), last: new Set([position]), nullable: false }
      }
      case 'sequence': {
        let all = this.#visit(node.parts[0] as Node)
        for (const part of node.parts.slice(1)) {
          const next = this.#visit(part)
          this.#join(all.last, next.first)
          all = {
            first: all.nullable ? new Set([...all.first, ...next.first]) : all.first,
            last: next.nullable ? new Set([...all.last, ...next.last]) : next.last,
            nullable: all.nullable && next.nullable,
          }
        }
        return all
      }
      case 'choice': {
        const options = node.options.map((option) => this.#visit(option))
        return {
          first: new Set(options.flatMap((option) => [...option.first])),
          last: new Set(options.flatMap((option) => [...option.last])),
          nullable: options.some((option) => option.nullable),
        }
      }
      case 'repeat': {
        const body = this.#visit(node.body)
        if (node.max > 1) this.#join(body.last, body.first)
        return { ...body, nullable: body.nullable || node.min === 0 }
      }
      case 'group':
      case 'atomic':
        return this.#visit(node.body)
      default:
        return { first: new Set(), last: new Set(), nullable: true }
    }
  }

  #join(from: ReadonlySet<number>, to: ReadonlySet<number>): void {
    for (const position of from) {
      const follow = this.#follow[position] as Set<number>
      for (const next of to) {
        // Two loops that lead to the same character, as in (a+)+, are a choice as well.
        if (follow.has(next)) this.#ambiguous = true
        follow.add(next)
      }
    }
  }
}

function write(node: Node, multiline: boolean): string {
  switch (node.type) {
    case 'empty':
      return '(?:)'
    case 'set':
      return node.set.source
    case 'sequence':
      return node.parts.map((part) => (part.type === 'choice' ? `(?:${write(part, multiline)})` : write(part, multiline))).join('')
    case 'choice':
      return node.options.map((option) => write(option, multiline)).join('|')
    case 'repeat': {
      const body =
        node.body.type === 'set' || node.body.type === 'group' ? write(node.body, multiline) : `(?:${write(node.body, multiline)})`
      return `${body}${quantifier(node.min, node.max)}${node.lazy === true ? '?' : ''}`
    }
    case 'group':
      return `(${write(node.body, multiline)})`
    case 'reference':
      return `(?:\\${node.index})`
    case 'assertion':
      return writeAssertion(node.kind, multiline)
    case 'look':
      return `(?${node.ahead ? '' : '<'}${node.negated ? '!' : '='}${write(node.body, multiline)})`
    case 'atomic':
    case 'keep':
      return ''
    default:
      return node satisfies never
  }
}

function quantifier(min: number, max: number): string {
  if (max === Infinity) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`
  if (min === 0 && max === 1) return '?'
  return min === max ? `{${min}}` : `{${min},${max}}`
}

function writeAssertion(kind: AssertionKind, multiline: boolean): string {
  const word = WORD.source
  switch (kind) {
    case 'line-start':
      // The `m` flag would take a carriage return for the end of a line.
      return multiline ? '(?:^|(?<=\\n))' : '^'
    case 'line-end':
      return multiline ? '(?=\\n|$)' : '$'
    case 'text-start':
      return '^'
    case 'text-end':
      return '$'
    case 'word-boundary':
      return `(?:(?<=${word})(?!${word})|(?<!${word})(?=${word}))`
    case 'no-word-boundary':
      return `(?:(?<=${word})(?=${word})|(?<!${word})(?!${word}))`
    case 'word-start':
      return `(?<!${word})(?=${word})`
    case 'word-end':
      return `(?<=${word})(?!${word})`
    case 'no-word-before':
      return `(?<!${word})`
    case 'no-word-after':
      return `(?!${word})`
    default:
      return kind satisfies never
  }
}
