import type { Adapter } from '../adapter.ts'
import { ItemTrajectory } from '../item-trajectory.ts'
import type { JsonObject } from '../json.ts'
import { arrayAt, isArray, isObject, objectAt, optionalObject } from '../json.ts'
import { inspectTools } from '../tools/inspect.ts'
import { inspectSample, inspectSampleNames, isInspectArchive } from './inspect-log.ts'
import { inspectItems, liveMessages, withOutcome } from './inspect-messages.ts'

/**
 * Logs of Inspect, version 2: `.json`, or `.eval`, which is an archive with a file a sample. What is written is always of the first kind: of a `.json` all of it with the
 * chosen sample cut off or made anew, of an `.eval` what it says of all samples (not byte for byte) and the chosen one (byte for byte) alone.
 */
export const inspect: Adapter = {
  agent: 'inspect',
  pinned: null,
  profile: 'inspect/2/native-log-v1',
  nativeFormat: 'inspect/native-json-2',
  files: { prepared: 'prepared-log.json', reconstructed: 'reconstructed-log.json', continued: 'continued-log.json' },
  recognises(source) {
    if (source.form === 'zip') return isInspectArchive(source)
    if (source.form !== 'json') return false
    const document = source.json()
    return (
      isObject(document) &&
      typeof document.version === 'number' &&
      isObject(document.eval) &&
      (document.samples === undefined || document.samples === null || isArray(document.samples))
    )
  },
  samples: inspectSampleNames,
  async read(source, options) {
    const { sample, where, model, write } = await inspectSample(source, options)
    const at = where.endsWith(' ') ? where : `${where}.`
    const messages = arrayAt(sample.messages, `${at}messages`).map((message, i) => objectAt(message, `${at}messages[${i}]`))
    const attachments = optionalObject(sample.attachments, `${at}attachments`) ?? {}
    return new ItemTrajectory({
      agent: 'inspect',
      version: '2',
      session: typeof sample.uuid === 'string' ? sample.uuid : String(sample.id ?? 'inspect'),
      model,
      toolset: inspectTools,
      directory: null,
      items: inspectItems(messages, attachments, `${at}messages`),
      mergesItems: false,
      places: 'messages',
      firstPlace: 0,
      write,
      withOutcome: (index, outcome) => withOutcome(messages[index] as JsonObject, outcome),
      live: liveMessages,
    })
  },
}
