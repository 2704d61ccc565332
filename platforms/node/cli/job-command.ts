import { hasCode } from '../../../src/errors.ts'
import type { JobArguments } from './job-arguments.ts'
import { parseJobArguments, wordHelp } from './job-arguments.ts'

/** Does what a word that works on Jobs says: the exit status. */
export async function jobCommand(argv: readonly string[], write: (text: string | Uint8Array) => void): Promise<number> {
  let given: JobArguments
  try {
    given = parseJobArguments(argv)
  } catch (error) {
    // Who starts a replay reads what it prints.
    if (argv[0] === 'replay' && error instanceof Error && hasCode(error, 'CAPABILITY_UNSUPPORTED'))
      return (await import('./replay-word.ts')).refusedReplay(error, write)
    throw error
  }
  if (given.help) {
    write(wordHelp(given.word))
    return 0
  }
  return (await actionOf(given.word.name))(given, write)
}

type Action = (given: JobArguments, write: (text: string | Uint8Array) => void) => Promise<number>

async function actionOf(name: string): Promise<Action> {
  switch (name) {
    case 'run':
      return (await import('./run-word.ts')).runWord
    case 'jobs':
      return (await import('./jobs-word.ts')).jobsWord
    case 'status':
      return (await import('./status-word.ts')).statusWord
    case 'kill':
      return (await import('./kill-word.ts')).killWord
    case 'review':
      return (await import('./review-word.ts')).reviewWord
    case 'inspect':
      return (await import('./inspect-word.ts')).inspectWord
    case 'apply':
      return (await import('./apply-word.ts')).applyWord
    case 'drop':
      return (await import('./apply-word.ts')).dropWord
    case 'checkpoint create':
      return (await import('./checkpoint-words.ts')).createWord
    case 'checkpoint list':
      return (await import('./checkpoint-words.ts')).listWord
    case 'checkpoint show':
      return (await import('./checkpoint-words.ts')).showWord
    case 'checkpoint delete':
      return (await import('./checkpoint-words.ts')).deleteWord
    case 'checkpoint gc':
      return (await import('./checkpoint-words.ts')).gcWord
    case 'suspend':
      return (await import('./execution-words.ts')).suspendWord
    case 'resume':
      return (await import('./execution-words.ts')).resumeWord
    case 'fork':
      return (await import('./fork-word.ts')).forkWord
    case 'replay':
      return (await import('./replay-word.ts')).replayWord
    case 'fidelity':
      return (await import('./fidelity-word.ts')).fidelityWord
    default:
      throw new Error(`no action for ${name}`)
  }
}
