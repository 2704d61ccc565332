import type { HistoryLine, HistoryPage } from '../../src/state/history.ts'
import type { SessionState } from '../../src/state/session.ts'
import type { Sessions } from '../../src/state/sessions.ts'
import { deepEqual, equal, ok } from './assert.ts'
import type { ContractCase } from './case.ts'
import type { SessionSubject } from './session.ts'
import { initialFields } from './session.ts'

/** Run on the same subjects as the session contract. */
export const historyContract: readonly ContractCase<SessionSubject>[] = [
  {
    name: 'a new session has no history',
    async run({ one }) {
      const { history } = await opened(one)
      deepEqual(shown(await history.tail(10)), { total: 0, first: 0, commands: [] })
      deepEqual(shown(await history.range(0, 10)), { total: 0, first: 0, commands: [] })
      deepEqual(await one.history(), [])
    },
  },
  {
    name: 'an entry comes back whole',
    async run({ one, two }) {
      const session = await opened(one)
      const line: HistoryLine = {
        agent: 'a \u{1f642}',
        timestamp: 1_700_000_000_123.5,
        cwd: '/caf\u00e9/\udcff',
        command: 'cat <<E\n"\\ \udc80 \u2028\n#123\n\nE\n',
        exitCode: 130,
        durationMs: 0.25,
      }
      await session.begin()
      await session.commit(session.fields, line)
      const { entries } = await (await opened(two)).history.tail(1)
      equal(entries.length, 1)
      const { id, ...rest } = entries[0] ?? { id: '' }
      ok(id !== '')
      deepEqual(rest, { ...line, session: 's' })
    },
  },
  {
    name: 'tail and range give what they are asked for, and no more than there is',
    async run({ one }) {
      const { history } = await opened(one)
      await history.add(lines(5))
      deepEqual(shown(await history.tail(2)), { total: 5, first: 3, commands: ['c3', 'c4'] })
      deepEqual(shown(await history.tail(0)), { total: 5, first: 5, commands: [] })
      deepEqual(shown(await history.tail(9)).commands.length, 5)
      deepEqual(shown(await history.range(1, 3)), { total: 5, first: 1, commands: ['c1', 'c2'] })
      deepEqual(shown(await history.range(-3, 1)), { total: 5, first: 0, commands: ['c0'] })
      deepEqual(shown(await history.range(4, 99)), { total: 5, first: 4, commands: ['c4'] })
      deepEqual(shown(await history.range(3, 1)), { total: 5, first: 3, commands: [] })
    },
  },
  {
    name: 'instances see each other, in the order of their commits',
    async run({ one, two }) {
      const [a, b] = [await opened(one), await opened(two)]
      for (let i = 0; i < 4; i++) await committed(i % 2 === 0 ? a : b, `c${i}`)
      for (const { history } of [a, b]) deepEqual(shown(await history.tail(9)).commands, ['c0', 'c1', 'c2', 'c3'])
    },
  },
  {
    name: 'sessions are apart, also those whose ids end alike',
    async run({ one, two }) {
      for (const id of ['b', 'a/b', '..', 'b.jsonl']) {
        const { session } = await one.open(id, initialFields)
        await committed(session, id)
      }
      for (const id of ['b', 'a/b', '..', 'b.jsonl']) {
        const { session } = await two.open(id, initialFields)
        deepEqual(shown(await session.history.tail(9)).commands, [id])
      }
    },
  },
  {
    name: 'deleted, cleared and hidden entries leave the views and stay in the record',
    async run({ one, two }) {
      const { history } = await opened(one)
      const other = (await opened(two)).history
      await history.add(lines(6))
      const before = await history.tail(9)
      await history.remove(1, 3)
      deepEqual(shown(await other.tail(9)).commands, ['c0', 'c3', 'c4', 'c5'])
      ok((await other.tail(9)).mark !== before.mark)
      await other.remove(1, 2)
      deepEqual(shown(await history.range(0, 2)), { total: 3, first: 0, commands: ['c0', 'c4'] })
      await history.remove(7, 9)
      await history.add([{ ...line('secret'), hidden: true }, line('seen')])
      deepEqual(shown(await history.tail(9)).commands, ['c0', 'c4', 'c5', 'seen'])
      await history.clear()
      deepEqual(shown(await other.tail(9)), { total: 0, first: 0, commands: [] })
      await other.add([line('new')])
      deepEqual(shown(await history.tail(9)), { total: 1, first: 0, commands: ['new'] })
      deepEqual(
        (await one.history()).map(({ command }) => command),
        ['c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'secret', 'seen', 'new'],
      )
    },
  },
  {
    name: 'the history of all sessions is in the order of time',
    async run({ one, two }) {
      await (await one.open('x', initialFields)).session.history.add([line('x1', 1), line('x4', 4)])
      await (await two.open('y', initialFields)).session.history.add([line('y2', 2), line('y3', 3)])
      deepEqual(
        (await one.history()).map(({ command, session }) => [session, command]),
        [
          ['x', 'x1'],
          ['y', 'y2'],
          ['y', 'y3'],
          ['x', 'x4'],
        ],
      )
    },
  },
  {
    name: 'history outlives its session until the workspace is deleted',
    async run({ one, two, again }) {
      await committed(await opened(one), 'kept')
      await one.remove('s')
      deepEqual(shown(await (await opened(two)).history.tail(9)).commands, ['kept'])
      await two.delete()
      deepEqual(await again().history(), [])
      deepEqual(shown(await (await opened(again())).history.tail(9)).commands, [])
    },
  },
  {
    name: 'a history that was dropped by another instance begins anew',
    async run({ one, again }) {
      const session = await opened(one)
      await session.history.add(lines(3))
      await again().delete()
      await session.history.add([line('new')])
      for (const { history } of [session, await opened(again())]) {
        deepEqual(shown(await history.tail(9)), { total: 1, first: 0, commands: ['new'] })
      }
    },
  },
  {
    name: 'a long history with deletions agrees with a list',
    async run({ one, two, again }) {
      const histories = [(await opened(one)).history, (await opened(two)).history] as const
      const random = numbers(7)
      let model: string[] = []
      const all: string[] = []
      for (let step = 0; step < 260; step++) {
        const history = histories[random(2) as 0 | 1]
        const action = random(40)
        if (action === 0 && step > 130) {
          await history.clear()
          model = []
        } else if (action < 6 && model.length > 0) {
          const from = random(model.length)
          const to = from + random(5)
          await history.remove(from, to)
          model.splice(from, to - from)
        } else {
          const batch = Array.from({ length: 1 + random(25) }, (_, i) => `${step}.${i} ${'x'.repeat(random(200))}`)
          const added = batch.map((command) => ({ ...line(command), hidden: random(10) === 0 }))
          await history.add(added)
          all.push(...batch)
          model.push(...added.filter(({ hidden }) => !hidden).map(({ command }) => command))
        }
        if (step % 13 === 0) deepEqual(shown(await history.tail(20)), page(model, model.length - 20, model.length))
      }
      const fresh = (await opened(again())).history
      for (let i = 0; i < 40; i++) {
        const from = random(model.length)
        const to = from + random(400)
        deepEqual(shown(await fresh.range(from, to)), page(model, from, to))
      }
      deepEqual(shown(await fresh.range(0, model.length)).commands, model)
      deepEqual(
        (await one.history()).map(({ command }) => command),
        all,
      )
    },
  },
]

async function opened(sessions: Sessions): Promise<SessionState> {
  return (await sessions.open('s', initialFields)).session
}

async function committed(session: SessionState, command: string): Promise<void> {
  await session.begin()
  const { cause } = await session.commit(session.fields, line(command))
  if (cause !== undefined) throw cause
}

function line(command: string, timestamp = 1_700_000_000_000): HistoryLine {
  return { agent: null, timestamp, cwd: '/', command, exitCode: 0, durationMs: 1 }
}

function lines(count: number): readonly HistoryLine[] {
  return Array.from({ length: count }, (_, i) => line(`c${i}`))
}

interface Shown {
  readonly total: number
  readonly first: number
  readonly commands: readonly string[]
}

function shown({ total, first, entries }: HistoryPage): Shown {
  return { total, first, commands: entries.map(({ command }) => command) }
}

function page(model: readonly string[], from: number, to: number): Shown {
  const first = Math.min(Math.max(0, from), model.length)
  return { total: model.length, first, commands: model.slice(first, Math.max(first, to)) }
}

/** Numbers below a bound, the same ones for the same seed. */
function numbers(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}
