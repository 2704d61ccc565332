import type { Automaton } from './automaton.ts'
import { DEAD, Edge, END } from './automaton.ts'

/** Where the longest match that starts at `from` ends; -1 where none does. */
export function longestEnd(automaton: Automaton, text: string, from: number): number {
  return scan(automaton, text, from, false)
}

/** Where the first match to end does so, of those at or after `from`, by an automaton that looks anywhere; -1 where there is none. */
export function firstEnd(automaton: Automaton, text: string, from: number): number {
  return scan(automaton, text, from, true)
}

/** One byte a place in the text (its end included): 1 where a match starts, by an automaton that reads backwards and looks anywhere. */
export function matchStarts(automaton: Automaton, text: string): Uint8Array {
  const starts = new Uint8Array(text.length + 1)
  const { ascii } = automaton
  let state = automaton.start(Edge.TEXT)
  let { table, stride } = automaton
  for (let at = text.length; ; ) {
    let width = 1
    let kind: number = END
    if (at > 0) {
      let point = text.charCodeAt(at - 1)
      if (point < 128) kind = ascii[point] as number
      else {
        if (point >= 0xdc00 && point <= 0xdfff && at > 1 && isHigh(text.charCodeAt(at - 2))) {
          width = 2
          point = text.codePointAt(at - 2) as number
        }
        kind = automaton.classOf(point)
        if (automaton.stride !== stride) {
          state = automaton.renumber(state, stride)
          ;({ table, stride } = automaton)
        }
      }
    }
    let next = table[state + kind] as number
    if (next <= DEAD) {
      if (next === 0) {
        next = automaton.take(state, kind)
        table = automaton.table
      }
      if (next < 0) {
        starts[at] = 1
        next = -next
      }
      if (next === DEAD) return starts
    }
    if (at === 0) return starts
    state = next
    at -= width
  }
}

function scan(automaton: Automaton, text: string, from: number, first: boolean): number {
  const { ascii } = automaton
  const { length } = text
  let state = automaton.start(edgeBefore(automaton, text, from))
  let { table, stride } = automaton
  let end = -1
  for (let at = from; ; ) {
    let width = 1
    let kind: number = END
    if (at < length) {
      let point = text.charCodeAt(at)
      if (point < 128) kind = ascii[point] as number
      else {
        if (isHigh(point)) {
          point = text.codePointAt(at) as number
          if (point > 0xffff) width = 2
        }
        kind = automaton.classOf(point)
        if (automaton.stride !== stride) {
          state = automaton.renumber(state, stride)
          ;({ table, stride } = automaton)
        }
      }
    }
    let next = table[state + kind] as number
    if (next <= DEAD) {
      if (next === 0) {
        next = automaton.take(state, kind)
        table = automaton.table
      }
      if (next < 0) {
        end = at
        if (first) return end
        next = -next
      }
      if (next === DEAD) return end
    }
    if (at >= length) return end
    state = next
    at += width
  }
}

function edgeBefore(automaton: Automaton, text: string, at: number): number {
  if (at === 0) return Edge.TEXT
  const last = text.charCodeAt(at - 1)
  const paired = last >= 0xdc00 && last <= 0xdfff && at > 1 && isHigh(text.charCodeAt(at - 2))
  return automaton.edgeOf(paired ? (text.codePointAt(at - 2) as number) : last)
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
