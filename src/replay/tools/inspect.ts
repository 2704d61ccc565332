import { decode, encode } from '../../bytes.ts'
import type { JsonObject } from '../json.ts'
import type { ReplaySite, ShellOutcome, ToolOutcome, Toolset } from '../toolset.ts'
import { genericTools } from './generic.ts'
import { textEditorDefinition } from './text-editor-definition.ts'

/** Bytes of an output from which on only its beginning and its end are shown. */
const MOST_SHOWN = 16 * 1024
const others = genericTools({ composed })

/** The tools that come with Inspect, and those that agents in it commonly have. Of others what was recorded can be given again. */
export const inspectTools: Toolset = {
  definitions: [
    {
      name: 'bash',
      description: 'Run a command in a new bash. Directory and variables do not last from call to call.',
      parameters: { type: 'object', properties: { cmd: { type: 'string', description: 'The command line.' } }, required: ['cmd'] },
    },
    textEditorDefinition('text_editor'),
    {
      name: 'submit',
      description: 'Hand in the answer.',
      parameters: { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] },
    },
  ],
  support: (name, given) => (name === 'submit' || others.support(name, given) === 'fresh' ? 'fresh' : 'stale'),
  run: async (call, site) => {
    const { name, arguments: given } = call
    if (name === 'think') return told('')
    if (name === 'submit') return told(typeof given.answer === 'string' ? given.answer : '')
    if (name === 'bash') return bash(given, site)
    const outcome = await others.run(call, site)
    // A status is no error of the tool.
    return outcome.status === null || outcome.missing.includes('python') ? outcome : { ...outcome, isError: false }
  },
  ends: ({ name }) => name === 'submit',
}

async function bash({ cmd, command = cmd }: JsonObject, site: ReplaySite): Promise<ToolOutcome> {
  if (typeof command !== 'string')
    return { ...told('Found 1 validation errors parsing tool input arguments:\n- cmd has to be a text'), isError: true }
  const ran = await site.shell(command)
  if (ran.timedOut) return { ...told('Command timed out before completing.'), isError: true, missing: ran.missing }
  const value = shortened(composed(ran), 'bash')
  return { value, text: value, isError: false, status: ran.status, missing: ran.missing }
}

/** Its errors come first. */
function composed({ stdout, stderr }: ShellOutcome): string {
  return stderr === '' ? stdout : `${stderr}\n${stdout}`
}

function shortened(output: string, tool: string): string {
  const bytes = encode(output)
  if (bytes.length <= MOST_SHOWN) return output
  const shown = decode(bytes.subarray(0, MOST_SHOWN / 2)) + decode(bytes.subarray(-MOST_SHOWN / 2))
  return `\nThe output of your call to ${tool} was too long to be displayed.\nHere is a truncated version:\n<START_TOOL_OUTPUT>\n${shown}\n<END_TOOL_OUTPUT>\n`
}

function told(text: string): ToolOutcome {
  return { value: text, text, isError: false, status: null, missing: [] }
}
