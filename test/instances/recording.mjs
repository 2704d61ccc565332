import { conflictName, effectsOf, INITIAL, isUnique } from './lines.mjs'

/**
 * What an instance says of a line: how it ended, or why it did not run.
 * @typedef {{ stdout: string, exitCode: number, durability: 'committed' | 'pending', conflicts: readonly string[], outdated: boolean, cause: string | null }} Ended
 * @typedef {{ failed: string }} Failed
 */

/**
 * One line that an instance was told to run, on the clock of who told it. `answer` is null where the instance was killed before it said anything.
 * @typedef {object} Recorded
 * @property {string} instance
 * @property {import('./lines.mjs').Line} line
 * @property {number} begin
 * @property {number} end
 * @property {Ended | Failed | null} answer
 */

/**
 * What became of a line. `atomic`: the session did not change between what it ran on and its commit. `settled`: when it was known to be in the store.
 * @typedef {{ recorded: Recorded, settled: number, atomic: (variable: string, unique: boolean) => boolean }} Fate
 */

/** What was recorded in a run. Lines that an instance ran on one session are in their order. */
export class Recording {
  /** @type {Recorded[]} */
  lines = []
  /** When an instance had brought everything to the store. @type {Map<string, number>} */
  flushed = new Map()

  /** @returns {readonly Fate[]} of the lines that ran, or may have run */
  fates() {
    /** @type {Map<string, Recorded[]>} */
    const runs = new Map()
    for (const recorded of this.lines) {
      const key = JSON.stringify([recorded.instance, recorded.line.session])
      const run = runs.get(key)
      if (run === undefined) runs.set(key, [recorded])
      else run.push(recorded)
    }
    return [...runs.values()].flatMap((run) => this.#fatesOf(run))
  }

  /** How lines ended. */
  counts() {
    const counts = { lines: this.lines.length, committed: 0, pending: 0, conflicts: 0, outdated: 0, failed: 0, killed: 0 }
    for (const { answer } of this.lines) {
      if (answer === null) counts.killed += 1
      else if ('failed' in answer) counts.failed += 1
      else {
        counts[answer.durability] += 1
        if (answer.conflicts.length > 0) counts.conflicts += 1
        if (answer.outdated) counts.outdated += 1
      }
    }
    return counts
  }

  /** One line after the other, of one instance on one session. */
  #fatesOf(run) {
    const fates = []
    let settled = this.flushed.get(run[0].instance) ?? Number.POSITIVE_INFINITY
    /** What the results from the line to the one that settled it say. */
    let said = { conflicts: new Set(), outdated: false }
    for (const recorded of [...run].reverse()) {
      const { answer } = recorded
      if (answer === null) {
        fates.push({ recorded, settled: Number.POSITIVE_INFINITY, atomic: () => true })
        continue
      }
      if ('failed' in answer) continue
      if (answer.durability === 'committed') {
        settled = recorded.end
        said = { conflicts: new Set(), outdated: false }
      }
      said = { conflicts: new Set([...said.conflicts, ...answer.conflicts]), outdated: said.outdated || answer.outdated }
      const { conflicts, outdated } = said
      const atomic = (variable, unique) => !conflicts.has(conflictName(variable)) && (unique || !outdated)
      fates.push({ recorded, settled, atomic })
    }
    return fates.reverse()
  }
}

/**
 * The operations of the checker, by session and variable.
 *
 * A line that was committed and ran on what the session was then is one operation. Where the session had moved on, what it read is from
 * before, and what it wrote stands all the same: two operations, unless the result names no conflict of the variable and the value is like no other. What
 * a line read that was kept waiting for the store is not looked at, what it wrote is.
 * @param {readonly Fate[]} fates
 */
export function operationsByVariable(fates) {
  /** @type {Map<string, { initial: string, operations: import('./linearizability.mjs').Operation[] }>} */
  const variables = new Map()
  for (const fate of fates) {
    for (const { variable, ...operation } of operationsOf(fate)) {
      const key = `${fate.recorded.line.session} ${variable}`
      const known = variables.get(key)
      if (known === undefined) variables.set(key, { initial: INITIAL[variable], operations: [operation] })
      else known.operations.push(operation)
    }
  }
  for (const [key, { operations }] of variables)
    if (key.endsWith(' b')) operations.push(...diedCopying(fates, key.slice(0, -2), operations))
  return variables
}

/** What instances that were killed may have copied to `b` of a session: what others found there and nobody else left. */
function diedCopying(fates, session, operations) {
  const left = new Set([undefined, INITIAL.b, ...operations.map(({ sets }) => sets)])
  const found = new Set(operations.map(({ sees }) => sees).filter((value) => !left.has(value)))
  const died = fates.filter(({ recorded: { line, answer } }) => line.session === session && line.kind === 'copy' && answer === null)
  return died.flatMap(({ recorded: { begin, instance, line } }) => {
    const label = `${instance}  ${line.text}  never answered`
    return Array.from(found, (sets) => ({ begin, end: Number.POSITIVE_INFINITY, certain: false, sets, label }))
  })
}

function operationsOf({ recorded, settled, atomic }) {
  const { line, instance, begin, answer } = recorded
  const pending = answer?.durability === 'pending'
  const label = `${instance}  ${line.text}  ${answer === null ? 'never answered' : described(answer)}`
  const certain = settled !== Number.POSITIVE_INFINITY
  return effectsOf(line, answer?.stdout ?? null).flatMap(({ variable, sees, seesNot, sets, counts }) => {
    const whole = { variable, begin, end: settled, certain, label }
    const written = sets === undefined ? (counts ? { counts } : null) : { sets }
    const read = { ...(sees !== undefined && { sees }), ...(seesNot !== undefined && { seesNot }) }
    const isRead = sees !== undefined || seesNot !== undefined
    if (written !== null && (!isRead || atomic(variable, isUnique(line)))) return [{ ...whole, ...read, ...written }]
    const operations = written === null ? [] : [{ ...whole, ...written }]
    if (!isRead || pending) return operations
    // It may have read what the session was long before.
    return [...operations, { ...whole, ...read, begin: atomic(variable, false) ? begin : Number.NEGATIVE_INFINITY }]
  })
}

/** @param {Ended} answer */
function described({ durability, conflicts, outdated, cause }) {
  return [durability, ...(cause === null ? [] : [cause]), ...(outdated ? ['outdated'] : []), ...conflicts].join(', ')
}
