import { strftime } from '../time/strftime.ts'
import { zone } from '../time/zone.ts'
import type { CommandContext } from './command.ts'
import { modeText } from './file-mode.ts'
import { nameOfId } from './identity.ts'
import type { TreeOptions } from './tree-options.ts'
import type { TreeNode } from './tree-walk.ts'

/** Writes trees as text, JSON or XML, in pieces. */
export function writeTree(roots: readonly TreeNode[], options: TreeOptions, context: CommandContext): string[] {
  const writer = new TreeWriter(options, context)
  switch (options.format) {
    case 'text':
      return writer.text(roots)
    case 'json':
      return writer.json(roots)
    case 'xml':
      return writer.xml(roots)
    default:
      return options.format satisfies never
  }
}

interface Totals {
  directories: number
  files: number
  bytes: number
}

const LINES = {
  ascii: { tee: '|-- ', corner: '`-- ', bar: '|   ' },
  'utf-8': { tee: '├── ', corner: '└── ', bar: '│\u00a0\u00a0 ' },
}
const PIECE = 65_536
const SIX_MONTHS_MS = 31_556_952_000 / 2

class TreeWriter {
  readonly #options: TreeOptions
  readonly #context: CommandContext
  readonly #pieces: string[] = []
  readonly #totals: Totals = { directories: 0, files: 0, bytes: 0 }
  #piece = ''

  constructor(options: TreeOptions, context: CommandContext) {
    this.#options = options
    this.#context = context
  }

  text(roots: readonly TreeNode[]): string[] {
    for (const root of roots) {
      const failure = root.failure === null ? '' : `  ${root.failure}`
      this.#write(`${root.stat === null ? '' : this.#details(root)}${this.#name(root, root.name)}${failure}\n`)
      if (root.stat !== null && root.isDirectory) this.#totals.directories += 1
      this.#totals.bytes += root.bytes
      this.#branches(root, '')
    }
    if (this.#options.report) this.#write(`\n${this.#report()}\n`)
    return this.#finish()
  }

  #branches(node: TreeNode, prefix: string): void {
    const { tee, corner, bar } = LINES[this.#options.lines]
    const children = node.children ?? []
    for (const [at, child] of children.entries()) {
      const isLast = at === children.length - 1
      this.#count(child)
      const lead = this.#options.indent ? prefix + (isLast ? corner : tee) : ''
      const failure = child.failure === null ? '' : `  ${child.failure}`
      const name = this.#options.fullPaths ? child.fullName : child.name
      this.#write(`${lead}${this.#details(child)}${this.#name(child, name)}${failure}\n`)
      this.#branches(child, this.#options.indent ? prefix + (isLast ? '    ' : bar) : '')
    }
  }

  #count(node: TreeNode): void {
    if (node.isDirectory) this.#totals.directories += 1
    else this.#totals.files += 1
  }

  #report(): string {
    const { directories, files, bytes } = this.#totals
    const { usage, sizes, directoriesOnly } = this.#options
    const used = usage ? `${sizeColumn(bytes, sizes).trimStart()}${sizes === 'bytes' ? ' bytes' : ''} used in ` : ''
    const counted = `${directories} director${directories === 1 ? 'y' : 'ies'}`
    return directoriesOnly ? used + counted : `${used}${counted}, ${files} file${files === 1 ? '' : 's'}`
  }

  /** What stands in brackets before the name. */
  #details(node: TreeNode): string {
    const fields = this.#fields(node)
    if (fields.length === 0) return ''
    return `[${fields
      .map(([, text]) => ` ${text}`)
      .join('')
      .slice(1)}]  `
  }

  #fields(node: TreeNode): [key: string, text: string][] {
    const options = this.#options
    const { stat } = node
    if (stat === null) return []
    const fields: [string, string][] = []
    if (options.inodes) fields.push(['inode', String(stat.ino).padStart(7)])
    if (options.device) fields.push(['dev', String(stat.dev).padStart(3)])
    if (options.permissions) fields.push(['prot', modeText(stat)])
    if (options.users) fields.push(['user', this.#owner(stat.uid).padEnd(8)])
    if (options.groups) fields.push(['group', this.#owner(stat.gid).padEnd(8)])
    if (options.sizes !== 'none') fields.push(['size', sizeColumn(options.usage ? node.bytes : stat.size, options.sizes).slice(1)])
    if (options.date !== null) fields.push(['time', this.#time(options.sort === 'ctime' ? stat.ctimeMs : stat.mtimeMs, options.date)])
    return fields
  }

  #owner(id: number): string {
    return (nameOfId(id, this.#context.env) ?? String(id)).slice(0, 32)
  }

  #time(ms: number, format: string): string {
    const where = zone(this.#context.env.get('TZ'))
    if (format !== '') return strftime(format, ms, where)
    const now = this.#context.host.now()
    const isRecent = ms > now - SIX_MONTHS_MS && ms <= now
    return strftime(isRecent ? '%b %e %H:%M' : '%b %e  %Y', ms, where)
  }

  #name(node: TreeNode, name: string): string {
    const { quote, classify } = this.#options
    const shown = (text: string): string => (quote ? `"${text}"` : text)
    let text = this.#color(node, shown(name))
    if (node.link !== null && node.type === 'symlink') text += ` -> ${shown(node.link)}`
    if (!classify) return text
    const judged = node.type === 'symlink' ? node.target : node.stat
    if (judged === null) return text
    if (judged.type === 'directory') return `${text}/`
    if (judged.type === 'fifo') return `${text}|`
    return judged.type === 'file' && (judged.mode & 0o111) !== 0 ? `${text}*` : text
  }

  #color(node: TreeNode, text: string): string {
    const { colors } = this.#options
    if (colors === null) return text
    const codes = colors.codes({
      name: node.name,
      type: node.type,
      stat: node.stat,
      target: node.type === 'symlink' ? node.target : undefined,
    })
    if (codes === null) return text
    return `${colors.left}${codes}${colors.right}${text}${colors.left}0${colors.right}`
  }

  json(roots: readonly TreeNode[]): string[] {
    this.#write('[\n')
    for (const [at, root] of roots.entries()) {
      if (at > 0) this.#write(',\n')
      if (root.stat !== null && root.isDirectory) this.#totals.directories += 1
      this.#totals.bytes += root.bytes
      this.#jsonNode(root, root.name, '  ', true)
      this.#write('\n')
    }
    if (this.#options.report) {
      const { directories, files, bytes } = this.#totals
      const size = this.#options.usage ? `"size":${bytes},` : ''
      const counts = this.#options.directoriesOnly ? `"directories":${directories}` : `"directories":${directories},"files":${files}`
      this.#write(`,\n  {"type":"report",${size}${counts}}\n`)
    }
    this.#write(']\n')
    return this.#finish()
  }

  #jsonNode(node: TreeNode, name: string, indent: string, isRoot: boolean): void {
    const target = node.type === 'symlink' && node.link !== null ? `,"target":${JSON.stringify(node.link)}` : ''
    const details = this.#fields(node).map(([key, text]) => jsonField(key, text, node))
    this.#write(`${indent}{"type":"${TYPES[node.type]}","name":${JSON.stringify(name)}${target}${details.join('')}`)
    if (node.failure !== null) {
      this.#write(`,"contents":[{"error": ${JSON.stringify(node.failure.replace(/^\[|\]$/g, ''))}}\n${indent}]}`)
      return
    }
    const children = node.children ?? []
    if (children.length === 0 && !isRoot) {
      this.#write('}')
      return
    }
    this.#write(',"contents":[\n')
    for (const [at, child] of children.entries()) {
      this.#count(child)
      this.#jsonNode(child, this.#options.fullPaths ? child.fullName : child.name, `${indent}  `, false)
      this.#write(at === children.length - 1 ? '\n' : ',\n')
    }
    this.#write(`${indent}]}`)
  }

  xml(roots: readonly TreeNode[]): string[] {
    this.#write('<?xml version="1.0" encoding="UTF-8"?>\n<tree>\n')
    for (const root of roots) {
      if (root.stat !== null && root.isDirectory) this.#totals.directories += 1
      this.#totals.bytes += root.bytes
      this.#xmlNode(root, root.name, '  ')
    }
    if (this.#options.report) {
      const { directories, files, bytes } = this.#totals
      const size = this.#options.usage ? `    <size>${bytes}</size>\n` : ''
      const counted = this.#options.directoriesOnly ? '' : `    <files>${files}</files>\n`
      this.#write(`  <report>\n${size}    <directories>${directories}</directories>\n${counted}  </report>\n`)
    }
    this.#write('</tree>\n')
    return this.#finish()
  }

  #xmlNode(node: TreeNode, name: string, indent: string): void {
    const tag = TYPES[node.type]
    const target = node.type === 'symlink' && node.link !== null ? ` target="${escapeXml(node.link)}"` : ''
    const details = this.#fields(node).map(([key, text]) =>
      key === 'prot' ? ` mode="${octal(node)}" prot="${text}"` : ` ${key}="${escapeXml(text.trim())}"`,
    )
    this.#write(`${indent}<${tag} name="${escapeXml(name)}"${target}${details.join('')}>`)
    const children = node.children ?? []
    if (node.failure !== null) this.#write(`<error>${escapeXml(node.failure.replace(/^\[|\]$/g, ''))}</error>`)
    if (children.length > 0) {
      this.#write('\n')
      for (const child of children) {
        this.#count(child)
        this.#xmlNode(child, this.#options.fullPaths ? child.fullName : child.name, `${indent}  `)
      }
      this.#write(indent)
    }
    this.#write(`</${tag}>\n`)
  }

  #write(text: string): void {
    this.#piece += text
    if (this.#piece.length < PIECE) return
    this.#pieces.push(this.#piece)
    this.#piece = ''
  }

  #finish(): string[] {
    if (this.#piece !== '') this.#pieces.push(this.#piece)
    this.#piece = ''
    return this.#pieces
  }
}

const TYPES = { file: 'file', directory: 'directory', symlink: 'link', 'character-device': 'char', fifo: 'fifo' } as const

function octal({ stat }: TreeNode): string {
  return (stat?.mode ?? 0).toString(8).padStart(4, '0')
}

function jsonField(key: string, text: string, node: TreeNode): string {
  if (key === 'prot') return `,"mode":"${octal(node)}","prot":"${text}"`
  if (key === 'inode' || key === 'dev') return `,"${key}":${Number(text)}`
  if (key === 'size' && /^\s*\d+$/.test(text)) return `,"size":${Number(text)}`
  return `,"${key}":${JSON.stringify(text.trim())}`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** A size with a space before it, as wide as the column. */
function sizeColumn(bytes: number, sizes: TreeOptions['sizes']): string {
  if (sizes === 'none' || sizes === 'bytes') return ` ${String(bytes).padStart(11)}`
  const base = sizes === 'si' ? 1000 : 1024
  const letters = sizes === 'si' ? 'kMGTPEZY' : 'KMGTPEZY'
  let size = bytes
  let power = 0
  while (size >= base && power < letters.length) {
    size /= base
    power += 1
  }
  if (power === 0) return ` ${String(bytes).padStart(4)}`
  return ` ${(size >= 10 ? size.toFixed(0) : size.toFixed(1)).padStart(3)}${letters[power - 1]}`
}
