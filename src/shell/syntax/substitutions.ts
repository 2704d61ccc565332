import type { List, ProcessSubstitution } from './ast.ts'
import { LESS } from './characters.ts'
import { printList } from './print.ts'
import type { Source } from './source.ts'
import { ShellSyntaxError } from './syntax-error.ts'

/** At `<(` or `>(`. */
export function scanProcessSubstitution(source: Source): ProcessSubstitution {
  const start = source.pos
  const direction = source.code(start) === LESS ? '<' : '>'
  source.pos = start + 2
  const bodyStart = source.pos
  const body = scanCommands(source)
  if (body === null) source.fail('syntax error in an alias', bodyStart)
  replaceRaw(source, start, direction, body)
  return { type: 'process', direction, body }
}

/**
 * Commands up to the `)` that ends them. Aliases have no say in where that is; where there are any, the text in between is parsed
 * anew with them, which gives null where that fails.
 */
export function scanCommands(source: Source): List | null {
  const start = source.pos
  const { expandsAliases, sawAlias, hereDocument } = source
  // Counted twice, since it takes twice the stack of other constructs.
  source.enter()
  source.enter()
  source.expandsAliases = false
  source.sawAlias = false
  source.hereDocument = false
  const line = source.lineAt(start)
  let list: List | null = source.substitution(source)
  source.expandsAliases = expandsAliases
  if (source.sawAlias && expandsAliases) list = reparse(source, source.text.slice(start, source.pos), line)
  source.sawAlias ||= sawAlias
  source.hereDocument = hereDocument
  source.leave()
  source.leave()
  return list
}

function reparse(source: Source, text: string, line: number): List | null {
  const nested = source.nested(text, line)
  try {
    return source.substitution(nested)
  } catch (error) {
    if (error instanceof ShellSyntaxError) return null
    throw error
  }
}

/** As in bash a substitution stands in its word as it prints, not as it was typed. */
export function replaceRaw(source: Source, start: number, opening: string, body: List): void {
  const printed = printList(body, source.lineEnds)
  const whole = `${opening}(${printed.startsWith('(') ? ' ' : ''}${printed})`
  if (whole !== source.text.slice(start, source.pos)) source.edit(start, source.pos, whole)
}
