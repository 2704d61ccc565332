import { WorkspaceError } from '../errors.ts'

/** One thing that is wrong with a configuration document. */
export interface ConfigProblem {
  /** The key at fault, as `store.observer.url`; '' for the document as a whole. */
  readonly key: string
  /** A sentence that names the key, what it holds and what it may hold. */
  readonly message: string
}

/** A configuration document that can't be used, with everything that is wrong with it. Its code is `CONFIG_INVALID`. */
export class ConfigError extends WorkspaceError {
  override readonly name: string = 'ConfigError'
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[], options?: { source?: string; cause?: unknown }) {
    const source = options?.source === undefined ? '' : ` of ${options.source}`
    const lines = problems.map((problem) => `  ${problem.message}`)
    super('CONFIG_INVALID', `the workspace configuration${source} is invalid:\n${lines.join('\n')}`, { cause: options?.cause })
    this.problems = problems
  }
}
