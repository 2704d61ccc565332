// An instance in a page: `openInstance(PLACE)`, then `answer(REQUEST)`.
import { RedisWorkspaceStateStore } from '../../../src/state/redis-state-store.ts'
import type { Instance, Place, Request } from './instance.ts'
import { openInstance } from './instance.ts'

let instance: Instance | null = null

Object.assign(globalThis, {
  openInstance: (place: Place) => {
    instance = openInstance(place, { Redis: RedisWorkspaceStateStore, disk: null })
  },
  answer: (request: Request) => instance?.answer(request),
})
