import type { List, ListItem, Pipeline } from '../../shell/syntax/ast.ts'
import { createParser, ShellSyntaxError } from '../../shell/syntax/parser.ts'
import { printList } from '../../shell/syntax/print.ts'

/** A part of a line: a tool with the text of its words, or a text for the shell. */
export interface LinePart {
  /** What it is joined to the part before it by. */
  readonly joint: ';' | '&&' | '||'
  /** Null for what the shell does. */
  readonly tool: string | null
  /** Of a tool: its words without its name, as they were written. */
  readonly text: string
}

/** The parts of a line, where one of them is a tool; null where all of it is for the shell, or it can't be read. */
export function lineParts(line: string, isTool: (name: string) => boolean): readonly LinePart[] | null {
  const parts: LinePart[] = []
  try {
    const parser = createParser(line)
    for (let next = parser.next(); next !== null; next = parser.next())
      for (const item of next.list.items) {
        // What goes on beside the rest has no tool.
        if (item.background) parts.push({ joint: ';', tool: null, text: printed(item) })
        else {
          parts.push(partOf(item.first, ';', isTool))
          for (const { operator, pipeline } of item.rest) parts.push(partOf(pipeline, operator, isTool))
        }
      }
  } catch (error) {
    if (error instanceof ShellSyntaxError) return null
    throw error
  }
  return parts.some(({ tool }) => tool !== null) ? parts : null
}

function partOf(pipeline: Pipeline, joint: LinePart['joint'], isTool: (name: string) => boolean): LinePart {
  const command = pipeline.stages[0]?.command
  if (pipeline.stages.length === 1 && !pipeline.negated && pipeline.timed === 'no' && command?.type === 'simple') {
    const [name, ...words] = command.words
    if (name !== undefined && isTool(name.raw) && command.assignments.length === 0 && command.redirects.length === 0)
      return { joint, tool: name.raw, text: words.map(({ raw }) => raw).join(' ') }
  }
  return { joint, tool: null, text: printed({ first: pipeline, rest: [], background: false }) }
}

function printed(item: ListItem): string {
  const list: List = { items: [item] }
  return printList(list)
}
