import { conflictName, effectsOf, INITIAL, isUnique } from './lines.mjs'

/**
 * What is wrong with a session's history: lines that are missing, twice in it or never were, and entries in another order than the lines they are of.
 * @param {readonly import('./recording.mjs').Fate[]} fates of lines on the session
 * @param {readonly string[]} commands of its history
 */
export function historyFaults(fates, commands) {
  const faults = []
  const known = new Map(fates.map((fate) => [fate.recorded.line.text, fate]))
  const counts = new Map()
  for (const command of commands) counts.set(command, (counts.get(command) ?? 0) + 1)
  for (const [command, count] of counts) {
    if (count > 1) faults.push(`${count} times in the history: ${command}`)
    if (!known.has(command)) faults.push(`in the history, though it never ran: ${command}`)
  }
  for (const [command, { settled }] of known) {
    if (settled !== Number.POSITIVE_INFINITY && !counts.has(command)) faults.push(`not in the history: ${command}`)
  }
  let latest = null
  for (const command of commands) {
    const fate = known.get(command)
    if (fate === undefined) continue
    if (latest !== null && latest.recorded.begin > fate.settled)
      faults.push(`in the history before a line that it came after: ${latest.recorded.line.text} before ${command}`)
    if (latest === null || fate.recorded.begin > latest.recorded.begin) latest = fate
  }
  return faults
}

/**
 * Conflicts that a result names and nobody else can have made.
 * @param {readonly import('./recording.mjs').Fate[]} fates of lines on one session
 */
export function conflictFaults(fates) {
  const setters = new Map()
  for (const { recorded } of fates) {
    for (const { variable, sets, counts } of effectsOf(recorded.line, recorded.answer?.stdout ?? null)) {
      if (sets === undefined && !counts) continue
      const name = conflictName(variable)
      setters.set(name, (setters.get(name) ?? new Set()).add(recorded.instance))
    }
  }
  return fates.flatMap(({ recorded: { answer, instance, line } }) => {
    const named = (answer?.conflicts ?? []).filter(
      (name) => setters.has(name) && [...setters.get(name)].every((setter) => setter === instance),
    )
    return named.map((name) => `${line.text} names a conflict of ${name}, which no other instance set`)
  })
}

/**
 * Runs the lines of a history on variables, in its order, and tells where a line saw something else. Where sessions and history are written in one
 * step, their order is the one in which the lines took effect. `inOneStep` is false where a killed instance may have left what a line
 * changed without its entry.
 * @param {readonly import('./recording.mjs').Fate[]} fates of lines on the session
 * @param {readonly string[]} commands of its history
 * @param {Readonly<Record<string, string>>} finals what its variables held at the end
 * @param {boolean} inOneStep
 */
export function replayFaults(fates, commands, finals, inOneStep) {
  const faults = []
  const known = new Map(fates.map((fate) => [fate.recorded.line.text, fate]))
  const written = new Set(commands)
  const lost = inOneStep
    ? []
    : fates.filter(({ recorded, settled }) => settled === Number.POSITIVE_INFINITY && !written.has(recorded.line.text))
  /** @type {Record<string, string>} */
  const held = { ...INITIAL }
  const leaves = (line, output, { variable, sets, counts }) => {
    if (line.kind === 'copy' && output === null && variable === 'b') return `@${held.a}`
    return counts ? String(Number(held[variable]) + 1) : sets
  }
  /** Whether a line without an entry explains what was seen. What it copied, and when, is not known. */
  const explains = ({ variable, sees, seesNot }) =>
    lost.some(({ recorded: { line, answer } }) =>
      effectsOf(line, answer?.stdout ?? null).some((effect) => {
        if (effect.variable !== variable) return false
        if (line.kind === 'copy' && answer === null) return true
        const left = leaves(line, null, effect)
        return left !== undefined && (sees === undefined ? left !== seesNot : left === sees)
      }),
    )
  for (const command of commands) {
    const fate = known.get(command)
    if (fate === undefined) continue
    const { recorded, atomic } = fate
    const output = recorded.answer?.stdout ?? null
    for (const effect of effectsOf(recorded.line, output)) {
      const { variable, sees, seesNot } = effect
      const wrong = (sees !== undefined && sees !== held[variable]) || (seesNot !== undefined && seesNot === held[variable])
      const mustFit = recorded.answer?.durability === 'pending' ? effect.sets !== undefined : true
      if (wrong && mustFit && atomic(variable, effect.sets !== undefined && isUnique(recorded.line))) {
        if (!explains(effect))
          faults.push(`${command} saw ${JSON.stringify(sees ?? `not ${seesNot}`)} where ${variable} held ${JSON.stringify(held[variable])}`)
      }
    }
    for (const effect of effectsOf(recorded.line, output)) {
      const left = leaves(recorded.line, output, effect)
      if (left !== undefined) held[effect.variable] = left
    }
  }
  for (const [variable, value] of Object.entries(finals)) {
    if (value !== held[variable] && !explains({ variable, sees: value }))
      faults.push(`${variable} holds ${JSON.stringify(value)} at the end, and ${JSON.stringify(held[variable])} by its history`)
  }
  return faults
}
