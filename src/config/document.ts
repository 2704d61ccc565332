import { parseAllDocuments } from 'yaml'
import type { ConfigProblem } from './config-error.ts'

/** What a YAML text holds, and what is wrong with it as YAML. */
export interface ConfigDocument {
  readonly value: unknown
  readonly problems: readonly ConfigProblem[]
}

/** Reads one YAML document. Never throws: a fault is a problem with its line and column. */
export function readDocument(text: string): ConfigDocument {
  const [document, second] = [...parseAllDocuments(text, { prettyErrors: false, uniqueKeys: true, stringKeys: true, logLevel: 'silent' })]
  if (document === undefined) return { value: undefined, problems: [] }
  const problems = [...document.errors, ...document.warnings].map((fault) => ({
    key: '',
    message: `${place(text, fault.pos[0])}: ${fault.message}`,
  }))
  if (second !== undefined)
    problems.push({ key: '', message: `${place(text, second.range[0])}: a second document begins; a configuration is one document` })
  if (problems.length > 0) return { value: undefined, problems }
  try {
    return { value: document.toJS({ maxAliasCount: 100 }) as unknown, problems }
  } catch (error) {
    return { value: undefined, problems: [{ key: '', message: error instanceof Error ? error.message : String(error) }] }
  }
}

function place(text: string, offset: number): string {
  const before = text.slice(0, offset)
  return `line ${before.split('\n').length}, column ${offset - before.lastIndexOf('\n')}`
}
