import type { Adapter } from '../adapter.ts'
import { trajectoryFault } from '../fault.ts'
import type { Item } from '../item-trajectory.ts'
import { ItemTrajectory } from '../item-trajectory.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { isObject, objectAt, optionalText, textAt } from '../json.ts'
import { demandVersion } from '../pinned-version.ts'
import { liveItems, responseItem, withOutput } from '../response-items.ts'
import { genericTools } from '../tools/generic.ts'

const LINE_TYPES: ReadonlySet<JsonValue | undefined> = new Set(['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted'])

/** Rollouts of Codex: lines that wrap items of Responses. The last line may be cut off. */
export const codex: Adapter = {
  agent: 'codex',
  pinned: '0.149.0',
  profile: 'codex/0.149.0/native-responses-jsonl-v1',
  nativeFormat: 'codex/native-jsonl-0.149.0',
  files: { prepared: 'prepared-prefix.jsonl', reconstructed: 'reconstructed-trajectory.jsonl', continued: 'continued-trajectory.jsonl' },
  recognises(source) {
    const head = source.form === 'zip' ? [] : source.head()
    return head.length > 0 && head.every(({ type, payload }) => LINE_TYPES.has(type) && isObject(payload))
  },
  read(source, options) {
    const lines = source.lines(true).map(({ value, number }) => objectAt(value, `line ${number}`))
    const items = lines.map((line, i): Item => {
      const where = `line ${i + 1}`
      if (textAt(line.type, `${where}: type`) !== 'response_item') return { kind: 'other' }
      return responseItem(objectAt(line.payload, `${where}: payload`), `${where}: payload`)
    })
    if (!items.some(({ kind }) => kind === 'user')) throw trajectoryFault('there is no message of a user: the agent was given no task')
    const meta = lines.find(({ type }) => type === 'session_meta')
    const facts = isObject(meta?.payload) ? meta.payload : {}
    const version = optionalText(facts.cli_version, 'session_meta: cli_version')
    if (version !== undefined) demandVersion(codex, version, 'session_meta: cli_version', options)
    const { cwd } = facts
    return new ItemTrajectory({
      agent: 'codex',
      version: version ?? (codex.pinned as string),
      session: optionalText(facts.id, 'session_meta: id') ?? 'codex',
      model: null,
      toolset: genericTools({
        shown: ({ output, status }) => `Exit code: ${status ?? -1}\nWall time: 0 seconds\nOutput:\n${output}`,
        timeoutKey: 'timeout_ms',
      }),
      directory: typeof cwd === 'string' && cwd.startsWith('/') ? cwd : null,
      items,
      mergesItems: true,
      places: 'lines',
      firstPlace: 1,
      write: (keep, replaced, added) => source.withLines(keep, replaced, added),
      withOutcome: (index, outcome) => {
        const line = lines[index] as JsonObject
        return { ...line, payload: withOutput(line.payload as JsonObject, outcome) }
      },
      live: (phase) => {
        const { timestamp } = lines.at(-1) as JsonObject
        return liveItems(phase).map((payload) => ({ ...(timestamp === undefined ? {} : { timestamp }), type: 'response_item', payload }))
      },
    })
  },
}
