import { startServers } from '../servers/servers.mjs'
import { bundleAll } from './bundles.mjs'

/** Starts the servers and bundles the instances before the first test file; ends and removes them after the last. */
export async function setup() {
  const [{ close }, remove] = await Promise.all([startServers(), bundleAll()])
  return async () => {
    remove()
    await close()
  }
}
