import type { ReplaySite } from '../toolset.ts'

/** The directory that a shell is in, as a path of the workspace. `status` is what the last command left in `$?`, and is left there. */
export async function shellDirectory(site: ReplaySite, session: string, status: number | null): Promise<string> {
  const { stdout } = await site.shell(`pwd; (exit ${status ?? 0})`, { session })
  return stdout.replace(/\n$/, '')
}
