import type { NetChange } from './changes.ts'
import type { JobCore } from './job-core.ts'
import { readDocument, writeDocuments } from './job-core.ts'
import type { Fingerprint } from './job-documents.ts'
import type { Selection } from './selection.ts'

const LEDGER = 'apply-ledger.json'

/** `apply-ledger.json`: what was applied, and what was about to be when somebody stopped. */
export interface ApplyLedger {
  readonly schema_version: 2
  readonly records: readonly ApplyRecord[]
}

export interface ApplyRecord {
  readonly schema_version: 2
  readonly apply_id: string
  readonly created_at_unix_ms: number
  readonly overlay_id: string
  readonly overlay_generation: number
  readonly target: string
  readonly selection: { readonly paths: readonly string[]; readonly includes: readonly string[]; readonly excludes: readonly string[] }
  readonly changes: readonly NetChange[]
  readonly planned_paths: readonly string[]
  readonly preimages: readonly (readonly [path: string, fingerprint: Fingerprint])[]
  readonly state: 'prepared' | 'target_applied' | 'committed'
  readonly remaining_changes: number | null
}

export async function readLedger(core: JobCore): Promise<ApplyLedger> {
  return (await readDocument<ApplyLedger>(core, LEDGER)) ?? { schema_version: 2, records: [] }
}

/** The ledger with a record in place of the one of its id, or at the end. */
export function withRecord(ledger: ApplyLedger, record: ApplyRecord): ApplyLedger {
  const others = ledger.records.filter(({ apply_id }) => apply_id !== record.apply_id)
  return { ...ledger, records: [...others, record] }
}

export async function writeLedger(core: JobCore, ledger: ApplyLedger, others: Readonly<Record<string, unknown>> = {}): Promise<void> {
  await writeDocuments(core, { ...others, [LEDGER]: ledger })
}

export function newRecord(
  { id, context }: JobCore,
  fields: { applyId: string; generation: number; target: string; selection: Selection; changes: readonly NetChange[] },
): ApplyRecord {
  const { selection, changes } = fields
  return {
    schema_version: 2,
    apply_id: fields.applyId,
    created_at_unix_ms: Math.round(context.host.now()),
    overlay_id: id,
    overlay_generation: fields.generation,
    target: fields.target,
    selection: { paths: selection.paths ?? [], includes: selection.include ?? [], excludes: selection.exclude ?? [] },
    changes,
    planned_paths: changes.map(({ path }) => path),
    preimages: changes.map(({ path, before }) => [path, before]),
    state: 'prepared',
    remaining_changes: null,
  }
}
