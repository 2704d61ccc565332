import type { Places } from '../places.ts'

/** What a worker has without a binding. */
export const workerPlaces: Places = { state: {}, files: {} }
