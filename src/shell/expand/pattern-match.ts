import { foldCase } from './character-class.ts'
import type { Automaton, AutomatonState } from './pattern-automaton.ts'
import type { PatternElement, PatternSequence } from './pattern-syntax.ts'

const DOT = 0x2e

/** Whether a pattern without groups matches: every star but the last is settled once something behind it has matched. */
export function matchesGlob(sequence: PatternSequence, text: string, nocase: boolean): boolean {
  let element = 0
  let at = 0
  let star = -1
  let resume = 0
  while (at < text.length) {
    const current = sequence[element]
    if (current?.type === 'star') {
      star = element
      element += 1
      resume = at
      continue
    }
    const code = codeAt(text, at)
    if (current !== undefined && matchesOne(current, code, nocase)) {
      element += 1
      at += code > 0xffff ? 2 : 1
      continue
    }
    if (star < 0) return false
    element = star + 1
    if (element === sequence.length) return true
    resume += widthAt(text, resume)
    at = resume
  }
  while (sequence[element]?.type === 'star') element += 1
  return element === sequence.length
}

function matchesOne(element: PatternElement, code: number, nocase: boolean): boolean {
  if (element.type === 'char') return element.code === (nocase ? foldCase(code) : code)
  return element.type === 'any' || (element.type === 'set' && element.test(code))
}

/** Whether the automaton accepts the whole text. */
export function accepts(automaton: Automaton, text: string): boolean {
  return acceptsFrom(automaton, automaton.start, text, 0)
}

/** As `accepts`, of a name that starts with a dot which only a dot of the pattern may match. */
export function acceptsHidden(automaton: Automaton, name: string): boolean {
  return acceptsFrom(automaton, automaton.explicit(DOT), name, 1)
}

function acceptsFrom(automaton: Automaton, start: AutomatonState, text: string, from: number): boolean {
  let state = start
  for (let at = from; at < text.length && !state.dead; ) {
    const code = codeAt(text, at)
    state = automaton.step(state, code)
    at += code > 0xffff ? 2 : 1
  }
  return state.accepting
}

/** End of the match that starts at `from`, -1 when none. */
export function matchEnd(automaton: Automaton, text: string, from: number, longest: boolean): number {
  let state = automaton.start
  let end = state.accepting ? from : -1
  if (!longest && end >= 0) return end
  for (let at = from; at < text.length; ) {
    const code = codeAt(text, at)
    state = automaton.step(state, code)
    if (state.dead) break
    at += code > 0xffff ? 2 : 1
    if (!state.accepting) continue
    end = at
    if (!longest) break
  }
  return end
}

/** Start of the match that ends the text, -1 when none; the automaton is a reversed one. */
export function matchStart(automaton: Automaton, text: string, longest: boolean): number {
  let state = automaton.start
  let start = state.accepting ? text.length : -1
  if (!longest && start >= 0) return start
  for (let at = text.length; at > 0; ) {
    const code = codeBefore(text, at)
    state = automaton.step(state, code)
    if (state.dead) break
    at -= code > 0xffff ? 2 : 1
    if (!state.accepting) continue
    start = at
    if (!longest) break
  }
  return start
}

/** The last text looked through, so that replacing all matches looks through it once. */
let scanned: { automaton: Automaton; text: string; starts: Uint8Array } | null = null

/** 1 at every offset where a match starts; the automaton is a reversed and floating one. */
export function startsOf(automaton: Automaton, text: string): Uint8Array {
  if (scanned !== null && scanned.automaton === automaton && scanned.text === text) return scanned.starts
  const starts = new Uint8Array(text.length + 1)
  let state = automaton.start
  if (state.accepting) starts[text.length] = 1
  for (let at = text.length; at > 0; ) {
    const code = codeBefore(text, at)
    state = automaton.step(state, code)
    at -= code > 0xffff ? 2 : 1
    if (state.accepting) starts[at] = 1
  }
  scanned = { automaton, text, starts }
  return starts
}

function codeAt(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit < 0xd800 || unit > 0xdbff ? unit : (text.codePointAt(at) as number)
}

function codeBefore(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1)
  if (unit < 0xdc00 || unit > 0xdfff || at < 2) return unit
  const before = text.charCodeAt(at - 2)
  return before < 0xd800 || before > 0xdbff ? unit : (text.codePointAt(at - 2) as number)
}

/** Code units of the character at `at`. */
export function widthAt(text: string, at: number): number {
  return codeAt(text, at) > 0xffff ? 2 : 1
}
