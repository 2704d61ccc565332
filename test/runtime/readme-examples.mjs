import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { blocksOf } from '../readme/blocks.mjs'
import { environmentOf, hasAddress, withAddresses } from '../servers/with-addresses.mjs'
import { exported, programs } from './example-programs.mjs'

/** The column that the examples of a kind belong to. */
const COLUMNS = { node: 'node', page: 'chromium', worker: 'durable-object', deno: 'deno-disk', bun: 'bun' }

/** What signs requests for the page that the next example is. */
const SIGNER = 'ts run signer'

/** The README's examples for one runtime each: the column that each belongs to, its name, its output, whether it needs servers, and what runs it. */
export function readmeExamples(project, root) {
  const blocks = blocksOf(readFileSync(join(root, 'README.md'), 'utf8'))
  return blocks.flatMap((block, index) => {
    const [, kind, flags] = /^ts run (\w+) ?(.*)$/.exec(block.kind) ?? []
    if (kind === undefined || block.kind === SIGNER) return []
    const folder = join(project, 'readme', `line-${block.line}`)
    const [before, next] = [blocks[index - 1], blocks[index + 1]]
    const served = hasAddress(block.text)
    return [
      {
        suite: 'README',
        column: COLUMNS[kind],
        name: `the ${kind} program in line ${block.line}`,
        output: (kind === 'worker' ? next : block).output,
        served,
        run: async (servers) => {
          const text = served ? withAddresses(block.text, servers) : block.text
          const env = served ? environmentOf(servers) : {}
          const posts = before?.kind === SIGNER ? { '/sign': await signerOf(folder, withAddresses(before.text, servers)) } : {}
          const program = { project, folder, text, servers, env, posts, flags: flags.split(' '), commands: next?.text }
          return (await programs[kind](program))()
        },
      },
    ]
  })
}

async function signerOf(folder, text) {
  const { sign } = await exported(folder, `${text}\nexport { sign }\n`)
  return (request) => sign('ann', request)
}
