import { faultOf } from './fault.ts'
import type { Trajectory } from './trajectory.ts'

/** How far a trajectory can be replayed. */
export interface Reach {
  /** The last step that a prefix can have; 0 for none. */
  readonly last: number
  /** Why it can't have more; null where it can have all. */
  readonly stopped: string | null
}

/** The longest prefix that can be replayed, recorded observations standing for those that can't be made again. */
export function reachable(trajectory: Trajectory): Reach {
  const { batches, toolset } = trajectory
  const ends = batches.findIndex(({ calls }) => calls.some(({ name, arguments: given }) => toolset.support(name, given) === 'unsupported'))
  const most = ends === -1 ? batches.length : ends
  const unsupported =
    ends === -1 ? null : `${batches[ends]?.locator}: the tool ${JSON.stringify(batches[ends]?.calls[0]?.name)} can't be replayed`
  // What may not be in a prefix may not be in a longer one either.
  let [last, above, stopped] = [0, most + 1, unsupported]
  while (above - last > 1) {
    const middle = Math.floor((last + above) / 2)
    const refusal = refusalOf(trajectory, middle)
    if (refusal === null) last = middle
    else [above, stopped] = [middle, refusal]
  }
  return { last, stopped }
}

function refusalOf(trajectory: Trajectory, batches: number): string | null {
  try {
    trajectory.checkPrefix(batches)
    return null
  } catch (error) {
    return faultOf(error).message
  }
}
