import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { blocksOf } from '../readme/blocks.mjs'
import { environmentOf, hasAddress, withAddresses } from '../servers/with-addresses.mjs'
import { programs } from './example-programs.mjs'

/** The column that the examples of a kind belong to. */
const COLUMNS = { node: 'node', page: 'chromium', worker: 'durable-object', deno: 'deno-disk', bun: 'bun' }

/** The README's examples for one runtime each: the column that each belongs to, its name, its output, whether it needs servers, and what runs it. */
export function readmeExamples(project, root) {
  const blocks = blocksOf(readFileSync(join(root, 'README.md'), 'utf8'))
  return blocks.flatMap((block, index) => {
    const [, kind, flags] = /^ts run (\w+) ?(.*)$/.exec(block.kind) ?? []
    if (kind === undefined) return []
    const folder = join(project, 'readme', `line-${block.line}`)
    const next = blocks[index + 1]
    const served = hasAddress(block.text)
    return [
      {
        suite: 'README',
        column: COLUMNS[kind],
        name: `the ${kind} program in line ${block.line}`,
        output: (kind === 'worker' ? next : block).output,
        served,
        run: (servers) => {
          const text = served ? withAddresses(block.text, servers) : block.text
          const env = served ? environmentOf(servers) : {}
          return programs[kind]({ project, folder, text, servers, env, flags: flags.split(' '), commands: next?.text })
        },
      },
    ]
  })
}
