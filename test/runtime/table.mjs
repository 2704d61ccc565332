/** Prints cases × runtimes, a group of rows a suite, then what each runtime sums up to and every failure; the sums of all. */
export function printTable(phases) {
  const columns = new Map([...phases].map(([name, runs]) => [name, merged(runs)]))
  const names = [...columns.keys()]
  const cases = new Map()
  for (const { results } of columns.values())
    for (const [key, { suite, name }] of results) if (!cases.has(key)) cases.set(key, { suite, name })
  const failures = []
  const counts = new Map(names.map((name) => [name, { passed: 0, failed: 0, skipped: 0 }]))
  const rows = [...cases].map(([key, { suite, name }]) => ({ suite, name, cells: names.map((column) => cell(column, key)) }))
  const first = Math.max(...rows.map(({ name }) => name.length)) + 2
  const widths = names.map(
    (name, index) => Math.max(...name.split('-').map((part) => part.length), ...rows.map(({ cells }) => cells[index].length)) + 1,
  )

  const line = (start, cells) => {
    const text = cells.map((cell, index) => cell.padEnd(widths[index])).join('')
    process.stdout.write(`${`${start.padEnd(first)} ${text}`.trimEnd()}\n`)
  }
  const heads = names.map((name) => name.split('-'))
  for (let i = 0; i < Math.max(...heads.map((parts) => parts.length)); i++)
    line(
      '',
      heads.map((parts) => parts[i] ?? ''),
    )
  for (const [suite, group] of bySuite(rows)) {
    if (group.every(({ cells }) => cells.every((cell) => cell === '-'))) {
      process.stdout.write(`${suite}: in none of these\n`)
      continue
    }
    process.stdout.write(`${suite}\n`)
    for (const row of group) line(`  ${row.name}`, row.cells)
  }
  process.stdout.write(
    '\nA word in a cell is the capability that is missing there; - where the runtime lacks what its rows are headed by, or another column of its engine has them.\n\n',
  )
  for (const [name, { passed, failed, skipped }] of counts) {
    process.stdout.write(
      `${name.padEnd(20)} ${passed} passed, ${failed} failed, ${skipped} skipped, ${columns.get(name).seconds.toFixed(1)} s\n`,
    )
  }
  printSlowest(columns)
  if (failures.length > 0) process.stdout.write(`\n${failures.join('\n')}\n`)
  const numPassedTests = sum('passed')
  const numFailedTests = sum('failed')
  process.stdout.write(`${numPassedTests} passed, ${numFailedTests} failed\n`)
  return { numPassedTests, numFailedTests }

  /** What one case came to in one runtime. What a runtime never reached has failed, and is told once: by its end. */
  function cell(column, key) {
    const result = columns.get(column).results.get(key)
    const count = counts.get(column)
    if (result === undefined) {
      count.failed += 1
      if (columns.get(column).ended) failures.push(`${column}: ${key}\nwas never reached\n`)
      return 'lost'
    }
    count[result.outcome] += 1
    if (result.outcome === 'passed') return 'ok'
    if (result.outcome === 'skipped') return result.suite.endsWith(result.detail) ? '-' : result.detail
    failures.push(`${column}: ${key}\n${result.detail}\n`)
    return 'FAILED'
  }

  function sum(kind) {
    return [...counts.values()].reduce((total, count) => total + count[kind], 0)
  }
}

/** The phases of one runtime as one. */
function merged(runs) {
  return {
    results: new Map(runs.flatMap(({ results }) => [...results])),
    seconds: runs.reduce((sum, { seconds }) => sum + seconds, 0),
    ended: runs.every(({ ended }) => ended),
  }
}

function bySuite(rows) {
  const groups = new Map()
  for (const row of rows) groups.set(row.suite, [...(groups.get(row.suite) ?? []), row])
  return groups
}

/** What to look at when it takes too long. */
function printSlowest(columns) {
  const cases = [...columns].flatMap(([column, { results }]) =>
    [...results].map(([key, { suite, ms = 0 }]) => ({ key, suite, column, ms })),
  )
  const suites = new Map()
  for (const { column, suite, ms } of cases) suites.set(`${column}: ${suite}`, (suites.get(`${column}: ${suite}`) ?? 0) + ms)
  printLongest('suites', [...suites])
  printLongest(
    'cases',
    cases.map(({ column, key, ms }) => [`${column}: ${key}`, ms]),
  )
}

function printLongest(what, timed) {
  process.stdout.write(`\nslowest ${what}:\n`)
  const longest = timed.sort(([, a], [, b]) => b - a).slice(0, 6)
  for (const [name, ms] of longest) process.stdout.write(`${(ms / 1000).toFixed(1).padStart(6)} s  ${name}\n`)
}
