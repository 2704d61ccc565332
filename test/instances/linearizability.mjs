/**
 * What one operation did to one variable, and when, by one clock. Between `begin` and `end` lies the moment at which it took effect; `end` is
 * Infinity where nobody knows, as of all that are not certain.
 * @typedef {object} Operation
 * @property {number} begin
 * @property {number} end
 * @property {boolean} certain false where it may never have taken effect
 * @property {string} [sees] the value it found
 * @property {string} [seesNot] a value that it found not to be there
 * @property {string} [sets] the value it left
 * @property {true} [counts] it left one more than it found
 * @property {string} label what it was, for whoever reads the report
 */

/**
 * The smallest beginning of a history that no register can have had.
 * @typedef {object} Violation
 * @property {readonly Operation[]} operations those that had begun, by their end
 * @property {Operation} last the one whose end made it impossible
 */

/**
 * Whether one register can have behaved so: each operation at one moment between its begin and its end, all in one order (Wing and Gong's search,
 * with Lowe's memory of where it has been). Null where it can; else what shows that it can't.
 * @param {readonly Operation[]} operations
 * @param {string} initial
 * @returns {Violation | null}
 */
export function findViolation(operations, initial) {
  if (isLinearizable(operations, initial)) return null
  const ends = operations.filter(({ certain }) => certain).sort((a, b) => a.end - b.end)
  let [low, high] = [0, ends.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isLinearizable(upTo(operations, ends[middle].end), initial)) low = middle + 1
    else high = middle
  }
  const last = ends[low]
  return { operations: upTo(operations, last.end).sort((a, b) => a.end - b.end || a.begin - b.begin), last }
}

/** The history as it was known at a time: what hadn't ended may have taken effect. */
function upTo(operations, time) {
  return operations
    .filter(({ begin }) => begin <= time)
    .map((operation) => (operation.end <= time ? operation : { ...operation, end: Number.POSITIVE_INFINITY, certain: false }))
}

/**
 * @param {readonly Operation[]} operations
 * @param {string} initial
 */
export function isLinearizable(operations, initial) {
  const search = new Search(relevant(operations).sort((a, b) => a.begin - b.begin))
  const path = []
  let value = initial
  let at = search.next(-1)
  while (search.certainLeft > 0) {
    if (at !== null) {
      const operation = search.operations[at]
      if (accepts(operation, value)) {
        const next = operation.counts ? String(Number(value) + 1) : (operation.sets ?? value)
        search.take(at)
        if ((next === value || !search.isMissed(value)) && search.isNew(next)) {
          path.push({ at, value })
          value = next
          at = search.next(-1)
          continue
        }
        search.giveBack(at)
      }
      at = search.next(at)
      continue
    }
    // Nothing fits any more: the last choice was wrong. To have read what is there never is.
    let last = path.pop()
    while (last !== undefined && isReading(search.operations[last.at])) {
      search.giveBack(last.at)
      last = path.pop()
    }
    if (last === undefined) return false
    search.giveBack(last.at)
    value = last.value
    at = search.next(last.at)
  }
  return true
}

function accepts({ sees, seesNot }, value) {
  return (sees === undefined || sees === value) && (seesNot === undefined || seesNot !== value)
}

function isReading({ sets, counts }) {
  return sets === undefined && !counts
}

/** Without operations that can explain nothing: uncertain ones that set nothing, or what nobody is known to have seen. */
function relevant(operations) {
  const seen = new Set(operations.map(({ sees }) => sees))
  const matters = operations.some(({ seesNot, counts }) => seesNot !== undefined || counts)
  return operations.filter(({ certain, sets, counts }) => certain || counts || (sets !== undefined && (matters || seen.has(sets))))
}

/** Which operations the search has taken, and which it may take next. */
class Search {
  /** @param {readonly Operation[]} operations by their begin */
  constructor(operations) {
    this.operations = operations
    this.certainLeft = operations.filter(({ certain }) => certain).length
    this.taken = new Uint8Array(operations.length)
    this.uncertainOnes = operations.flatMap(({ certain }, at) => (certain ? [] : [at]))
    /** Everything certain before it is taken. */
    this.base = 0
    /** One past the last that is taken. */
    this.top = 0
    /** Taken ones that may never have been. */
    this.uncertain = new Set()
    this.visited = new Set()
    /** How many that are not taken are sure to have seen a value, and how many set it. */
    this.toSee = new Map()
    this.toSet = new Map()
    this.toCount = 0
    for (const operation of operations) this.#count(operation, 1)
    this.#settle()
  }

  take(at) {
    this.taken[at] = 1
    this.#count(this.operations[at], -1)
    if (this.operations[at].certain) this.certainLeft -= 1
    else this.uncertain.add(at)
    this.#settle()
  }

  giveBack(at) {
    this.taken[at] = 0
    this.#count(this.operations[at], 1)
    if (this.operations[at].certain) this.certainLeft += 1
    else this.uncertain.delete(at)
    this.base = Math.min(this.base, at)
    this.#settle()
  }

  /** Whether the value has still to be seen and will never be set again. */
  isMissed(value) {
    return this.toSee.get(value) > 0 && !(this.toSet.get(value) > 0) && this.toCount === 0
  }

  /** Whether the search was never here before. */
  isNew(value) {
    const ahead = []
    for (let i = this.base; i < this.operations.length && this.operations[i].begin <= this.horizon; i++) {
      if (this.taken[i] === 1 && this.operations[i].certain) ahead.push(i)
    }
    const key = `${this.base}:${ahead}:${[...this.uncertain].sort()}:${value}`
    if (this.visited.has(key)) return false
    this.visited.add(key)
    return true
  }

  /** The next after the index that nothing else has to precede; null where there is none. */
  next(after) {
    for (const i of this.uncertainOnes) if (i > after && i < this.base && this.taken[i] === 0) return i
    for (let i = Math.max(after + 1, this.base); i < this.operations.length; i++) {
      if (this.operations[i].begin > this.horizon) return null
      if (this.taken[i] === 0) return i
    }
    return null
  }

  #count({ certain, sees, sets, counts }, by) {
    if (counts) this.toCount += by
    if (certain && sees !== undefined) this.toSee.set(sees, (this.toSee.get(sees) ?? 0) + by)
    if (sets !== undefined) this.toSet.set(sets, (this.toSet.get(sets) ?? 0) + by)
  }

  #settle() {
    const { operations, taken } = this
    while (this.base < operations.length && (taken[this.base] === 1 || !operations[this.base].certain)) this.base += 1
    /** The first end of what is not taken: who begins later comes later. */
    this.horizon = Number.POSITIVE_INFINITY
    for (let i = this.base; i < operations.length && operations[i].begin <= this.horizon; i++) {
      if (taken[i] === 0 && operations[i].end < this.horizon) this.horizon = operations[i].end
    }
  }
}
