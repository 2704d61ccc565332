import type { JsonObject, JsonValue } from '../../../src/replay/json.ts'

/** A turn of a mini-swe-agent trajectory: commands, and for each what was observed. */
export interface MiniTurn {
  readonly text?: string
  readonly commands: readonly string[]
  readonly observed: readonly { readonly output: string; readonly status?: number }[]
}

/** Messages of turns after a system message and a task. */
export function miniMessages(turns: readonly MiniTurn[]): JsonValue[] {
  let calls = 0
  return [
    { role: 'system', content: 'You use a shell.' },
    { role: 'user', content: 'Do the work.' },
    ...turns.flatMap(({ text = '', commands, observed }): JsonValue[] => {
      const ids = commands.map(() => `call-${++calls}`)
      return [
        {
          role: 'assistant',
          content: text,
          extra: { response: {}, actions: commands.map((command, i) => ({ tool_call_id: ids[i] ?? '', command })) },
        },
        ...observed.map(({ output, status = 0 }, i) => ({
          role: 'tool',
          tool_call_id: ids[i] ?? '',
          content: `<returncode>${status}</returncode>\n<output>\n${output}</output>`,
          extra: { raw_output: output, returncode: status },
        })),
      ]
    }),
  ]
}

/** A mini-swe-agent trajectory as its file is. */
export function miniFile(messages: readonly JsonValue[], more: JsonObject = {}): Uint8Array {
  return bytesOf({ trajectory_format: 'mini-swe-agent-1.1', info: { mini_version: '2.4.6' }, messages, ...more })
}

export function bytesOf(value: JsonValue): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}
