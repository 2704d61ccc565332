import type { Process } from './process.ts'

/** True where the descriptor is the terminal that the line runs on. */
export function isTerminal(process: Process, descriptor: number): boolean {
  const description = process.descriptors.get(descriptor)
  return process.machine.terminal !== null && description?.kind === 'stream' && description.role !== null
}
