/**
 * A line that an instance is told to run, and what it does to a variable of its session.
 * @typedef {object} Line
 * @property {string} id
 * @property {string} session
 * @property {string} text
 * @property {'write' | 'read' | 'add' | 'swap' | 'compare' | 'copy' | 'go'} kind
 * @property {string} value what it writes or compares with; empty where there is no such thing
 */

/**
 * What one line did, in the terms of the checker: to which variable, what it found and what it left.
 * @typedef {{ variable: string, sees?: string, seesNot?: string, sets?: string, counts?: true }} Effect
 */

/** What variables hold in a new session. `cwd` is the working directory. */
export const INITIAL = { a: '', b: '', n: '0', cwd: '/' }

/** There in every workspace. */
const DIRECTORIES = ['/', '/bin', '/dev', '/tmp', '/usr/bin']
const KINDS = ['write', 'read', 'add', 'add', 'swap', 'swap', 'compare', 'copy', 'go']
/** Kinds that leave a value which no other line leaves. */
const UNIQUE = new Set(['write', 'swap'])

/**
 * @param {string} id unlike any other
 * @param {string} session
 * @param {() => number} random
 * @param {readonly string[]} written values that may be compared with
 * @returns {Line}
 */
export function randomLine(id, session, random, written) {
  const one = (/** @type {readonly string[]} */ list) => list[Math.floor(random() * list.length)] ?? ''
  const kind = /** @type {Line['kind']} */ (one(KINDS))
  const value = kind === 'compare' ? one(written) : kind === 'go' ? one(DIRECTORIES) : UNIQUE.has(kind) ? id : ''
  return { id, session, kind, value, text: `${command(kind, value)} # ${id}` }
}

function command(kind, value) {
  switch (kind) {
    case 'write':
      return `a=${value}`
    case 'read':
      return 'echo "$a"'
    case 'add':
      return 'n=$((n + 1)); echo "$n"'
    case 'swap':
      return `echo "$a"; a=${value}`
    case 'compare':
      return `[[ $a == "${value}" ]]; echo $?`
    case 'copy':
      // Never the empty text: to set a variable to it that was not set is a change that nobody sees.
      return 'echo "$b"; b=@$a; echo "$b"'
    case 'go':
      return `pwd; cd ${value}`
  }
}

/** Whether it leaves a value that no other line leaves: two that change a variable to the same value are no conflict. */
export function isUnique({ kind }) {
  return UNIQUE.has(kind)
}

/**
 * What the line found and left, by what it printed. Without an answer, what it left if it ran at all. A variable that is set to what it held is not
 * changed: where another instance changes it meanwhile, that stands.
 * @param {Line} line
 * @param {string | null} output
 * @returns {readonly Effect[]}
 */
export function effectsOf({ kind, value }, output) {
  const [said = '', more = ''] = output?.split('\n') ?? []
  if (output === null) {
    if (kind === 'add') return [{ variable: 'n', counts: true }]
    if (kind === 'go') return [{ variable: 'cwd', sets: value }]
    // What `a` was is not known.
    if (kind === 'copy') return [{ variable: 'b' }]
    return isUnique({ kind }) ? [{ variable: 'a', sets: value }] : []
  }
  switch (kind) {
    case 'write':
      return [{ variable: 'a', sets: value }]
    case 'read':
      return [{ variable: 'a', sees: said }]
    case 'add':
      return [{ variable: 'n', sees: String(Number(said) - 1), sets: said }]
    case 'swap':
      return [{ variable: 'a', sees: said, sets: value }]
    case 'compare':
      return [{ variable: 'a', ...(said === '0' ? { sees: value } : { seesNot: value }) }]
    case 'copy':
      return [
        { variable: 'a', sees: more.slice(1) },
        { variable: 'b', sees: said, ...(said !== more && { sets: more }) },
      ]
    case 'go':
      return [{ variable: 'cwd', sees: said, ...(said !== value && { sets: value }) }]
  }
}

/** As results name it where two changed it. */
export function conflictName(variable) {
  return variable === 'cwd' ? 'cwd' : `variable ${variable}`
}
