import type { CharSet } from './char-set.ts'

/** A parsed pattern. */
export type Node =
  | { readonly type: 'empty' }
  | { readonly type: 'set'; readonly set: CharSet }
  | { readonly type: 'sequence'; readonly parts: readonly Node[] }
  | { readonly type: 'choice'; readonly options: readonly Node[] }
  | { readonly type: 'repeat'; readonly body: Node; readonly min: number; readonly max: number; readonly lazy?: boolean }
  | { readonly type: 'group'; readonly index: number; readonly body: Node }
  | { readonly type: 'reference'; readonly index: number }
  | { readonly type: 'assertion'; readonly kind: AssertionKind }
  | { readonly type: 'look'; readonly ahead: boolean; readonly negated: boolean; readonly body: Node }
  | { readonly type: 'atomic'; readonly body: Node }
  /** The match counts as starting here (`\K`). */
  | { readonly type: 'keep' }

/** What may be asked of a place between two characters. */
export type AssertionKind =
  | 'line-start'
  | 'line-end'
  | 'text-start'
  | 'text-end'
  | 'word-boundary'
  | 'no-word-boundary'
  | 'word-start'
  | 'word-end'
  | 'no-word-before'
  | 'no-word-after'

/** A pattern with what is known of it as a whole. */
export interface Pattern {
  readonly node: Node
  /** How many groups it captures. */
  readonly groups: number
  /** It has back-references. */
  readonly references: boolean
}

/** True where the node can match nothing at all. */
export function isNullable(node: Node): boolean {
  switch (node.type) {
    case 'empty':
    case 'assertion':
    case 'look':
    case 'keep':
    case 'reference':
      return true
    case 'set':
      return false
    case 'sequence':
      return node.parts.every(isNullable)
    case 'choice':
      return node.options.some(isNullable)
    case 'repeat':
      return node.min === 0 || isNullable(node.body)
    case 'group':
    case 'atomic':
      return isNullable(node.body)
    default:
      return node satisfies never
  }
}

/** The text that a node made of single characters stands for; null for another one. */
export function literalText(node: Node): string | null {
  const parts = node.type === 'sequence' ? node.parts : [node]
  let text = ''
  for (const part of parts) {
    if (part.type !== 'set' || part.set.only < 0) return null
    text += String.fromCodePoint(part.set.only)
  }
  return text === '' ? null : text
}

/** True where the predicate holds for the node or any below it. */
export function someNode(node: Node, holds: (node: Node) => boolean): boolean {
  if (holds(node)) return true
  if (node.type === 'sequence') return node.parts.some((part) => someNode(part, holds))
  if (node.type === 'choice') return node.options.some((option) => someNode(option, holds))
  return 'body' in node && someNode(node.body, holds)
}

/** The nodes one after the other, nested sequences and empties taken apart. */
export function sequence(parts: readonly Node[]): Node {
  const flat = parts.flatMap((part) => (part.type === 'sequence' ? part.parts : part.type === 'empty' ? [] : [part]))
  if (flat.length === 0) return { type: 'empty' }
  return flat.length === 1 ? (flat[0] as Node) : { type: 'sequence', parts: flat }
}

/** The node with each node below it, and then itself, put through `change`. */
export function rewrite(node: Node, change: (node: Node) => Node): Node {
  switch (node.type) {
    case 'sequence':
      return change(sequence(node.parts.map((part) => rewrite(part, change))))
    case 'choice':
      return change({ ...node, options: node.options.map((option) => rewrite(option, change)) })
    case 'repeat':
    case 'group':
    case 'look':
    case 'atomic':
      return change({ ...node, body: rewrite(node.body, change) })
    default:
      return change(node)
  }
}
