import type { JsonObject, JsonValue } from '../json.ts'
import type { ReplaySite, ShellOutcome, ToolOutcome, Toolset } from '../toolset.ts'

const SUBMIT = 'COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT'
/** Characters from which on only the beginning and the end of an output are shown, and how many of each. */
const LONG = 10_000
const SHOWN = 5_000

/** The one tool of mini-swe-agent: each call is a shell of its own, output and errors together. `env`: variables besides those of the workspace. */
export function miniTools(env: JsonObject): Toolset {
  const variables = Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])))
  return {
    definitions: [
      {
        name: 'bash',
        description: 'Run a command in a new bash. Directory and variables do not last from call to call.',
        parameters: {
          type: 'object',
          properties: { command: { type: 'string', description: 'The command line.' } },
          required: ['command'],
        },
      },
    ],
    support: (name) => (name === 'bash' ? 'fresh' : 'unsupported'),
    run: (call, site) => runBash(call.arguments.command, site, variables),
    // The work is handed in by a command whose output begins with the marker.
    ends: (_, outcome) =>
      outcome !== null &&
      outcome.status === 0 &&
      typeof outcome.value === 'string' &&
      outcome.value.trimStart().split('\n', 1)[0]?.trim() === SUBMIT,
  }
}

async function runBash(command: JsonValue | undefined, site: ReplaySite, env: Readonly<Record<string, string>>): Promise<ToolOutcome> {
  if (typeof command !== 'string') {
    const text = 'the argument "command" of the tool bash has to be a text'
    return { value: text, isError: true, text, status: null, missing: [] }
  }
  const ran = await site.shell(command, { env, mergesErrors: true })
  return { value: ran.output, isError: ran.status !== 0, text: miniObservation(ran), status: ran.status ?? -1, missing: ran.missing }
}

/** True for a line by which the agent hands in its work. */
export function isSubmission(command: JsonValue | undefined): boolean {
  return typeof command === 'string' && command.trimStart().startsWith(`echo ${SUBMIT}`)
}

/** What the agent is shown of a command, in the form it has from the agent's own settings. */
function miniObservation({ output, status, timedOut, droppedBytes }: ShellOutcome): string {
  const exception = timedOut ? '<exception>the command was ended at its time limit</exception>\n' : ''
  const head = `${exception}<returncode>${status ?? -1}</returncode>\n`
  if (output.length < LONG && droppedBytes === 0) return `${head}<output>\n${output}</output>`
  const left = output.length - 2 * SHOWN + droppedBytes
  return `${head}<warning>
The output was too long: only its beginning and its end are here.
Use a command that prints less, such as head, tail, sed or grep, or write the output to a file and search there.
</warning>
<output_head>
${output.slice(0, SHOWN)}
</output_head>
<elided_chars>
${left} characters elided
</elided_chars>
<output_tail>
${output.slice(-SHOWN)}
</output_tail>`
}
