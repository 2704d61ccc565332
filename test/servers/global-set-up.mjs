import { startServers } from './servers.mjs'

/** Starts the servers before the first test file, and ends them after the last. */
export async function setup() {
  const { close } = await startServers()
  return close
}
