import { TOKEN } from './agent-client.ts'
import type { RunningWorker } from './workerd.ts'
import { bundleWorker, startWorker } from './workerd.ts'

let bundle: Promise<string> | null = null

/** The worker of `demo/worker` over what lies in the folder. */
export async function startAgentWorker(folder: string, bindings: Readonly<Record<string, string>> = {}): Promise<RunningWorker> {
  bundle ??= bundleWorker('demo/worker/index.ts')
  return startWorker({ bundle: await bundle, folder, className: 'AgentShell', bindings: { TOKEN, ...bindings } })
}
