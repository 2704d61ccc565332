import { expect, test } from 'vitest'
import type { Line } from './lines.mjs'
import { Recording } from './recording.mjs'
import { faultsOf } from './verdict.mjs'

// What would be found if a store did not keep its promises.

const ORDERED = { ordered: true, inOneStep: true }
const OPTIMISTIC = { ordered: false, inOneStep: false }

const line = (id: string, kind: Line['kind'], text: string, value = ''): Line => ({
  id,
  session: 's',
  kind,
  value,
  text: `${text} # ${id}`,
})
const add = (id: string): Line => line(id, 'add', 'n=$((n + 1)); echo "$n"')
const swap = (id: string): Line => line(id, 'swap', `echo "$a"; a=${id}`, id)

interface Said {
  readonly stdout?: string
  readonly durability?: 'pending'
  readonly conflicts?: readonly string[]
  readonly outdated?: true
}

/** Lines by instance, at the times given; null: killed. */
function recorded(
  ...lines: readonly (readonly [instance: string, line: Line, begin: number, end: number, said: Said | null])[]
): Recording {
  const recording = new Recording()
  for (const [instance, one, begin, end, said] of lines) {
    const answer =
      said === null
        ? null
        : { stdout: '', exitCode: 0, durability: 'committed' as const, conflicts: [], outdated: false, cause: null, ...said }
    recording.lines.push({ instance, line: one, begin, end, answer })
  }
  return recording
}

function faults(recording: Recording, commands: readonly Line[], variables: Record<string, string>, promises = ORDERED): readonly string[] {
  const finals = new Map([['s', { variables, commands: commands.map(({ text }) => text) }]])
  return faultsOf({ recording, finals, readAt: 100 }, promises)
}

const [one, two] = [add('one'), add('two')]

test('two that count one after the other', () => {
  const recording = recorded(['p', one, 0, 3, { stdout: '1\n' }], ['q', two, 1, 2, { stdout: '2\n' }])
  expect(faults(recording, [one, two], { n: '2' })).toEqual([])
})

test('an update that got lost', () => {
  const recording = recorded(['p', one, 0, 3, { stdout: '1\n' }], ['q', two, 1, 2, { stdout: '1\n' }])
  const found = faults(recording, [one, two], { n: '1' })
  expect(found[0]).toBe('session s: n=$((n + 1)); echo "$n" # two saw "0" where n held "1"')
  expect(found[1]).toBe(
    `session s, n: no order of the lines explains
  2 operations, of which the last are (ms from the start):
        1.0       2.0  saw 0, set 1    q  n=$((n + 1)); echo "$n" # two  committed
>       0.0       3.0  saw 0, set 1    p  n=$((n + 1)); echo "$n" # one  committed`,
  )
})

test('an update that got lost where the store has no leases, said and not said', () => {
  const lines = (said: Said) => recorded(['p', swap('x'), 0, 3, said], ['q', swap('y'), 1, 2, {}])
  const all = [swap('y'), swap('x')]
  expect(faults(lines({}), all, { a: 'x' }, OPTIMISTIC)).toHaveLength(1)
  expect(faults(lines({ outdated: true }), all, { a: 'x' }, OPTIMISTIC)).toHaveLength(1)
  expect(faults(lines({ outdated: true, conflicts: ['variable a'] }), all, { a: 'x' }, OPTIMISTIC)).toEqual([])
})

test('two that counted to the same number where the store has no leases: outdated says it, there is no conflict', () => {
  const lines = (said: Said) => recorded(['p', one, 0, 3, { stdout: '1\n', ...said }], ['q', two, 1, 2, { stdout: '1\n' }])
  expect(faults(lines({}), [two, one], { n: '1' }, OPTIMISTIC)).toHaveLength(1)
  expect(faults(lines({ outdated: true }), [two, one], { n: '1' }, OPTIMISTIC)).toEqual([])
})

test('a line that was kept waiting takes effect between its begin and when it is known to be in the store', () => {
  const [late, other, again] = [line('late', 'write', 'a=late', 'late'), swap('other'), swap('again')]
  const lines = (seen: string) =>
    recorded(['p', late, 0, 1, { durability: 'pending' }], ['q', other, 2, 3, {}], ['p', again, 4, 5, { stdout: seen }])
  expect(faults(lines('late'), [other, late, again], { a: 'again' })).toEqual([])
  expect(faults(lines('other'), [other, late, again], { a: 'again' })).toHaveLength(2)
  expect(faults(lines('late'), [other, again], { a: 'again' })).toContain('session s: not in the history: a=late # late')
})

test('a killed line is in the history once or not at all', () => {
  const recording = recorded(['p', one, 0, Number.POSITIVE_INFINITY, null], ['q', two, 1, 2, { stdout: '2\n' }])
  expect(faults(recording, [one, two], { n: '2' })).toEqual([])
  expect(faults(recording, [two], { n: '2' })).toEqual(['session s: n=$((n + 1)); echo "$n" # two saw "1" where n held "0"'])
  expect(faults(recording, [two], { n: '2' }, { ordered: true, inOneStep: false })).toEqual([])
  expect(faults(recording, [one, one, two], { n: '2' })).toContain('session s: 2 times in the history: n=$((n + 1)); echo "$n" # one')
})

test('entries in another order than their lines, and of no line', () => {
  const recording = recorded(['p', one, 0, 1, { stdout: '1\n' }], ['q', two, 2, 3, { stdout: '2\n' }])
  expect(faults(recording, [two, one], { n: '2' }, OPTIMISTIC)).toEqual([
    'session s: in the history before a line that it came after: n=$((n + 1)); echo "$n" # two before n=$((n + 1)); echo "$n" # one',
  ])
  expect(faults(recording, [one, two, swap('never')], { n: '2' }, OPTIMISTIC)).toEqual([
    'session s: in the history, though it never ran: echo "$a"; a=never # never',
  ])
})

test('what is there at the end is not what the lines left', () => {
  const recording = recorded(['p', one, 0, 1, { stdout: '1\n' }])
  expect(faults(recording, [one], { n: '0' })).toHaveLength(2)
})

test('a conflict with nobody', () => {
  const lines = (other: string) =>
    recorded(['p', swap('x'), 0, 3, { conflicts: ['variable a'], outdated: true }], [other, swap('y'), 4, 5, { stdout: 'x' }])
  expect(faults(lines('q'), [swap('x'), swap('y')], { a: 'y' })).toEqual([])
  expect(faults(lines('p'), [swap('x'), swap('y')], { a: 'y' })).toEqual([
    'session s: echo "$a"; a=x # x names a conflict of variable a, which no other instance set',
  ])
})

test('what a killed line copied is what the next one finds', () => {
  const copy = (id: string): Line => line(id, 'copy', 'echo "$b"; b=@$a; echo "$b"')
  const [first, died, next] = [swap('x'), copy('died'), copy('next')]
  const lines = (found: string) =>
    recorded(['p', first, 0, 1, {}], ['p', died, 2, Number.POSITIVE_INFINITY, null], ['q', next, 3, 4, { stdout: `${found}\n@x\n` }])
  expect(faults(lines('@x'), [first, died, next], { a: 'x', b: '@x' })).toEqual([])
  expect(faults(lines('@y'), [first, died, next], { a: 'x', b: '@x' })).toHaveLength(1)
})

test('a killed line without an entry explains that a comparison failed', () => {
  const died = line('died', 'write', 'a=died', 'died')
  const compared = line('compared', 'compare', '[[ $a == "x" ]]; echo $?', 'x')
  const recording = recorded(
    ['p', swap('x'), 0, 1, {}],
    ['p', died, 2, Number.POSITIVE_INFINITY, null],
    ['q', compared, 3, 4, { stdout: '1\n' }],
  )
  expect(faults(recording, [swap('x'), compared], { a: 'died' }, { ordered: true, inOneStep: false })).toEqual([])
  expect(faults(recording, [swap('x'), compared], { a: 'died' })).toHaveLength(2)
})
