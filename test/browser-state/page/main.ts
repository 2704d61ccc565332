import { damage } from './damage.ts'
import { measure } from './measure.ts'
import { report } from './report.ts'
import { hear, read, write } from './work.ts'

// What a page, or a worker of one, does is in its address: the call, its arguments, and the id under which it reports what came of it.

const calls: Record<string, (given: never) => Promise<unknown>> = { write, read, hear, ...damage, ...measure }
const query = new URLSearchParams(location.search)

if (query.has('worker') && typeof document !== 'undefined') startWorker()
else await run()

function startWorker(): void {
  query.delete('worker')
  const worker = new Worker(`/page.js?${query}`, { type: 'module' })
  worker.onerror = (event) => void report({ id: query.get('id'), error: event.message })
}

async function run(): Promise<void> {
  const [name, id] = [query.get('call') ?? '', query.get('id')]
  const call = calls[name]
  try {
    if (call === undefined) throw new Error(`there is no call ${name}`)
    const value = await call(JSON.parse(query.get('given') ?? '{}') as never)
    await report({ id, value: value ?? null })
  } catch (error) {
    const { code, message, stack } = error as Error & { code?: unknown }
    await report({ id, error: `${code ?? ''} ${message}\n${stack}` })
  }
}
