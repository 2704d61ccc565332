/** Milliseconds that one runtime may take in all, and between two results. */
const LIMIT = 600_000
const SILENCE = 75_000

/** One phase in one runtime: its results by case. One that dies, hangs or reaches no case fails a case of its own. */
export async function runColumn(name, run, context) {
  const { phase, grep } = context.column
  const started = performance.now()
  const results = new Map()
  const cut = new AbortController()
  const limit = setTimeout(() => cut.abort(new Error(`not done within ${LIMIT} ms`)), LIMIT)
  let silence
  let last = 'the start'
  const listen = () => {
    clearTimeout(silence)
    silence = setTimeout(() => cut.abort(new Error(`nothing came for ${SILENCE} ms`)), SILENCE)
  }
  const report = (result) => {
    listen()
    last = `${result.suite}: ${result.name}`
    results.set(last, result)
  }
  listen()
  let detail = ''
  try {
    await run({ ...context, report, signal: cut.signal })
    if (results.size === 0 && grep === '') detail = 'no case was reached'
  } catch (error) {
    detail = `after «${last}»: ${error.message}`
  }
  clearTimeout(limit)
  clearTimeout(silence)
  const end = { suite: 'runtime', name: `the ${phase} phase comes to its end`, outcome: detail === '' ? 'passed' : 'failed', detail }
  results.set(`${end.suite}: ${end.name}`, end)
  const seconds = (performance.now() - started) / 1000
  const failed = [...results.values()].filter(({ outcome }) => outcome === 'failed').length
  process.stdout.write(`${name}, ${phase}: ${results.size} cases, ${failed} failed, ${seconds.toFixed(1)} s\n`)
  return { results, seconds, ended: detail === '' }
}
