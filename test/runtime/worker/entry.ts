import type { R2Bucket } from '../../../src/fs/r2-objects.ts'
import type { DurableObjectStorage } from '../../../src/store/durable-object-storage.ts'
import { resultLine, runSuites } from '../harness.ts'
import type { Column, Places } from '../places.ts'
import { serverPlaces } from '../server-places.ts'
import { suitesFor } from '../suites.ts'
import { bucketPlaces, objectPlaces } from './places.ts'

interface Bindings {
  readonly COLUMN: Column
  /** Bound where the cases run in a Durable Object. */
  readonly OBJECT?: {
    idFromName(name: string): unknown
    get(id: unknown): { fetch(url: string): Promise<{ readonly status: number }> }
  }
}

/** What `workerd test` runs. */
export const contract = {
  test: async (_: unknown, { COLUMN, OBJECT }: Bindings): Promise<void> => {
    if (OBJECT === undefined) return run(COLUMN, serverPlaces(COLUMN.servers))
    const { status } = await OBJECT.get(OBJECT.idFromName('cases')).fetch('http://object/')
    if (status !== 200) throw new Error(`the object answered ${status}`)
  },
}

/** What Miniflare runs. */
export default {
  async fetch(_: unknown, { COLUMN, BUCKET }: { readonly COLUMN: Column; readonly BUCKET: R2Bucket }): Promise<Response> {
    await run(COLUMN, bucketPlaces(BUCKET))
    return new Response('')
  },
}

/** Runs the cases in its storage. */
export class CasesObject {
  readonly #storage: DurableObjectStorage & { deleteAll(): Promise<void> }
  readonly #column: Column

  constructor(state: { readonly storage: DurableObjectStorage & { deleteAll(): Promise<void> } }, { COLUMN }: Bindings) {
    this.#storage = state.storage
    this.#column = COLUMN
  }

  async fetch(): Promise<Response> {
    await run(this.#column, objectPlaces(this.#storage))
    return new Response('')
  }
}

function run(column: Column, places: Places): Promise<void> {
  return runSuites(suitesFor(column, places), column.grep, (result) => console.log(resultLine(result)))
}
