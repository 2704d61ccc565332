import { loadAll, YAMLException } from 'js-yaml'
import type { ConfigProblem } from './config-error.ts'

/** What a YAML text holds, and what is wrong with it as YAML. */
export interface ConfigDocument {
  readonly value: unknown
  readonly problems: readonly ConfigProblem[]
}

/** Reads one YAML document; an empty text holds undefined. A fault in it is a problem with its line and column. */
export function readDocument(text: string): ConfigDocument {
  try {
    const documents = loadAll(text)
    if (documents.length > 1)
      return { value: undefined, problems: [{ key: '', message: 'a second document begins; a configuration is one document' }] }
    return { value: documents[0], problems: [] }
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    const place = error.mark === undefined ? '' : `line ${error.mark.line + 1}, column ${error.mark.column + 1}: `
    return { value: undefined, problems: [{ key: '', message: `${place}${error.reason}` }] }
  }
}
