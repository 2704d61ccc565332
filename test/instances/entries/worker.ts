// An instance in a worker: a Durable Object, since what one request of a worker opens can't be used by another. It stores nothing itself.
import { RedisWorkspaceStateStore } from '../../../src/state/redis-state-store.ts'
import type { Request as Asked, Instance, Place } from './instance.ts'
import { openInstance } from './instance.ts'

interface Bindings {
  readonly INSTANCE: { idFromName(name: string): unknown; get(id: unknown): { fetch(request: Request): Promise<Response> } }
}

export class InstanceObject {
  #instance: Instance | null = null

  async fetch(request: Request): Promise<Response> {
    const { place, asked } = (await request.json()) as { readonly place: Place; readonly asked: Asked }
    this.#instance ??= openInstance(place, { Redis: RedisWorkspaceStateStore, disk: null })
    return Response.json(await this.#instance.answer(asked))
  }
}

export default {
  fetch: (request: Request, { INSTANCE }: Bindings): Promise<Response> => INSTANCE.get(INSTANCE.idFromName('one')).fetch(request),
}
