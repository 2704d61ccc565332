import { decode, encode } from '../bytes.ts'
import { WorkspaceError } from '../errors.ts'
import type { MountMode } from '../fs/mount-table.ts'
import { isNormal } from '../fs/path.ts'
import { checkMode, checkNames, invalid } from '../option-checks.ts'
import { decodeSegment, encodeEvents, encodeHeader, entriesOf } from '../state/history-segment.ts'
import { decodeId, encodeId } from '../state/id.ts'
import { JsonReader } from '../state/json-reader.ts'
import { decodeRecord, encodeRecord } from '../state/session-record.ts'
import { filesToEntries } from './archive-files.ts'
import type { ArchiveEntry } from './archive-tar.ts'
import { readTar, writeTar } from './archive-tar.ts'
import { sha256Hex } from './digest.ts'
import { redact } from './redact.ts'
import { betweenLines, type WorkspaceParts } from './workspace-parts.ts'
import { type CommandEvent, historyOf, recordOf, type SavedSession, type SavedState } from './workspace-state.ts'

/** What goes into an archive. */
export interface SnapshotOptions {
  /** Prefixes of the mounts whose files go with it; all when left out. */
  readonly mounts?: readonly string[]
  /** `redact` leaves out what is secret in sessions and history; files stay as they are. `redact` when left out. */
  readonly secrets?: 'redact' | 'keep'
}

/** What an archive holds. */
export interface ArchivedWorkspace {
  /** Mode by prefix. */
  readonly mounts: ReadonlyMap<string, MountMode>
  readonly state: SavedState
  /** The files of the mounts, each under the name `folderOf` gives. */
  readonly files: readonly ArchiveEntry[]
}

/** All of a workspace as a tar file. */
export async function writeArchive(parts: WorkspaceParts, options: SnapshotOptions): Promise<Uint8Array> {
  checkNames(options, ['mounts', 'secrets'], 'snapshot options')
  const { mounts: chosen, secrets = 'redact' } = options
  if (secrets !== 'redact' && secrets !== 'keep') throw invalid('secrets', secrets, '"redact" or "keep"')
  const all = parts.mounts()
  for (const prefix of chosen ?? []) {
    if (!all.some((mount) => mount.prefix === prefix))
      throw invalid('a prefix in mounts', prefix, all.map((one) => `"${one.prefix}"`).join(', '))
  }
  const mounts = all.filter(({ prefix }) => chosen?.includes(prefix) ?? true)
  const defaultSession = await parts.defaultSession()
  return betweenLines(parts, async (held) => {
    const log = parts.store.history(parts.id)
    const records = new Map(held.map((one) => [one.state.id, recordOf(one)]))
    const sessions: SavedSession[] = []
    for (const id of [...new Set([...records.keys(), ...(await log.sessions())])].sort())
      sessions.push({ id, record: records.get(id) ?? null, history: await historyOf(log, id) })
    // Files in memory are taken at one moment; the rest is read.
    const files = (await Promise.all(mounts.map(({ prefix, fs }) => filesToEntries(fs, folderOf(prefix))))).flat()
    const kept = secrets === 'keep' ? { sessions, names: [] } : redact(sessions)
    const entries = [...kept.sessions.flatMap((session) => sessionEntries(session, parts.host.now())), ...files]
    const manifest = {
      format: FORMAT,
      version: VERSION,
      created_at: parts.host.now() / 1000,
      default_session_id: defaultSession,
      mounts: Object.fromEntries(mounts.map(({ prefix, mode }) => [prefix, mode])),
      redacted: kept.names,
      sha256: digestOf(entries),
    }
    return writeTar([document(MANIFEST, encode(`${JSON.stringify(manifest)}\n`), parts.host.now()), ...entries])
  })
}

/** What an archive holds. CORRUPT where it isn't whole, VERSION_UNSUPPORTED where a newer version wrote it. */
export async function readArchive(bytes: Uint8Array): Promise<ArchivedWorkspace> {
  const [first, ...entries] = await readTar(bytes)
  if (first?.name !== MANIFEST || first.type !== 'file') throw corrupt(`it does not begin with ${MANIFEST}`)
  const manifest = JsonReader.parse(first.bytes, MANIFEST)
  if (manifest.text('format') !== FORMAT) throw corrupt(`its format is ${manifest.quoted('format')}`)
  manifest.version(VERSION)
  if (manifest.has('sha256') && manifest.text('sha256') !== digestOf(entries)) throw corrupt('what it holds has changed since')
  const mounts = manifest.textMap('mounts')
  for (const [prefix, mode] of mounts) {
    if (!isNormal(prefix)) throw corrupt(`${JSON.stringify(prefix)} is no place for a mount`)
    checkArchivedMode(mode)
  }
  const folders = [...mounts.keys()].map(folderOf)
  const sessions = new Map<string, SavedSession>()
  const files: ArchiveEntry[] = []
  for (const entry of entries) {
    const { name, type } = entry
    const [, kind, encoded = ''] = /^(sessions|history)\/([^/]+)\.jsonl?$/.exec(name) ?? []
    if (kind !== undefined && type === 'file') {
      const id = decodeId(encoded)
      const known = sessions.get(id) ?? { id, record: null, history: [] }
      if (kind === 'sessions') sessions.set(id, { ...known, record: decodeRecord(id, entry.bytes, name) })
      else sessions.set(id, { ...known, history: decodeHistory(id, entry) })
    } else if (folders.some((folder) => name === folder || name.startsWith(`${folder}/`))) files.push(entry)
    else throw corrupt(`the name ${JSON.stringify(name)} stands for nothing`)
  }
  const state: SavedState = { defaultSession: manifest.text('default_session_id'), sessions: [...sessions.values()] }
  if (state.defaultSession === '') throw corrupt('it names no default session')
  return { mounts: mounts as ReadonlyMap<string, MountMode>, state, files }
}

/** Where the files of a mount are in an archive. */
export function folderOf(prefix: string): string {
  return `files/${encodeId(prefix)}`
}

const MANIFEST = 'mirage.json'
const FORMAT = 'mirage-workspace'
const VERSION = 1
const NOTHING: Uint8Array = new Uint8Array(0)

function sessionEntries({ id, record, history }: SavedSession, now: number): readonly ArchiveEntry[] {
  const name = encodeId(id)
  const entries: ArchiveEntry[] = []
  if (record !== null) entries.push(document(`sessions/${name}.json`, encodeRecord(id, record), now))
  if (history.length > 0) {
    const header = encodeHeader(null)
    const text = decode(header.bytes) + decode(encodeEvents(header.after, history).bytes)
    entries.push(document(`history/${name}.jsonl`, encode(text), now))
  }
  return entries
}

function decodeHistory(session: string, { name, bytes }: ArchiveEntry): readonly CommandEvent[] {
  const segment = decodeSegment(bytes, name)
  if (segment.size !== bytes.length) throw corrupt(`${name} is cut off`)
  return segment.items.flatMap((item) =>
    entriesOf({ ...segment, items: [item] }, session).map((entry) => ({
      type: 'command' as const,
      id: entry.id,
      entry,
      hidden: item.ordinal === null,
    })),
  )
}

function document(name: string, bytes: Uint8Array, now: number): ArchiveEntry {
  return { name, type: 'file', mode: 0o600, mtimeMs: Math.floor(now / 1000) * 1000, target: '', bytes }
}

/** Tells any change of the entries. */
function digestOf(entries: readonly ArchiveEntry[]): string {
  const digest = sha256Hex()
  for (const { name, type, mode, mtimeMs, target, bytes = NOTHING } of entries) {
    digest.update(encode(`${JSON.stringify([name, type, mode, mtimeMs, target, bytes.length])}\n`))
    digest.update(bytes)
  }
  return digest.digest()
}

function checkArchivedMode(mode: string): void {
  try {
    checkMode(mode, 'the mode of a mount')
  } catch (cause) {
    throw new WorkspaceError('CORRUPT', `the archive: ${JSON.stringify(mode)} is no mode of a mount`, { cause })
  }
}

function corrupt(why: string): WorkspaceError {
  return new WorkspaceError('CORRUPT', `this is no archive of a workspace: ${why}`)
}
