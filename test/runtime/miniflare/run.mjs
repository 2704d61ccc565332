// Runs the bundle of the cases in Miniflare, with an R2 bucket: its simulator on the real workerd. Argument: the bundle. The column is read from standard input.
import { readFileSync } from 'node:fs'
import { json } from 'node:stream/consumers'
import { Miniflare } from 'miniflare'

const bundle = process.argv[2]
const column = await json(process.stdin)
const miniflare = new Miniflare({
  host: '127.0.0.1',
  port: 0,
  compatibilityDate: '2026-04-01',
  modules: [{ type: 'ESModule', path: 'cases.js', contents: readFileSync(bundle, 'utf8') }],
  bindings: { COLUMN: column },
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
