import { LineCounter, parseAllDocuments } from 'yaml'
import type { ConfigProblem } from './config-error.ts'

/** What a YAML text holds, and what is wrong with it as YAML. */
export interface ConfigDocument {
  readonly value: unknown
  readonly problems: readonly ConfigProblem[]
}

/** Reads one YAML document; an empty text holds undefined. Each fault in it is a problem with its line and column. */
export function readDocument(text: string): ConfigDocument {
  // Aliases share what they name, so any number of them costs nothing.
  const lineCounter = new LineCounter()
  // Warnings would go to the console, with what the document holds.
  const documents = parseAllDocuments(text, { lineCounter, prettyErrors: false, logLevel: 'error' })
  if ('empty' in documents) return { value: undefined, problems: [] }
  const [document] = documents
  if (documents.length > 1 || document === undefined) {
    return { value: undefined, problems: [{ key: '', message: 'a second document begins; a configuration is one document' }] }
  }
  const problems = document.errors.map(({ message, pos }) => {
    const { line, col } = lineCounter.linePos(pos[0])
    return { key: '', message: `line ${line}, column ${col}: ${withoutContent(message)}` }
  })
  if (problems.length > 0) return { value: undefined, problems }
  try {
    return { value: document.toJS({ maxAliasCount: -1 }), problems }
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error
    return { value: undefined, problems: [{ key: '', message: 'an alias (*name) stands for an anchor (&name) that is not there' }] }
  }
}

/** What the parser says is wrong, without the part of the document that some of its messages repeat. */
function withoutContent(message: string): string {
  return message.replace(/(: |escape sequence |directive ).*$/s, (_, before: string) => before.replace(/: $/, '').trimEnd())
}
