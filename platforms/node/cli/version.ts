import { readFile } from 'node:fs/promises'

/** The version of the package that this file belongs to. */
export async function version(): Promise<string> {
  // dist/platforms/node/cli/version.js lies four folders below the manifest.
  const manifest: unknown = JSON.parse(await readFile(new URL('../../../../package.json', import.meta.url), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : 'unknown'
}
