import { formatAge } from '../format.ts'
import type { SeenJob } from './job-reader.ts'
import { commandOf, countOf, stageOf } from './job-words.ts'
import type { Moment, MomentAction } from './timeline.ts'

type Checkpoint = SeenJob['status']['checkpoints'][number]

/** What a person can do at a moment of a Job; null for a checkpoint means now. */
export interface MomentActions {
  /** Shows what the Job had changed then. */
  readonly look: (checkpoint: string | null) => void
  readonly fork: (checkpoint: string | null) => void
  /** Lets the command itself go on twice. */
  readonly split: (checkpoint: string | null) => void
  readonly restore: (checkpoint: string) => void
  readonly remove: (checkpoint: string) => void
  readonly open: (job: string) => void
}

/** What happened to a Job, latest first; `shown` is the checkpoint whose changes are shown. */
export function jobMoments(seen: SeenJob, shown: string | null, act: MomentActions): readonly Moment[] {
  const { run, live, checkpoints, apply_history: applied, filesystem, checkpoint_capability: can } = seen.status
  const now = Date.now()
  const past = [
    ...checkpoints.map((one) => ({ at: one.created_at_unix_ms, moment: checkpointMoment(one, seen, shown, act, now) })),
    ...applied.map((one) => ({
      at: one.created_at_unix_ms,
      moment: {
        id: one.apply_id,
        title: `Applied ${countOf(one.changes.length, 'change')}`,
        facts: [formatAge(one.created_at_unix_ms, now)],
        icon: 'check',
        actions: [],
      } satisfies Moment,
    })),
  ].sort((a, b) => b.at - a.at)
  const canFork = filesystem?.state === 'staged' && run.state !== 'running' && run.state !== 'suspended'
  const canSplit = filesystem !== null && can.execution && (live || run.state === 'suspended')
  return [
    {
      id: 'now',
      title: run.state === 'running' ? 'Running' : run.state === 'suspended' ? 'Suspended' : stageOf(seen.status),
      facts: ['now'],
      icon: 'jobs',
      shown: shown === null,
      actions: [
        ...(shown === null ? [] : [{ label: 'Look', icon: 'diff', run: () => act.look(null) } as const]),
        ...(canFork ? [{ label: 'Fork', icon: 'fork', run: () => act.fork(null) } as const] : []),
        ...(canSplit ? [{ label: 'Fork as it runs', icon: 'fork', run: () => act.split(null) } as const] : []),
      ],
    },
    ...past.map(({ moment }) => moment),
    startMoment(seen, act, now),
  ]
}

function checkpointMoment(one: Checkpoint, { status }: SeenJob, shown: string | null, act: MomentActions, now: number): Moment {
  const { checkpoint_id: id, kind } = one
  const look: MomentAction = { label: 'Look', icon: 'diff', run: () => act.look(id) }
  const remove: MomentAction = { label: 'Delete', icon: 'trash', run: () => act.remove(id) }
  const middle: readonly MomentAction[] =
    kind === 'execution'
      ? [{ label: 'Go on from here as a new Job', icon: 'fork', run: () => act.split(id) }]
      : [
          { label: 'Fork', icon: 'fork', run: () => act.fork(id) },
          { label: 'Restore as a new Job', icon: 'history', run: () => act.restore(id) },
        ]
  return {
    id,
    title: `${kind === 'execution' ? 'Kept as it ran' : 'Checkpoint'} ${shortId(id)}`,
    facts: [formatAge(one.created_at_unix_ms, now)],
    icon: kind === 'execution' ? 'pause' : 'flag',
    shown: shown === id,
    actions: [...(status.run.state === 'running' ? [] : [look]), ...middle, remove],
  }
}

function startMoment({ status }: SeenJob, act: MomentActions, now: number): Moment {
  const { lineage, started_at_unix_ms: at } = status.run
  const facts = [formatAge(at, now)]
  if (lineage === null) return { id: 'start', title: `Started ${commandOf(status)}`, facts, icon: 'run', actions: [] }
  const { parent_run_id: parent } = lineage
  return {
    id: 'start',
    title: `Forked from ${parent}`,
    facts,
    icon: 'fork',
    actions: [{ label: 'Open the Job', icon: 'jobs', run: () => act.open(parent) }],
  }
}

/** Enough of an id to tell it from others. */
function shortId(id: string): string {
  return id.replace(/^(checkpoint|request)-/, '').slice(0, 8)
}
