import type { ReadOptions } from './adapter.ts'
import { adapterFor } from './adapters.ts'
import type { AtifTrajectory } from './atif.ts'
import { reachable } from './reachable.ts'
import { TrajectorySource } from './source.ts'

/** What is in a file that an agent left. */
export interface TrajectoryFacts {
  /** The adapter that reads it. */
  readonly agent: string
  readonly version: string
  /** How many steps there are: turns with calls and all of their observations. */
  readonly steps: number
  /** How many of them can be replayed, and why not all; null where all can. */
  readonly replayable: number
  readonly stopped: string | null
  /** Where the agent worked; null where the file doesn't tell. */
  readonly directory: string | null
  /** All of it in the Agent Trajectory Interchange Format. */
  readonly atif: AtifTrajectory
}

/** As {@link ReadOptions}, and whose file it is: `auto` when left out. */
export interface ReadTrajectoryOptions extends ReadOptions {
  readonly agent?: string
}

/** Reads the trajectory of an agent, whichever of the known formats it has; nothing is run. Fails with a ReplayFault. */
export async function trajectoryFacts(bytes: Uint8Array, options: ReadTrajectoryOptions = {}): Promise<TrajectoryFacts> {
  const source = new TrajectorySource(bytes)
  const adapter = await adapterFor(options.agent ?? 'auto', source)
  const trajectory = await adapter.read(source, options)
  const { last, stopped } = reachable(trajectory)
  const { atif, version, directory, batches } = trajectory
  return { agent: adapter.agent, version, steps: batches.length, replayable: last, stopped, directory, atif }
}
