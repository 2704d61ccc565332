import { conflictFaults, historyFaults, replayFaults } from './history-check.mjs'
import { findViolation } from './linearizability.mjs'
import { operationsByVariable } from './recording.mjs'

/**
 * What a session was at the end: what its variables held, the working directory as `cwd`, and the commands of its history.
 * @typedef {{ variables: Readonly<Record<string, string>>, commands: readonly string[] }} Final
 */

/**
 * What a store promises.
 * @typedef {object} Promises
 * @property {boolean} ordered the history of a session has its lines in the order in which they took effect
 * @property {boolean} inOneStep what a line changes and its entry in the history are there together, or neither is
 */

const MOST_SHOWN = 14

/**
 * Everything that is wrong with what was recorded, in words; nothing where all promises were kept.
 * @param {{ recording: import('./recording.mjs').Recording, finals: ReadonlyMap<string, Final>, readAt: number }} done what was read at the end, by session, and when
 * @param {Promises} promises
 * @returns {readonly string[]}
 */
export function faultsOf({ recording, finals, readAt }, { ordered, inOneStep }) {
  const fates = recording.fates()
  const faults = []
  for (const [session, { variables, commands }] of finals) {
    const own = fates.filter(({ recorded }) => recorded.line.session === session)
    const texts = [
      ...historyFaults(own, commands),
      ...conflictFaults(own),
      ...(ordered ? replayFaults(own, commands, variables, inOneStep) : []),
    ]
    faults.push(...texts.map((text) => `session ${session}: ${text}`))
  }
  for (const [name, { initial, operations }] of operationsByVariable(fates)) {
    const [session = '', variable = ''] = name.split(' ')
    const sees = finals.get(session)?.variables[variable]
    // What a killed instance copied is not known.
    const last = sees === undefined || variable === 'b' ? [] : [{ begin: readAt, end: readAt + 1, certain: true, sees, label: 'the end' }]
    const violation = findViolation([...operations, ...last], initial)
    if (violation !== null) faults.push(`session ${session}, ${variable}: no order of the lines explains\n${story(violation)}`)
  }
  return faults
}

/** The end of the smallest history that can't be, a line for each operation. @param {import('./linearizability.mjs').Violation} violation */
function story({ operations, last }) {
  const shown = operations.filter(({ certain, begin }) => certain || begin >= last.begin - 5000).slice(-MOST_SHOWN)
  if (!shown.includes(last)) shown.push(last)
  const time = (ms) => (Number.isFinite(ms) ? ms.toFixed(1) : '?').padStart(9)
  const rows = shown.map((operation) => {
    const { begin, end, sees, seesNot, sets, counts, label } = operation
    const did = [
      sees !== undefined && `saw ${sees || 'nothing'}`,
      seesNot !== undefined && `saw not ${seesNot}`,
      sets !== undefined && `set ${sets}`,
      counts && 'counted',
    ]
    return `${operation === last ? '>' : ' '} ${time(begin)} ${time(end)}  ${did.filter(Boolean).join(', ')}    ${label}`
  })
  return [`  ${operations.length} operations, of which the last are (ms from the start):`, ...rows].join('\n')
}
