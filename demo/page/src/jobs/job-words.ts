import type { JobStatus } from 'mirage-runtime'
import { shellWord } from '../format.ts'

/** The command of a Job as it is shown. */
export function commandOf({ run }: JobStatus): string {
  return run.command_line ? run.command.join(' ') : run.command.map(shellWord).join(' ')
}

/** How a Job stands, in a word or two, and whether that is good. */
export function stateOf({ run, live }: JobStatus): { readonly text: string; readonly kind: 'good' | 'bad' | 'busy' | 'plain' } {
  switch (run.state) {
    case 'running':
      return live ? { text: 'running', kind: 'busy' } : { text: 'lost', kind: 'bad' }
    case 'suspended':
      return { text: 'suspended', kind: 'busy' }
    case 'completed':
      return { text: 'completed', kind: 'good' }
    case 'failed':
      return { text: 'failed', kind: 'bad' }
    case 'cancelled':
      return { text: 'stopped', kind: 'plain' }
    case 'terminated':
      return { text: 'ended', kind: 'plain' }
    default:
      return run.state satisfies never
  }
}

/** What became of a Job's changes, in a few words. */
export function stageOf({ filesystem }: JobStatus): string {
  if (filesystem === null) return 'written at once'
  const count = filesystem.changed_files + filesystem.whiteouts
  switch (filesystem.state) {
    case 'active':
      return 'on its stage'
    case 'staged':
      return count === 0 ? 'no changes' : countOf(count, 'change')
    case 'applied':
      return 'applied'
    case 'discarded':
      return 'dropped'
    default:
      return filesystem.state satisfies never
  }
}

/** `1 change`, `2 changes`. */
export function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}
