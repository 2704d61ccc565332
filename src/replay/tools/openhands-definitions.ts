import type { ToolDefinition } from '../toolset.ts'
import { textEditorDefinition } from './text-editor-definition.ts'

/** What a model that goes on as OpenHands is offered. */
export const OPENHANDS_DEFINITIONS: readonly ToolDefinition[] = [
  {
    name: 'execute_bash',
    description: 'Run one command in a bash that lives on from call to call. Chain several with && or ;.',
    parameters: {
      type: 'object',
      properties: { command: { type: 'string', description: 'The command line.' } },
      required: ['command'],
    },
  },
  textEditorDefinition('str_replace_editor'),
  {
    name: 'think',
    description: 'Note a thought. Nothing is done.',
    parameters: { type: 'object', properties: { thought: { type: 'string' } }, required: ['thought'] },
  },
  {
    name: 'finish',
    description: 'End the work.',
    parameters: { type: 'object', properties: { message: { type: 'string', description: 'What was done.' } }, required: [] },
  },
]
