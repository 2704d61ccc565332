import { encode } from '../../bytes.ts'
import type { Adapter, ReadOptions } from '../adapter.ts'
import { configurationFault, trajectoryFault, versionFault } from '../fault.ts'
import type { Item } from '../item-trajectory.ts'
import { ItemTrajectory } from '../item-trajectory.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { arrayAt, integerAt, isArray, isObject, objectAt, optionalObject, textAt } from '../json.ts'
import { contentText } from '../message-content.ts'
import { TrajectorySource } from '../source.ts'
import { genericTools } from '../tools/generic.ts'
import type { LivePhase, Trajectory } from '../trajectory.ts'

/**
 * Logs of Inspect, version 2: `.json`, or `.eval`, which is an archive with a file a sample. What is written is always of the first kind, and of an archive it holds the one
 * sample.
 */
export const inspect: Adapter = {
  agent: 'inspect',
  pinned: null,
  profile: 'inspect/2/native-log-v1',
  nativeFormat: 'inspect/native-json-2',
  files: { prepared: 'prepared-log.json', reconstructed: 'reconstructed-log.json', continued: 'continued-log.json' },
  recognises(source) {
    if (source.form === 'zip') return true
    if (source.form !== 'json') return false
    const document = source.json()
    return (
      isObject(document) &&
      typeof document.version === 'number' &&
      isObject(document.eval) &&
      (document.samples === undefined || isArray(document.samples))
    )
  },
  async samples(source) {
    return namesOf(source.form === 'zip' ? (await unpacked(source)).samples : samplesOf(objectAt(source.json(), 'the log')))
  },
  async read(source, options) {
    if (source.form !== 'zip') return read(source, options)
    const { header, samples } = await unpacked(source)
    const sample = samples[chosen(samples, options)] as JsonObject
    return read(new TrajectorySource(encode(JSON.stringify({ ...header, samples: [sample] }))), {})
  },
}

async function unpacked(source: TrajectorySource): Promise<{ readonly header: JsonObject; readonly samples: readonly JsonObject[] }> {
  const { unpackJson } = await import('../inspect-archive.ts')
  const files = unpackJson(
    source.bytes,
    (name) => name === 'header.json' || name === '_journal/start.json' || /^samples\/[^/]+\.json$/.test(name),
  )
  const header = files.get('header.json') ?? files.get('_journal/start.json')
  if (header === undefined) throw trajectoryFault('the archive has no header.json: it is no log of Inspect')
  return { header, samples: [...files].flatMap(([name, sample]) => (name.startsWith('samples/') ? [sample] : [])) }
}

function samplesOf(document: JsonObject): readonly JsonObject[] {
  return arrayAt(document.samples ?? null, 'samples').map((sample, i) => objectAt(sample, `samples[${i}]`))
}

/** What each sample is called. */
function namesOf(samples: readonly JsonObject[]): readonly string[] {
  return samples.map(({ id, epoch }) => `${String(id)}/${String(epoch ?? 1)}`)
}

function read(source: TrajectorySource, options: ReadOptions): Trajectory {
  const document = objectAt(source.json(), 'the log')
  const version = integerAt(document.version, 'version')
  if (version !== 2) throw versionFault(`version is ${version}: logs of version 2 can be read`)
  const facts = objectAt(document.eval, 'eval')
  const samples = samplesOf(document)
  const index = chosen(samples, options)
  const sample = samples[index] as JsonObject
  const where = `samples[${index}].messages`
  const messages = arrayAt(sample.messages, where).map((message, i) => objectAt(message, `${where}[${i}]`))
  const attachments = optionalObject(sample.attachments, `samples[${index}].attachments`) ?? {}
  return new ItemTrajectory({
    agent: 'inspect',
    version: '2',
    session: typeof sample.uuid === 'string' ? sample.uuid : String(sample.id ?? 'inspect'),
    model: typeof facts.model === 'string' ? facts.model : null,
    // Its tool gives errors first.
    toolset: genericTools({ composed: ({ stdout, stderr }) => (stderr === '' ? stdout : `${stderr}\n${stdout}`) }),
    directory: null,
    items: messages.map((message, i) => itemOf(message, `${where}[${i}]`, attachments)),
    mergesItems: false,
    places: 'messages',
    firstPlace: 0,
    write: (keep, replaced, added) => source.withElements(['samples', String(index), 'messages'], keep, replaced, added),
    withOutcome: (at, { text }) => {
      const { error: _, ...message } = messages[at] as JsonObject
      return { ...message, content: text }
    },
    live: liveMessages,
  })
}

/** The sample that is meant: `ID` or `ID/EPOCH`; the only one, where nothing is said. */
function chosen(samples: readonly JsonObject[], { sample }: ReadOptions): number {
  const names = namesOf(samples)
  const found = names.flatMap((name, i) =>
    sample === undefined || name === sample || name.slice(0, name.lastIndexOf('/')) === sample ? [i] : [],
  )
  if (found.length === 1) return found[0] as number
  if (samples.length === 0) throw trajectoryFault('the log has no samples')
  const what =
    sample === undefined
      ? 'the log has several samples'
      : `${found.length === 0 ? 'no sample is' : 'several samples are'} ${JSON.stringify(sample)}`
  throw configurationFault(`${what}: choose one with --sample: ${names.slice(0, 20).join(', ')}${names.length > 20 ? ' …' : ''}`)
}

function itemOf(message: JsonObject, where: string, attachments: JsonObject): Item {
  const role = textAt(message.role, `${where}.role`)
  const text = attached(contentText(message.content), attachments)
  switch (role) {
    case 'system':
    case 'user':
      return { kind: role, text }
    case 'assistant': {
      const reasoning = isArray(message.content)
        ? message.content.flatMap((part) => (isObject(part) && typeof part.reasoning === 'string' ? [part.reasoning] : [])).join('\n')
        : ''
      const calls =
        message.tool_calls === undefined || message.tool_calls === null ? [] : arrayAt(message.tool_calls, `${where}.tool_calls`)
      return {
        kind: 'agent',
        text,
        ...(reasoning === '' ? {} : { reasoning }),
        calls: calls.map((given, i) => {
          const at = `${where}.tool_calls[${i}]`
          const { id, function: name, arguments: args } = objectAt(given, at)
          return {
            id: textAt(id, `${at}.id`),
            name: textAt(name, `${at}.function`),
            arguments: attachedAll(objectAt(args, `${at}.arguments`), attachments),
          }
        }),
      }
    }
    case 'tool': {
      const error = optionalObject(message.error, `${where}.error`)
      if (error !== undefined) textAt(error.type, `${where}.error.type`)
      return {
        kind: 'result',
        id: textAt(message.tool_call_id, `${where}.tool_call_id`),
        observation: { value: text, isError: error !== undefined },
      }
    }
    default:
      throw trajectoryFault(`${where}.role is ${JSON.stringify(role)}: it has to be "system", "user", "assistant" or "tool"`)
  }
}

/** Long texts are kept beside the messages. */
function attached(text: string, attachments: JsonObject): string {
  const kept = text.startsWith('attachment://') ? attachments[text.slice('attachment://'.length)] : undefined
  return typeof kept === 'string' ? kept : text
}

function attachedAll(given: JsonObject, attachments: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]): [string, JsonValue] => [
      name,
      typeof value === 'string' ? attached(value, attachments) : value,
    ]),
  )
}

function liveMessages({ boundaryPrompt, turns }: LivePhase): readonly JsonValue[] {
  const messages: JsonValue[] = boundaryPrompt === null ? [] : [{ role: 'user', content: boundaryPrompt }]
  for (const { text, reasoning, calls, outcomes } of turns) {
    messages.push({
      role: 'assistant',
      content:
        reasoning === null
          ? text
          : [
              { type: 'reasoning', reasoning },
              { type: 'text', text },
            ],
      ...(calls.length === 0
        ? {}
        : { tool_calls: calls.map(({ id, name, arguments: given }) => ({ id, function: name, arguments: given, type: 'function' })) }),
    })
    outcomes.forEach(({ text: content }, i) => {
      messages.push({ role: 'tool', tool_call_id: calls[i]?.id ?? '', function: calls[i]?.name ?? '', content })
    })
  }
  return messages
}
