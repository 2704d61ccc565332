import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { blocksOf, tidy } from '../readme/blocks.mjs'
import { environmentOf, overHttp, withAddresses, withRedis } from '../servers/with-addresses.mjs'
import { programs } from './example-programs.mjs'

const DOCUMENT = new URL('documented-stores.md', import.meta.url)
/** What another process finds again of each example. */
const KEPT = {
  'Sessions on Redis': { session: true, history: false },
  'Sessions in an S3 bucket': { session: true, history: false },
  'History on disk, the rest on Redis': { session: true, history: true, onDisk: true },
  'History on Redis': { session: false, history: true },
}
/**
 * In each column: what runs the programs, and whether it has what programs have: a disk, connections that are not HTTP's, and an environment, in
 * which credentials and endpoint of the bucket are. Where there is none of it, Redis is reached over HTTP, and the access to the bucket is written out.
 */
const COLUMNS = {
  node: { kind: 'node', isProgram: true },
  workerd: { kind: 'worker', isProgram: false },
  chromium: { kind: 'page', isProgram: false },
}
const LINE = 'n=$((n + 1)); echo "n is $n"; history'

/** The examples of the documents, in TypeScript and YAML, in each column that can run them. Each is run twice, as an instance and a later one. */
export function storeExamples(project) {
  const [, ...sections] = readFileSync(DOCUMENT, 'utf8').split(/^## /m)
  return sections.flatMap((section) => {
    const title = section.slice(0, section.indexOf('\n'))
    const { onDisk = false, ...kept } = KEPT[title]
    return blocksOf(section).flatMap((block) =>
      Object.entries(COLUMNS).flatMap(([column, { kind, isProgram }]) => {
        if (onDisk && !isProgram) return []
        // Each starts a browser twice: that a page reads YAML, one of them shows.
        if (kind === 'page' && block.kind === 'yaml' && title !== 'Sessions on Redis') return []
        const folder = join(project, 'documented', `${title.replaceAll(/\W+/g, '-')}-${block.kind}-${column}`)
        const run = async (servers) => {
          const example = isProgram ? withRedis(block.text, servers) : withAddresses(overHttp(block.text), servers)
          const text = (kind === 'worker' ? inWorker : asScript)(programParts(block.kind, example, join(folder, 'state')))
          const env = isProgram ? environmentOf(servers) : {}
          const once = await programs[kind]({ project, folder, text, servers, env, commands: 'curl -s http://localhost:8787' })
          return [await once(), await once()].map(tidy).join('\n')
        }
        return [{ suite: 'documented stores', column, name: `${title}, ${block.kind}`, output: expected(kept), served: true, run }]
      }),
    )
  })
}

function expected({ session, history }) {
  const printed = (time) => {
    const lines = Array.from({ length: history ? time : 1 }, (_, i) => `${String(i + 1).padStart(5)}  ${LINE}`)
    return [`n is ${session ? time : 1}`, ...lines]
  }
  return [...printed(1), ...printed(2)].join('\n')
}

/** The imports of a program, and what it does: it makes the workspace `ws`. */
function programParts(kind, example, root) {
  const text = example.replaceAll('/var/lib/mirage', root)
  if (kind === 'yaml') {
    return {
      imports: "import { loadWorkspaceConfig, Workspace, workspaceOptions } from 'mirage-runtime'",
      body: `const { mounts, options } = workspaceOptions(await loadWorkspaceConfig(${JSON.stringify(text)}))
const ws = new Workspace(mounts, options)`,
    }
  }
  const isImport = (line) => line.startsWith('import ')
  const lines = text.replace('@struktoai/mirage-node', 'mirage-runtime').split('\n')
  const body = lines.filter((line) => !isImport(line)).join('\n')
  return { imports: lines.filter(isImport).join('\n'), body: `const mounts = {}\n${body}` }
}

/** The session has an id of its own, since a history is found again with its session. */
const RUN = `const { stdoutText, stderrText, durability } = await (await ws.session('main')).shell(${JSON.stringify(LINE)})
const printed = stdoutText + stderrText + (durability === 'committed' ? '' : durability)
await ws.close()`

function asScript({ imports, body }) {
  return `${imports}\n${body}\n${RUN}\nconsole.log(printed)\n`
}

function inWorker({ imports, body }) {
  return `${imports}
export default {
  async fetch() {
    try {
      ${body}
      ${RUN}
      return new Response(printed)
    } catch (error) {
      return new Response(error.stack)
    }
  },
}
`
}
