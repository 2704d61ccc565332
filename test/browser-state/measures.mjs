import { Pages } from './pages.mjs'

const LINES = 100

/** Milliseconds that lines and histories take in one browser, on each backend, in a page and in a worker. */
export async function printMeasures(name, script) {
  for (const backend of ['indexeddb', 'opfs']) for (const worker of [false, true]) await printMeasure(name, script, backend, worker)
}

async function printMeasure(name, script, backend, worker) {
  const pages = new Pages(name, script)
  const where = `${name} ${worker ? 'worker' : 'page'} ${backend}`
  const place = { root: 'measure', backend, session: 's' }
  try {
    const { changing, plain } = await pages.run('lineTimes', { ...place, count: LINES }, { worker })
    process.stdout.write(`${where}: a line that changes the session ${cost(changing)}, another ${cost(plain)}\n`)
    const { first, later } = await pages.run('historyTimes', { ...place, session: 'long', entries: 100_000 }, { worker })
    process.stdout.write(`${where}: history 10 of 100,000 ${ms(later)}, the first time ${ms(first)}\n`)
  } finally {
    await pages.end()
  }
}

function cost({ median, p99, transactions: { readonly, readwrite } }) {
  const transactions = `, transactions: ${readonly / LINES} that read, ${readwrite / LINES} that write`
  return `${ms(median)} (p99 ${ms(p99)}${readwrite === 0 ? '' : transactions})`
}

function ms(number) {
  return `${number.toFixed(1)} ms`
}
