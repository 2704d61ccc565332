import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorText } from '../../../src/errors.ts'
import { configurationFault } from '../../../src/replay/fault.ts'
import { REFUSED_REPLAY_OPTIONS } from './refused-options.ts'
import type { ReplayField, ReplayFields } from './replay-fields.ts'
import { pathIn, REPLAY_KEYS } from './replay-fields.ts'
import { isTable, readToml, shownValue } from './toml-file.ts'

const SCHEMA = 'sandbox-playback.request/v1'
/** Tables of a configuration that speak of an outer run. */
const OUTER_TABLES: readonly string[] = ['run', 'overlayfs', 'overlaynet']

/** The fields that a TOML file holds in `[replay]`. A `configuration_error` for what isn't known, or can't be had (it begins with CAPABILITY_UNSUPPORTED). */
export async function fieldsOfConfig(path: string): Promise<ReplayFields> {
  const { replay, ...others } = await read(path, () => readToml(path))
  for (const name of Object.keys(others)) {
    if (OUTER_TABLES.includes(name))
      throw unsupported(`${path}: ${name}: a replay is a Job of its own, and its calls are staged: no other run is put around it`)
    throw configurationFault(`${path}: ${name} is not known; it may be [replay]`)
  }
  if (!isTable(replay)) throw configurationFault(`${path}: it has to have a table [replay]`)
  return fieldsIn(replay, `${path}: replay.`, dirname(path))
}

/** The fields of a JSON request. */
export async function fieldsOfRequest(path: string): Promise<ReplayFields> {
  const document = await read(path, async (): Promise<unknown> => JSON.parse(await readFile(path, 'utf8')))
  if (!isTable(document)) throw configurationFault(`${path} holds ${shownValue(document)}: it has to be an object`)
  const { schema_version, agent, ...others } = document
  if (schema_version !== SCHEMA)
    throw configurationFault(
      `${path}: schema_version is ${schema_version === undefined ? 'missing' : shownValue(schema_version)}: it has to be "${SCHEMA}"`,
    )
  if (!isTable(agent))
    throw configurationFault(`${path}: agent is ${agent === undefined ? 'missing' : shownValue(agent)}: it has to be an object`)
  const { type, entrypoint, runtime, disallowed_tools, ...unknown } = agent
  const [first] = Object.keys(unknown)
  if (first !== undefined)
    throw configurationFault(`${path}: agent.${first} is not known; it may be type, entrypoint, runtime, disallowed_tools`)
  if (typeof type !== 'string') throw configurationFault(`${path}: agent.type has to be a text`)
  for (const [name, value] of [
    ['entrypoint', entrypoint],
    ['runtime', runtime],
  ] as const)
    if (value !== undefined && value !== null) throw unsupported(`${path}: agent.${name}: ${REFUSED_REPLAY_OPTIONS.get(`agent-${name}`)}`)
  if (Object.hasOwn(others, 'disallowed_tools')) throw configurationFault(`${path}: disallowed_tools stand in agent`)
  for (const name of ['trajectory', 'after_step', 'workspace', 'state_dir', 'output_dir'])
    if (others[name] === undefined || others[name] === null) throw configurationFault(`${path}: ${name} is missing`)
  const given = Object.fromEntries(Object.entries({ ...others, agent: type, disallowed_tools }).filter(([, value]) => value != null))
  return fieldsIn(given, `${path}: `, dirname(path))
}

function fieldsIn(table: Readonly<Record<string, unknown>>, where: string, folder: string): ReplayFields {
  const fields = new Map<string, ReplayField>()
  for (const [key, value] of Object.entries(table)) {
    const refused = REFUSED_REPLAY_OPTIONS.get(key.replaceAll('_', '-'))
    if (refused !== undefined) throw unsupported(`${where}${key}: ${refused}`)
    if (!Object.hasOwn(REPLAY_KEYS, key))
      throw configurationFault(`${where}${key} is not known; it may be ${Object.keys(REPLAY_KEYS).join(', ')}`)
    fields.set(key, fieldOf(value, REPLAY_KEYS[key], `${where}${key}`, folder))
  }
  if (fields.get('prepare_only') === true && fields.get('replay_only') === true)
    throw configurationFault(`${where}prepare_only and replay_only do not go together`)
  return fields
}

function fieldOf(value: unknown, kind: (typeof REPLAY_KEYS)[string] | undefined, where: string, folder: string): ReplayField {
  const wrong = (may: string): Error => configurationFault(`${where} holds ${shownValue(value)}; it may hold ${may}`)
  switch (kind) {
    case 'number':
      if (typeof value !== 'number') throw wrong('a whole number')
      return value
    case 'flag':
      if (typeof value !== 'boolean') throw wrong('true or false')
      return value
    case 'texts':
      if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) throw wrong('a list of texts')
      return value
    default:
      if (typeof value !== 'string' || (kind === 'path' && value === '')) throw wrong('a text')
      return kind === 'path' ? pathIn(folder, value) : value
  }
}

/** What can't be read or understood is a fault of the request. */
async function read<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const text = errorText(error)
    throw configurationFault(text.startsWith(path) ? text : `${path}: ${text}`)
  }
}

function unsupported(message: string): Error {
  return configurationFault(`CAPABILITY_UNSUPPORTED: ${message}`)
}
