import type { ReadTrajectoryOptions, TrajectoryFacts } from './replay/read-trajectory.ts'

/** Reads the trajectory of an agent, whichever of the known formats it has; nothing is run. Fails with a ReplayFault, which says where the file is wrong. */
export async function readTrajectory(bytes: Uint8Array, options: ReadTrajectoryOptions = {}): Promise<TrajectoryFacts> {
  const { trajectoryFacts } = await import('./replay/read-trajectory.ts')
  return trajectoryFacts(bytes, options)
}
