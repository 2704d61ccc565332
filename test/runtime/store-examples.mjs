import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { blocksOf, tidy } from '../readme/blocks.mjs'
import { overHttp, withAddresses } from '../servers/with-addresses.mjs'
import { programs } from './example-programs.mjs'

const DOCUMENT = new URL('documented-stores.md', import.meta.url)
/** What another process finds again of each example, and what it needs besides servers. */
const KEPT = {
  'Sessions on Redis': { session: true, history: false },
  'Sessions in an S3 bucket': { session: true, history: false },
  'History on disk, the rest on Redis': { session: true, history: true, needs: 'disk' },
  'History on Redis': { session: false, history: true },
}
/** In each column: what runs the programs, and what it has besides servers. Where no connections are to be had but by HTTP, Redis is reached so. */
const COLUMNS = {
  node: { kind: 'node', has: ['disk', 'tcp'] },
  'deno-net': { kind: 'deno', has: ['disk', 'tcp'] },
  bun: { kind: 'bun', has: ['disk', 'tcp'] },
  workerd: { kind: 'worker', has: [] },
  chromium: { kind: 'page', has: [] },
}
const LINE = 'n=$((n + 1)); echo "n is $n"; history'

/** The examples of the documents, in TypeScript and YAML, in each column that can run them. Each is run twice, as an instance and a later one. */
export function storeExamples(project) {
  const [, ...sections] = readFileSync(DOCUMENT, 'utf8').split(/^## /m)
  return sections.flatMap((section) => {
    const title = section.slice(0, section.indexOf('\n'))
    const { needs, ...kept } = KEPT[title]
    return blocksOf(section).flatMap((block) =>
      Object.entries(COLUMNS).flatMap(([column, { kind, has }]) => {
        if (needs !== undefined && !has.includes(needs)) return []
        const folder = join(project, 'documented', `${title.replaceAll(/\W+/g, '-')}-${block.kind}-${column}`)
        const run = async (servers) => {
          const example = withAddresses(has.includes('tcp') ? block.text : overHttp(block.text), servers)
          const text = (kind === 'worker' ? inWorker : asScript)(programParts(block.kind, example, join(folder, 'state')))
          const flags = [`--allow-net=${hostsOf(servers).join(',')}`, `--allow-read=${folder}`, `--allow-write=${folder}`]
          const once = (at) =>
            programs[kind]({ project, folder: join(folder, at), text, servers, flags, commands: 'curl -s http://localhost:8787' })
          return [await once('first'), await once('second')].map(tidy).join('\n')
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

function hostsOf({ redis, upstash, s3 }) {
  return [redis.url, upstash.url, s3.endpoint].map((url) => new URL(url).host)
}
