import type { JsonObject } from '../json.ts'

/** What a trajectory of SWE-agent says of its tools. */
export interface SweSettings {
  /** Lines of a file that are shown at once. */
  readonly window: number
  /** Lines that stay in sight when the window is moved on. */
  readonly overlap: number
  /** Where the agent worked when it was recorded; null where nobody knows. */
  readonly directory: string | null
  /** Variables of the shell. */
  readonly env: Readonly<Record<string, string>>
  /** How observations end their lines: as the terminal did whose output was recorded. */
  readonly lineEnd: '\n' | '\r\n'
  /** Names of the sets of tools that the agent had; null where the file doesn't say. */
  readonly bundles: ReadonlySet<string> | null
  /** What the model is shown, by name; some may be left out. */
  readonly templates: JsonObject
  /** Seconds that a command may take. */
  readonly timeout: number
}

/** What a command for files answers. */
export interface SweAnswer {
  readonly text: string
  readonly status: number
  /** What it would have called, and isn't there. */
  readonly missing?: readonly string[]
}

/** The shell that lives from call to call. */
export const SESSION = 'main'

export function said(text: string): SweAnswer {
  return { text, status: 0 }
}

/** What a command answers that can't do what it was told. */
export function usage(text: string): SweAnswer {
  return { text, status: 1 }
}
