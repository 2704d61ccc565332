import { decode } from '../bytes.ts'
import type { JobPlace } from './job-storage.ts'

/**
 * The trees that are needed: whatever looks like the id of one in a document beside them. A document of any kind, of whatever keeps trees there, protects what it
 * names; that some other digest is taken for a tree costs nothing.
 */
export async function namedTrees({ store, documents = store }: JobPlace): Promise<ReadonlySet<string>> {
  const named = new Set<string>()
  for (const key of await documents.list('')) {
    if (IS_CONTENT.test(key) || NAMES_NONE.has(key.slice(key.lastIndexOf('/') + 1))) continue
    const stored = await documents.get(key)
    if (stored === null || stored === 'same') continue
    for (const [id] of decode(stored.bytes).matchAll(TREE_ID)) named.add(id)
  }
  return named
}

const TREE_ID = /\b[0-9a-f]{64}\b/g
/** Where trees are kept. A Job may have such a name, too: below `jobs/`. */
const IS_CONTENT = /^(objects|trees|packs|indexes)\//
/** Documents that are long and name no trees. */
const NAMES_NONE: ReadonlySet<string> = new Set(['preimages.json', 'run-bundle.json', 'run.json', 'apply-ledger.json'])
