import type { ToolDefinition } from '../toolset.ts'

/** The editor as a model is offered it; agents call it by different names. */
export function textEditorDefinition(name: string): ToolDefinition {
  return {
    name,
    description:
      'View, create and edit files. str_replace replaces a text that is there exactly once; insert adds after a line; undo_edit takes the last edit of a file back.',
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert', 'undo_edit'] },
        path: { type: 'string', description: 'Absolute path of a file, or of a directory to view.' },
        file_text: { type: 'string', description: 'For create: the text of the new file.' },
        old_str: { type: 'string', description: 'For str_replace: the text to be replaced.' },
        new_str: { type: 'string', description: 'For str_replace and insert: the new text.' },
        insert_line: { type: 'integer', description: 'For insert: the line after which the text goes; 0 for the beginning.' },
        view_range: { type: 'array', items: { type: 'integer' }, description: 'For view: first and last line; -1 for the end.' },
      },
      required: ['command', 'path'],
    },
  }
}
