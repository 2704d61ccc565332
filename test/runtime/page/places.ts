import type { Places } from '../places.ts'

/** What a page and a worker of one have. */
export const pagePlaces: Places = { state: {}, files: {} }
