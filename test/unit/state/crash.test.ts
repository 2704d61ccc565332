import fs from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import type { DiskCalls } from '../../../platforms/node/disk-calls.ts'
import { diskCalls } from '../../../platforms/node/disk-calls.ts'
import { DiskStore } from '../../../platforms/node/disk-store.ts'
import type { Host } from '../../../src/host.ts'
import { webHost } from '../../../src/host.ts'
import type { HistoryLine } from '../../../src/state/history.ts'
import type { SessionFields } from '../../../src/state/session-fields.ts'
import type { Sessions } from '../../../src/state/sessions.ts'
import { openSessions } from '../../../src/state/sessions.ts'
import { StoredStateStore } from '../../../src/state/stored-state-store.ts'
import { initialFields } from '../../contract/session.ts'
import { newFolder, removeFolders } from './subjects.ts'

afterAll(removeFolders)

/** A host whose clock runs fast, so that what died is stale at the second look. */
const hasty: Host = { ...webHost, elapsed: () => (moment += 6000) }
let moment = 0

const CHANGES: ReadonlySet<string> = new Set([
  'makeFolders',
  'makeFolder',
  'removeFolder',
  'unlink',
  'rename',
  'touch',
  'open',
  'write',
  'truncate',
  'sync',
])

interface Crashing {
  readonly calls: DiskCalls
  /** Changing calls so far, and bytes that the call before the crash was asked to write. */
  made: number
  asked: number
}

/** Calls of a process that dies in its `last` changing call: before it, or, where it writes, after `torn` bytes. */
function crashing(last: number, torn = 0): Crashing {
  const state: Crashing = { calls: diskCalls, made: 0, asked: 0 }
  const calls = new Proxy(diskCalls, {
    get:
      (target, name: keyof DiskCalls) =>
      (...args: readonly unknown[]) => {
        if (state.made >= last) throw new Error('the process is dead')
        if (CHANGES.has(name)) state.made += 1
        if (state.made >= last) {
          if (name === 'write') {
            const [descriptor, bytes] = args as [number, Uint8Array]
            state.asked = bytes.length
            diskCalls.write(descriptor, bytes.subarray(0, torn))
          }
          throw new Error('the process dies')
        }
        return (target[name] as (...args: readonly unknown[]) => unknown)(...args)
      },
  })
  return Object.assign(state, { calls })
}

function open(root: string, calls: DiskCalls): Sessions {
  const store = new StoredStateStore(new DiskStore(root, { calls, host: hasty }))
  return openSessions({ store, workspaceId: 'w', host: hasty })
}

function line(command: string): HistoryLine {
  return { agent: null, timestamp: 1, cwd: '/', command, exitCode: 0, durationMs: 0 }
}

/** Runs a line; true when it was acknowledged. */
async function run(sessions: Sessions, command: string): Promise<boolean> {
  const { session } = await sessions.open('s', initialFields)
  const fields = await session.begin()
  const { durability } = await session.commit(withLast(fields, command), line(command))
  return durability === 'committed'
}

function withLast(fields: SessionFields, command: string): SessionFields {
  return { ...fields, variables: new Map(fields.variables).set('last', { attributes: '', value: command }) }
}

/** What a line finds after the crash, and that it can go on. */
async function check(root: string, acknowledged: boolean, where: string): Promise<void> {
  const sessions = open(root, diskCalls)
  const { session } = await sessions.open('s', initialFields)
  const value = (await session.begin()).variables.get('last')?.value
  session.abandon()
  expect(acknowledged ? ['second'] : ['first', 'second', undefined], where).toContain(value)
  expect(await run(sessions, 'third'), where).toBe(true)
  const commands = (await sessions.history()).map(({ command }) => command)
  const whole = [['first', 'second', 'third'], ...(acknowledged ? [] : [['first', 'third'], ['third'], ['second', 'third']])]
  expect(whole, where).toContainEqual(commands)
  expect(await sessions.list()).toEqual(['s'])
  await sessions.close()
}

describe('a process that dies', () => {
  it('in any call of its first lines leaves what the next one can go on from', { timeout: 180_000 }, async () => {
    let last = 0
    for (let ended = false; !ended; ) {
      last += 1
      const root = newFolder()
      const { calls } = crashing(last)
      const acknowledged = await twoLines(root, calls)
      ended = acknowledged
      await check(root, acknowledged, `call ${last}`)
    }
    expect(last).toBeGreaterThan(40)
  })

  it('after any byte of an entry or a record leaves what the next one can go on from', { timeout: 180_000 }, async () => {
    const root = newFolder()
    await run(open(root, diskCalls), 'first')
    const writes: number[] = []
    for (let last = 1; ; last++) {
      const copy = newFolder()
      fs.cpSync(root, copy, { recursive: true })
      const state = crashing(last)
      if (await run(open(copy, state.calls), 'second').catch(() => false)) break
      if (state.asked > 0) writes.push(last)
    }
    expect(writes.length).toBe(2)
    for (const last of writes) {
      let asked = 1
      for (let torn = 0; torn <= asked; torn += 7) {
        const copy = newFolder()
        fs.cpSync(root, copy, { recursive: true })
        const state = crashing(last, torn)
        await run(open(copy, state.calls), 'second').catch(() => false)
        asked = state.asked
        await check(copy, false, `call ${last}, ${torn} of ${asked} bytes`)
      }
    }
  })
})

async function twoLines(root: string, calls: DiskCalls): Promise<boolean> {
  try {
    const sessions = open(root, calls)
    return (await run(sessions, 'first')) && (await run(sessions, 'second'))
  } catch {
    return false
  }
}
