import type { FileSystem } from 'mirage-runtime'
import { hasCode } from 'mirage-runtime'
import { HttpError } from './http-error.ts'
import { readBody } from './request-body.ts'
import type { Handler } from './route.ts'
import { decodeSegment } from './target.ts'

/** `GET /files/PATH`: the bytes of a file, or the names in a directory. `Range: bytes=FROM-TO` gives a part of a file. */
export const getFile: Handler = {
  query: [],
  async run({ request, agent, rest }) {
    const { fs } = agent.workspace
    const path = pathOf(rest)
    const { type, size } = await fs.stat(path)
    if (type === 'directory') {
      const entries = [...(await fs.readdir(path))].sort((a, b) => (a.name < b.name ? -1 : 1))
      return Response.json({ path, entries: entries.map((entry) => ({ name: entry.name, type: entry.type })) })
    }
    if (type !== 'file') throw new HttpError(409, 'EINVAL', `${path} is a ${type}`)
    const range = rangeOf(request.headers.get('range'), size)
    const length = (range?.end ?? size) - (range?.from ?? 0)
    if (length > agent.limits.fileBytes) {
      const advice = 'get it in parts, with a header "Range: bytes=FROM-TO"'
      throw new HttpError(
        413,
        'LIMIT_EXCEEDED',
        `${path} has ${length} bytes, of which ${agent.limits.fileBytes} are given at once: ${advice}`,
      )
    }
    const bytes = await fs.read(path, range?.from ?? 0, length)
    const headers = { 'content-type': 'application/octet-stream', 'x-content-type-options': 'nosniff', 'accept-ranges': 'bytes' }
    if (range === null) return new Response(bytes as BodyInit, { headers })
    const part = { ...headers, 'content-range': `bytes ${range.from}-${range.end - 1}/${size}` }
    return new Response(bytes as BodyInit, { status: 206, headers: part })
  },
}

/** `PUT /files/PATH`: writes a file, and makes the directories it lies in. */
export const putFile: Handler = {
  query: [],
  async run({ request, agent, rest }) {
    const { fs } = agent.workspace
    const path = pathOf(rest)
    const bytes = await readBody(request, agent.limits.fileBytes)
    await makeParents(fs, path)
    const existed = await exists(fs, path)
    await fs.write(path, bytes)
    return new Response(null, { status: existed ? 204 : 201 })
  },
}

/** `DELETE /files/PATH`: removes a file or an empty directory; with `?recursive=true` a directory with all in it. */
export const deleteFile: Handler = {
  query: ['recursive'],
  async run({ agent, rest, query }) {
    const { fs } = agent.workspace
    const path = pathOf(rest)
    const recursive = query.get('recursive') ?? 'false'
    if (recursive !== 'true' && recursive !== 'false') {
      throw new HttpError(400, 'BAD_REQUEST', `recursive is "${recursive}"; it may be true or false`)
    }
    if (path === '/') throw new HttpError(409, 'EBUSY', 'the root cannot be removed')
    await remove(fs, path, recursive === 'true')
    return new Response(null, { status: 204 })
  },
}

/** The path within the workspace. What `.` and `..` stood for, the address has left behind already. */
function pathOf(rest: string): string {
  const names = rest.split('/').filter((name) => name !== '')
  const decoded = names.map(decodeSegment)
  const wrong = decoded.find((name) => name === '.' || name === '..' || /[/\0]/.test(name))
  if (wrong !== undefined) throw new HttpError(400, 'BAD_REQUEST', `${JSON.stringify(wrong)} is no name of a file`)
  return `/${decoded.join('/')}`
}

interface ByteRange {
  readonly from: number
  /** One past the last byte. */
  readonly end: number
}

/** Null where no range is asked for, or one of a form that may be ignored. */
function rangeOf(header: string | null, size: number): ByteRange | null {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || first + last === '') return null
  const from = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1)
  if (from < end) return { from, end }
  throw new HttpError(416, 'BAD_RANGE', `the file has ${size} bytes, the range begins at ${from}`, { 'content-range': `bytes */${size}` })
}

async function makeParents(fs: FileSystem, path: string): Promise<void> {
  for (let at = path.indexOf('/', 1); at !== -1; at = path.indexOf('/', at + 1)) {
    try {
      await fs.mkdir(path.slice(0, at))
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
    }
  }
}

async function exists(fs: FileSystem, path: string): Promise<boolean> {
  try {
    await fs.stat(path)
    return true
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}

async function remove(fs: FileSystem, path: string, recursive: boolean): Promise<void> {
  const { type } = await fs.lstat(path)
  if (type !== 'directory') return fs.unlink(path)
  if (recursive) for (const { name } of await fs.readdir(path)) await remove(fs, `${path}/${name}`, true)
  return fs.rmdir(path)
}
