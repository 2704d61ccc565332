import { readFile } from 'node:fs/promises'
import { parse, TomlError } from 'smol-toml'
import { hasCode } from '../../../src/errors.ts'
import { UsageError } from './usage-error.ts'

/** What a TOML file holds. A {@link UsageError} where there is none, or it is none. */
export async function readToml(path: string): Promise<Record<string, unknown>> {
  try {
    return parse(await readFile(path, 'utf8'))
  } catch (error) {
    if (error instanceof TomlError) throw new UsageError(`${path}: line ${error.line}, column ${error.column}: ${firstLine(error.message)}`)
    if (hasCode(error, 'ENOENT')) throw new UsageError(`${path}: No such file or directory`)
    throw error
  }
}

/** True for what is a table in TOML, an object in JSON. */
export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** A value of a configuration in a few words, for messages. */
export function shownValue(value: unknown): string {
  return typeof value === 'object' && value !== null ? (Array.isArray(value) ? 'a list' : 'a table') : JSON.stringify(value)
}

function firstLine(text: string): string {
  return (text.split('\n')[0] as string).replace(/^Invalid TOML document: /, '')
}
