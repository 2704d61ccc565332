import { decode, encode } from '../../bytes.ts'
import { hasCode } from '../../errors.ts'
import { dirname } from '../../fs/path.ts'
import type { JsonObject } from '../json.ts'
import type { ReplaySite, ToolOutcome } from '../toolset.ts'

/** The text of a file by the agent's path; null where there is none, or a directory. */
export async function readText({ fs, path }: ReplaySite, given: string): Promise<string | null> {
  try {
    return decode(await fs.read(path(given)))
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR') || hasCode(error, 'EISDIR')) return null
    throw error
  }
}

/** What is at the agent's path. */
export async function typeAt({ fs, path }: ReplaySite, given: string): Promise<'file' | 'directory' | null> {
  try {
    return (await fs.stat(path(given))).type === 'directory' ? 'directory' : 'file'
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return null
    throw error
  }
}

/** Writes a file by the agent's path, and makes the directories above it. */
export async function writeText({ fs, path }: ReplaySite, given: string, text: string): Promise<void> {
  const target = path(given)
  const missing: string[] = []
  for (let above = dirname(target); above !== '/'; above = dirname(above)) {
    try {
      await fs.stat(above)
      break
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error
      missing.push(above)
    }
  }
  for (const directory of missing.reverse()) await fs.mkdir(directory)
  await fs.write(target, encode(text))
}

/** How often a text is in another. */
export function occurrences(text: string, part: string): number {
  return part === '' ? 0 : text.split(part).length - 1
}

/** The text with the first, or every, place of a part replaced; nothing in `by` means anything but itself. */
export function replaced(text: string, part: string, by: string, all: boolean): string {
  return all ? text.split(part).join(by) : text.replace(part, () => by)
}

/** An argument that is a text; undefined where it is something else. */
export function textOf(given: JsonObject, name: string): string | undefined {
  const value = given[name]
  return typeof value === 'string' ? value : undefined
}

export function numberOf(given: JsonObject, name: string): number | undefined {
  const value = given[name]
  return typeof value === 'number' ? value : typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : undefined
}

/** An observation that is a text, and shown as it is. */
export function told(text: string, more: Partial<Pick<ToolOutcome, 'isError' | 'status' | 'missing'>> = {}): ToolOutcome {
  return { value: text, text, isError: false, status: null, missing: [], ...more }
}

/** A file system's refusal, in the tool's answer. */
export function refused(text: string): ToolOutcome {
  return told(text, { isError: true })
}
