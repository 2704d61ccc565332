import { ConfigError, codeOf, loadWorkspaceConfig, webHost } from 'mirage-runtime'
import { deepEqual, ok } from '../contract/assert.ts'
import type { ContractCase } from '../contract/case.ts'

/** What the package must do in a runtime before anything else can work there. */
export const packageCases: readonly ContractCase<null>[] = [
  {
    name: 'a configuration is read by modules loaded when they are needed',
    run: async () => {
      const config = await loadWorkspaceConfig('workspace_id: agent\nstore: { type: disk }\nenv: { A: "${B}" }', { env: { B: 'c' } })
      deepEqual([config.workspaceId, config.store.all.type, config.env.get('A')], ['agent', 'disk', 'c'])
    },
  },
  {
    name: 'an error of the package has its class and its code',
    run: async () => {
      const error = await loadWorkspaceConfig('mode: w').catch((thrown: unknown) => thrown)
      deepEqual([error instanceof ConfigError, codeOf(error)], [true, 'CONFIG_INVALID'])
    },
  },
  {
    name: 'the host gives time, chance, timers and turns',
    run: async () => {
      const bytes = new Uint8Array(70_000)
      webHost.random(bytes)
      ok(bytes.subarray(65_536).some((byte) => byte !== 0))
      await new Promise<void>((resolve) => webHost.timer(1, resolve))
      await webHost.breathe()
      ok(webHost.now() > 1_700_000_000_000)
    },
  },
]
