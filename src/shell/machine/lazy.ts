import type { MaybePromise } from '../../host.ts'

/** A module that is loaded when it is first needed, and at hand from then on. */
export interface Lazy<Module> {
  /** The module; at once where it has been loaded. */
  get(): MaybePromise<Module>
  /** The module; throws {@link NotLoaded} where it has not been loaded. */
  demand(): Module
}

/** Thrown where a module is needed at once that has to be loaded first: what asked for it is to be done again afterwards. */
export class NotLoaded extends Error {
  readonly load: () => Promise<unknown>

  constructor(load: () => Promise<unknown>) {
    super('a part of the shell is not loaded yet')
    this.load = load
  }
}

export function lazy<Module extends object>(load: () => Promise<Module>): Lazy<Module> {
  let module: Module | null = null
  const keep = async (): Promise<Module> => {
    module = await load()
    return module
  }
  return {
    get: () => module ?? keep(),
    demand() {
      if (module === null) throw new NotLoaded(keep)
      return module
    },
  }
}
