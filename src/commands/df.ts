import { errorText } from '../errors.ts'
import type { FileStat, FileSystemSpace } from '../fs/file-system.ts'
import type { BlockSize } from './block-size.ts'
import { blockSizeOf, blocksOf, parseBlockSize, sizeText } from './block-size.ts'
import { canonicalPath } from './canonical.ts'
import type { Command, CommandContext } from './command.ts'
import { displayWidth } from './display-width.ts'
import { operandPath } from './operand-path.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { say } from './output.ts'
import { quoted, quotedName } from './quoting.ts'
import { CommandFailure, complain, complainOf, isExpected, utility } from './utility.ts'

/** Shows how much room file systems have. */
export const df: Command = utility({
  help: `Usage: df [OPTION]... [FILE]...
Shows how much room there is on the file system of each FILE, or on all that can be seen from /. A back end that has no
limit shows - for what it can't know.

  -a, --all              accepted
  -B, --block-size=SIZE  count in blocks of SIZE
  -h, --human-readable   sizes such as 1K 234M 2G
  -H, --si               as -h, by powers of 1000
  -i, --inodes           files instead of room, which no back end counts
  -k                     as --block-size=1K
  -l, --local            accepted
      --no-sync, --sync  accepted
      --output[=LIST]    these columns: source, fstype, itotal, iused, iavail, ipcent, size, used, avail, pcent, file, target
  -P, --portability      the layout of POSIX
      --total            a line for the sum
  -t, --type=TYPE        only file systems of this type
  -T, --print-type       show the type
  -x, --exclude-type=TYPE  leave out file systems of this type
      --help             show this text
      --version          show the version
`,
  options: {
    'a|all': 'none',
    'B|block-size': 'required',
    'h|human-readable': 'none',
    'H|si': 'none',
    'i|inodes': 'none',
    k: 'none',
    'l|local': 'none',
    'no-sync': 'none',
    sync: 'none',
    output: 'optional',
    'P|portability': 'none',
    total: 'none',
    't|type': 'required',
    'T|print-type': 'none',
    'x|exclude-type': 'required',
    v: 'none',
  },
  run: showSpace,
})

const FIELDS = ['source', 'fstype', 'itotal', 'iused', 'iavail', 'ipcent', 'size', 'used', 'avail', 'pcent', 'file', 'target'] as const
type Field = (typeof FIELDS)[number]

/** Narrowest width of a column, and whether it is aligned to the left. */
const COLUMNS: Readonly<Record<Field, readonly [width: number, isLeft: boolean]>> = {
  source: [14, true],
  fstype: [4, true],
  itotal: [5, false],
  iused: [5, false],
  iavail: [5, false],
  ipcent: [4, false],
  size: [5, false],
  used: [5, false],
  avail: [5, false],
  pcent: [4, false],
  file: [0, true],
  target: [0, true],
}

/** Back ends have no name to tell; all of them go by this one. */
const TYPE = 'mirage'

interface Mounted {
  /** As named by the user; `-` for a mount that was found. */
  readonly file: string
  readonly target: string
  readonly space: FileSystemSpace
}

async function showSpace(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  const size = chosenSize(parsed, context)
  const fields = chosenFields(parsed, context)
  let status = 0
  let mounts: Mounted[] = []
  if (parsed.operands.length === 0) mounts = await visibleMounts(context)
  for (const name of parsed.operands) {
    try {
      const path = await canonicalPath(context, name, 'all')
      const { dev } = await context.fs.stat(path)
      mounts.push({ file: name, target: await mountPoint(path, dev, context), space: await context.fs.space(path) })
    } catch (error) {
      await complainOf(context, quotedName(name), error)
      status = 1
    }
  }
  const only = parsed.options.filter(({ name }) => name === 't').map(({ value }) => value)
  const without = parsed.options.filter(({ name }) => name === 'x').map(({ value }) => value)
  if ((only.length > 0 && !only.includes(TYPE)) || without.includes(TYPE)) mounts = []
  if (mounts.length === 0) {
    if (status === 0) await complain(context, 'no file systems processed')
    return 1
  }
  const rows = [
    fields.map((field) => heading(field, size, parsed)),
    ...mounts.map((mount) => fields.map((field) => cell(field, mount, size))),
  ]
  if (parsed.has('total')) {
    const sum = mounts.reduce<FileSystemSpace>(
      (total, { space }) => ({ total: total.total + space.total, free: total.free + space.free }),
      { total: 0, free: 0 },
    )
    const total: Mounted = { file: '-', target: fields.includes('source') ? '-' : 'total', space: sum }
    rows.push(fields.map((field) => (field === 'source' ? 'total' : field === 'fstype' ? '-' : cell(field, total, size))))
  }
  return say(context.stdout, table(rows, fields), status)
}

function chosenSize(parsed: ParsedOptions, context: CommandContext): BlockSize {
  let size: BlockSize = parsed.has('P') ? blocksOf(context.env.has('POSIXLY_CORRECT') ? 512 : 1024) : blockSizeOf(context.env, 'DF')
  for (const { name, value } of parsed.options) {
    if (name === 'h') size = { kind: 'human', base: 1024 }
    else if (name === 'H') size = { kind: 'human', base: 1000 }
    else if (name === 'k') size = blocksOf(1024)
    else if (name === 'B') {
      const text = value ?? ''
      const given = parseBlockSize(text)
      if (given === 'large') throw new CommandFailure(`-B argument ${quoted(context, text)} too large`)
      if (given === null) throw new CommandFailure(`invalid ${/^\d+\D/.test(text) ? 'suffix in ' : ''}-B argument ${quoted(context, text)}`)
      size = given
    }
  }
  return size
}

function chosenFields(parsed: ParsedOptions, context: CommandContext): readonly Field[] {
  if (parsed.has('output')) {
    for (const [option, name] of [
      ['i', '-i'],
      ['P', '-P'],
      ['T', '-T'],
    ] as const) {
      if (parsed.has(option)) throw new UsageError(`options ${name} and --output are mutually exclusive`)
    }
    const lists = parsed.options.filter(({ name }) => name === 'output').map(({ value }) => value)
    const chosen: Field[] = []
    for (const list of lists) {
      if (list === null) return FIELDS
      for (const word of list.split(',')) {
        const field = FIELDS.find((known) => known === word)
        if (field === undefined) throw new UsageError(`option --output: field ${quoted(context, word)} unknown`)
        if (chosen.includes(field)) throw new UsageError(`option --output: field ${quoted(context, word)} used more than once`)
        chosen.push(field)
      }
    }
    return chosen
  }
  const numbers: readonly Field[] = parsed.has('i') ? ['itotal', 'iused', 'iavail', 'ipcent'] : ['size', 'used', 'avail', 'pcent']
  return ['source', ...(parsed.has('T') ? (['fstype'] as const) : []), ...numbers, 'target']
}

function heading(field: Field, size: BlockSize, parsed: ParsedOptions): string {
  const isPosix = parsed.has('P')
  switch (field) {
    case 'source':
      return 'Filesystem'
    case 'fstype':
      return 'Type'
    case 'itotal':
      return 'Inodes'
    case 'iused':
      return 'IUsed'
    case 'iavail':
      return 'IFree'
    case 'ipcent':
      return 'IUse%'
    case 'size':
      if (size.kind === 'human') return 'Size'
      return `${isPosix ? size.bytes : unitText(size.bytes)}-blocks`
    case 'used':
      return 'Used'
    case 'avail':
      return size.kind === 'human' || parsed.value('output') !== null || (parsed.has('output') && !isPosix) ? 'Avail' : 'Available'
    case 'pcent':
      return isPosix ? 'Capacity' : 'Use%'
    case 'file':
      return 'File'
    case 'target':
      return 'Mounted on'
    default:
      return field satisfies never
  }
}

/** `1K`, `1kB`, `512B`: the size of a block in the heading. */
function unitText(bytes: number): string {
  for (const [base, ending] of [
    [1024, ''],
    [1000, 'B'],
  ] as const) {
    let power = 0
    let rest = bytes
    while (rest >= base && rest % base === 0) {
      rest /= base
      power += 1
    }
    if (power > 0) return `${rest}${(base === 1000 && power === 1 ? 'k' : 'KMGTPEZY'[power - 1]) ?? ''}${ending}`
  }
  return `${bytes}B`
}

function cell(field: Field, { file, target, space }: Mounted, size: BlockSize): string {
  const used = space.total - space.free
  const isKnown = space.total < Number.MAX_SAFE_INTEGER
  const amount = (bytes: number): string => (isKnown ? sizeText(bytes, size) : '-')
  switch (field) {
    case 'source':
    case 'fstype':
      return TYPE
    case 'itotal':
    case 'iused':
    case 'iavail':
    case 'ipcent':
      return '-'
    case 'size':
      return amount(space.total)
    case 'used':
      return amount(used)
    case 'avail':
      return amount(space.free)
    case 'pcent':
      return isKnown && space.total > 0 ? `${Math.ceil((used / space.total) * 100)}%` : '-'
    case 'file':
      return file
    case 'target':
      return target
    default:
      return field satisfies never
  }
}

function table(rows: readonly (readonly string[])[], fields: readonly Field[]): string {
  const widths = fields.map((field, at) => Math.max(COLUMNS[field][0], ...rows.map((row) => displayWidth(row[at] as string))))
  return rows
    .map((row) => {
      const cells = row.map((text, at) => {
        const isLast = at === row.length - 1
        const isLeft = COLUMNS[fields[at] as Field][1]
        const missing = Math.max((widths[at] as number) - displayWidth(text), 0)
        if (isLeft) return isLast ? text : text + ' '.repeat(missing)
        return ' '.repeat(missing) + text
      })
      return `${cells.join(' ')}\n`
    })
    .join('')
}

/** The root, and what is mounted right below it. */
async function visibleMounts(context: CommandContext): Promise<Mounted[]> {
  const { fs } = context
  try {
    const root = await fs.stat('/')
    const mounts: Mounted[] = [{ file: '-', target: '/', space: await fs.space('/') }]
    for (const { name, type } of await fs.readdir('/')) {
      if (type !== 'directory') continue
      const path = `/${name}`
      let stat: FileStat
      try {
        stat = await fs.stat(path)
        if (stat.dev !== root.dev) mounts.push({ file: '-', target: path, space: await fs.space(path) })
      } catch (error) {
        if (!isExpected(error)) throw error
      }
    }
    return mounts
  } catch (error) {
    if (!isExpected(error)) throw error
    throw new CommandFailure(`cannot read table of mounted file systems: ${errorText(error)}`)
  }
}

async function mountPoint(path: string, dev: number, context: CommandContext): Promise<string> {
  let at = path
  while (at !== '/') {
    const above = at.slice(0, at.lastIndexOf('/')) || '/'
    if ((await context.fs.stat(operandPath(context, above))).dev !== dev) return at
    at = above
  }
  return at
}
