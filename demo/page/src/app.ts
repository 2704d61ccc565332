import type { FileSystem, Session, Workspace } from 'mirage-runtime'
import type { Changes } from './changes.ts'
import type { Themes } from './theme.ts'
import type { ValueStore } from './value-store.ts'
import type { EditorTab } from './viewer/editor-panel.ts'

/** One of the panels of a narrow screen. */
export type View = 'terminal' | 'files' | 'editor' | 'state' | 'history' | 'jobs'

/** What the panels share. */
export interface App {
  readonly workspace: Workspace
  readonly fs: FileSystem
  readonly changes: Changes
  readonly themes: Themes
  /** Terminals tell those who listen what they show. */
  readonly readAloud: ValueStore<boolean>
  /** Ids of the sessions, in the order of their tabs. */
  readonly sessions: ValueStore<readonly string[]>
  /** The session whose tab is shown; '' until one is. */
  readonly active: ValueStore<string>
  /** A session that has a terminal by now. */
  openSession(id: string): Session | undefined
  /** Brings a panel to the front and puts the focus into it. */
  show(view: View): void
  /** Shows a Job in its panel, as it stands now. */
  showJob(id: string): void
  /** Opens a file in the editor. */
  openFile(path: string): void
  /** Shows something that is no file in the editor's place. */
  showTab(tab: EditorTab): void
  /** Inserts text at the prompt of the session that is shown. */
  insert(text: string): void
  /** Runs a line in the session that is shown. */
  run(line: string): void
}
