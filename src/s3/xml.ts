/** An element of an XML document; attributes are left out. */
export interface XmlElement {
  /** Without the prefix of its namespace. */
  readonly name: string
  /** What stands directly in it, entities resolved. */
  readonly text: string
  readonly children: readonly XmlElement[]
}

/** The root element of what an S3 server answers; null for what is no such document, as a proxy's page of HTML may be. */
export function readXml(source: string): XmlElement | null {
  const root = { name: '', text: '', children: [] as XmlElement[] }
  const open = [root]
  let at = 0
  for (const { 0: token, 1: name, index } of source.matchAll(TOKEN)) {
    const top = open.at(-1)
    if (top === undefined) return null
    top.text += resolved(source.slice(at, index))
    at = index + token.length
    if (token.startsWith('<![CDATA[')) top.text += token.slice(9, -3)
    if (name === undefined) continue
    if (token.startsWith('</')) {
      if (open.length < 2 || top.name !== localName(name)) return null
      open.pop()
      continue
    }
    const element = { name: localName(name), text: '', children: [] }
    top.children.push(element)
    if (!token.endsWith('/>')) open.push(element)
    if (open.length > DEEPEST) return null
  }
  return open.length === 1 && root.children.length === 1 ? (root.children[0] ?? null) : null
}

/** The children of that name. */
export function childrenOf(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.filter((child) => child.name === name)
}

/** The text of the first child of that name; null where there is none. */
export function textOf(element: XmlElement, name: string): string | null {
  return element.children.find((child) => child.name === name)?.text ?? null
}

/** Text as it stands in a document; null where XML has no way to write it, as it has none for most control characters. */
export function xmlText(text: string): string | null {
  if (UNWRITABLE.test(text)) return null
  return text.replace(/[&<>"'\r\n\t]/g, (character) => `&#${character.charCodeAt(0)};`)
}

const DEEPEST = 32
/** CDATA, comments, declarations, then tags, whose attributes may hold a `>`. */
const TOKEN = /<!\[CDATA\[[\s\S]*?\]\]>|<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<![^>]*>|<\/?([^\s/>"'=<!?]+)(?:"[^"]*"|'[^']*'|[^"'>])*>/g
const UNWRITABLE = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]/u
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function resolved(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#x([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([a-z]+));/g, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES.get(name) ?? whole
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })
}
