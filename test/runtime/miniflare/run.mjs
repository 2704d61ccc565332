// Runs the bundle of the cases in Miniflare, with an R2 bucket: its simulator on the real workerd. Arguments: BUNDLE COLUMN
import { readFileSync } from 'node:fs'
import { Miniflare } from 'miniflare'

const [bundle, column] = process.argv.slice(2)
const miniflare = new Miniflare({
  host: '127.0.0.1',
  port: 0,
  compatibilityDate: '2026-04-01',
  modules: [{ type: 'ESModule', path: 'cases.js', contents: readFileSync(bundle, 'utf8') }],
  bindings: { COLUMN: JSON.parse(column) },
  r2Buckets: ['BUCKET'],
  handleRuntimeStdio: (stdout, stderr) => {
    stdout.pipe(process.stdout)
    stderr.pipe(process.stderr)
  },
})
try {
  const { status } = await miniflare.dispatchFetch('http://cases/')
  if (status !== 200) throw new Error(`the cases answered ${status}`)
} finally {
  await miniflare.dispose()
}
