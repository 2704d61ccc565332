import { killGroup, spawnGroup } from '../browsers/process-group.mjs'

/** Runs a program that prints its results, until it ends; fails with what else it printed where its status isn't 0. It may read its column. */
export function runProgram([program, ...args], { project, column, report, signal }) {
  return new Promise((done, fail) => {
    const child = spawnGroup(program, args, { cwd: project, env: { ...process.env, NO_COLOR: '1' } })
    // It may end without reading.
    child.stdin.on('error', () => undefined).end(JSON.stringify(column))
    const cut = () => killGroup(child.pid)
    signal.addEventListener('abort', cut, { once: true })
    let noise = ''
    for (const stream of [child.stdout, child.stderr]) {
      let rest = ''
      stream.setEncoding('utf8')
      stream.on('data', (text) => {
        const lines = (rest + text).split('\n')
        rest = lines.pop()
        for (const line of lines) {
          const found = /@case (\{.*\})/.exec(line)
          if (found === null) noise = `${noise}${line}\n`.slice(-4000)
          else report(JSON.parse(found[1]))
        }
      })
      stream.on('end', () => {
        noise += rest
      })
    }
    child.on('error', fail)
    child.on('close', (code, killed) => {
      signal.removeEventListener('abort', cut)
      killGroup(child.pid)
      if (code === 0) return done()
      fail(new Error(`${signal.aborted ? signal.reason.message : `exit status ${code ?? killed}`}\n${noise}`))
    })
  })
}
