import { decode, encode } from '../../bytes.ts'
import type { ReadOptions } from '../adapter.ts'
import { configurationFault, ReplayFault, trajectoryFault, versionFault } from '../fault.ts'
import type { JsonObject, JsonValue } from '../json.ts'
import { arrayAt, integerAt, isObject, objectAt } from '../json.ts'
import { TrajectorySource } from '../source.ts'
import type { NativeFile } from '../trajectory.ts'

/** One sample of a log, and how the log is written with other messages of it. */
export interface InspectSample {
  readonly sample: JsonObject
  /** What it is called in errors. */
  readonly where: string
  readonly model: string | null
  write(keep: number, replaced: ReadonlyMap<number, JsonValue>, added: readonly JsonValue[]): NativeFile
}

const HEADERS = ['header.json', '_journal/start.json']

/** True for an archive whose first file is one that Inspect writes. */
export function isInspectArchive({ bytes }: TrajectorySource): boolean {
  const name = decode(bytes.subarray(30, 30 + (bytes[26] ?? 0) + 256 * (bytes[27] ?? 0)))
  return /^(?:header\.json|summaries\.json|reductions\.json|_journal\/.*|samples\/.*_epoch_\d+\.json)$/.test(name)
}

/** What `sample` may be. */
export async function inspectSampleNames(source: TrajectorySource): Promise<readonly string[]> {
  if (source.form !== 'zip') return namesOf(samplesOf(objectAt(source.json(), 'the log')))
  return [...(await opened(source)).samples.keys()]
}

/** The sample that is meant. */
export async function inspectSample(source: TrajectorySource, options: ReadOptions): Promise<InspectSample> {
  return source.form === 'zip' ? archived(source, options) : plain(source, options)
}

function plain(source: TrajectorySource, options: ReadOptions): InspectSample {
  const document = objectAt(source.json(), 'the log')
  const model = modelIn(document, '')
  const samples = samplesOf(document)
  const index = chosen(namesOf(samples), options)
  return {
    sample: samples[index] as JsonObject,
    where: `samples[${index}]`,
    model,
    write: (keep, replaced, added) => source.withElements(['samples', String(index), 'messages'], keep, replaced, added),
  }
}

/** A sample of an archive has a file of its own; a log of the other kind is made of it and of what is said of all. */
async function archived(source: TrajectorySource, options: ReadOptions): Promise<InspectSample> {
  const archive = await opened(source)
  const name = HEADERS.find((header) => archive.member(header) !== null)
  if (name === undefined) throw trajectoryFault('the archive has no header.json: it is no log of Inspect')
  const header = parsed(name, archive.member(name))
  const { samples: _, ...facts } = header.value
  const model = modelIn(facts, `${name}: `)
  const names = [...archive.samples.keys()]
  const member = [...archive.samples.values()][chosen(names, options)] as string
  const { value, source: own } = parsed(member, archive.member(member))
  const head = encode(`${JSON.stringify(facts).slice(0, -1)},"samples":[`)
  return {
    sample: value,
    where: `${member}: `,
    model,
    write: (keep, replaced, added) => [head, ...own.withElements(['messages'], keep, replaced, added), encode(']}\n')],
  }
}

async function opened({ bytes }: TrajectorySource): Promise<import('../inspect-archive.ts').InspectArchive> {
  return (await import('../inspect-archive.ts')).inspectArchive(bytes)
}

function parsed(name: string, bytes: Uint8Array | null): { readonly value: JsonObject; readonly source: TrajectorySource } {
  const source = new TrajectorySource(bytes ?? new Uint8Array())
  try {
    return { value: objectAt(source.json(), 'it'), source }
  } catch (error) {
    if (error instanceof ReplayFault) throw new ReplayFault(error.category, `${name}: ${error.message}`, { cause: error })
    throw error
  }
}

/** Checks the version on the way. */
function modelIn(document: JsonObject, where: string): string | null {
  const version = integerAt(document.version, `${where}version`)
  if (version !== 2) throw versionFault(`${where}version is ${version}: logs of version 2 can be read`)
  const { model } = objectAt(document.eval, `${where}eval`)
  return typeof model === 'string' ? model : null
}

function samplesOf(document: JsonObject): readonly JsonObject[] {
  return arrayAt(document.samples ?? null, 'samples').map((sample, i) => objectAt(sample, `samples[${i}]`))
}

/** What each sample is called: `ID/EPOCH`. */
function namesOf(samples: readonly JsonObject[]): readonly string[] {
  return samples.map(({ id, epoch }) => `${isObject(id) ? '' : String(id)}/${String(epoch ?? 1)}`)
}

/** The index of the one that is meant: by `ID` or `ID/EPOCH`; the only one, where nothing is said. */
function chosen(names: readonly string[], { sample }: ReadOptions): number {
  const found = names.flatMap((name, i) =>
    sample === undefined || name === sample || name.slice(0, name.lastIndexOf('/')) === sample ? [i] : [],
  )
  const exact = sample === undefined ? -1 : names.indexOf(sample)
  if (exact >= 0) return exact
  if (found.length === 1) return found[0] as number
  if (names.length === 0) throw trajectoryFault('the log has no samples')
  const what =
    sample === undefined
      ? 'the log has several samples'
      : `${found.length === 0 ? 'no sample is' : 'several samples are'} ${JSON.stringify(sample)}`
  throw configurationFault(`${what}: choose one with --sample: ${names.slice(0, 20).join(', ')}${names.length > 20 ? ' …' : ''}`)
}
