import { s3Settings } from '../../src/s3/s3-options.ts'
import { RAMWorkspaceStateStore } from '../../src/state/ram-state-store.ts'
import { S3WorkspaceStateStore } from '../../src/state/s3-state-store.ts'
import { S3Store } from '../../src/store/s3-store.ts'
import type { Addresses } from '../servers/addresses.ts'
import type { Places, StatePlace } from './places.ts'

/** What every runtime has that may reach the servers. */
export function serverPlaces(servers: Addresses | null): Places {
  if (servers === null) return { state: {}, files: {} }
  return {
    state: { s3: () => s3Place(servers) },
    files: {},
  }
}

/** A bucket can't append, so the history is in memory. */
function s3Place({ s3 }: Addresses): StatePlace {
  const { endpoint: endpointUrl, ...bucket } = s3
  const options = { ...bucket, endpointUrl, keyPrefix: `${fresh()}/` }
  const settings = s3Settings(options, 'S3Store')
  const observer = new RAMWorkspaceStateStore()
  return { store: () => new S3Store(settings), observer, state: () => new S3WorkspaceStateStore({ ...options, observer }) }
}

/** Begins the keys of one case, so that nothing need be removed before the next. */
function fresh(): string {
  return `case ${crypto.randomUUID()}`
}
