import type { App, View } from './app.ts'
import { openChanges } from './changes.ts'
import { part } from './element.ts'
import { writeExamples } from './examples.ts'
import type { FileTree } from './files/file-tree.ts'
import { openFileTree } from './files/file-tree.ts'
import { openFolderMounts } from './files/folder-mounts.ts'
import { openJobsPanel } from './jobs/jobs-panel.ts'
import { openLayout } from './layout.ts'
import { notify, notifyFailure, showBanner } from './notices.ts'
import type { OpenedWorkspace } from './open-workspace.ts'
import { openWorkspace } from './open-workspace.ts'
import { openHistoryPanel } from './panels/history-panel.ts'
import { openStatePanel } from './panels/state-panel.ts'
import { openStorageMeter } from './panels/storage-meter.ts'
import { remember, remembered } from './remembered.ts'
import { resetWorkspace } from './reset.ts'
import { openSessionsPanel, rememberedSession } from './sessions/sessions-panel.ts'
import { welcomeText } from './sessions/welcome.ts'
import type { Shortcut } from './shortcuts.ts'
import { listenForShortcuts, showHelp } from './shortcuts.ts'
import { openThemes } from './theme.ts'
import { valueStore } from './value-store.ts'
import { openEditorPanel } from './viewer/editor-panel.ts'

/** Milliseconds between looks at the files while a line runs. */
const BUSY_REFRESH = 2000
const themes = openThemes()

try {
  await start(await openWorkspace())
} catch (error) {
  part('opening').textContent = 'The workspace could not be opened.'
  notifyFailure('The workspace could not be opened', error, { label: 'Reload', run: () => location.reload() })
} finally {
  delete document.body.dataset.loading
}

async function start({ workspace, refusal }: OpenedWorkspace): Promise<void> {
  const changes = openChanges()
  const isNew = await writeExamples(workspace.fs)

  const focus = (view: View): void => {
    if (view === 'terminal') sessionsPanel.focus()
    else if (view === 'files') tree.focus()
    else if (view === 'editor') editor.focus()
    else if (view === 'history') history.focus()
    else if (view === 'jobs') jobs.focus()
    else part('inspector-state').focus()
  }
  const shortcuts: readonly Shortcut[] = [
    { keys: 'F1', what: 'this list', run: () => void showHelp(shortcuts) },
    { keys: 'F6', what: 'next area', run: () => layout.stepArea(1) },
    { keys: 'Shift+F6', what: 'area before', run: () => layout.stepArea(-1) },
    { keys: 'Alt+Shift+T', what: 'terminal', run: () => app.show('terminal') },
    { keys: 'Alt+Shift+F', what: 'files', run: () => app.show('files') },
    { keys: 'Alt+Shift+E', what: 'editor', run: () => app.show('editor') },
    { keys: 'Alt+Shift+S', what: 'state of the session', run: () => app.show('state') },
    { keys: 'Alt+Shift+H', what: 'history', run: () => app.show('history') },
    { keys: 'Alt+Shift+J', what: 'Jobs', run: () => app.show('jobs') },
    { keys: 'Alt+Shift+N', what: 'new session', run: () => void sessionsPanel.openNew() },
    { keys: 'Alt+Shift+W', what: 'close the session', run: () => sessionsPanel.closeActive() },
    { keys: 'Alt+PageDown', what: 'next session', run: () => sessionsPanel.step(1) },
    { keys: 'Alt+PageUp', what: 'session before', run: () => sessionsPanel.step(-1) },
    { keys: 'Alt+Shift+R', what: 'terminals for screen readers, on or off', run: () => app.readAloud.update((on) => !on) },
    { keys: 'Ctrl+S', what: 'save the file', run: () => void editor.save() },
  ]
  const keys = listenForShortcuts(shortcuts)
  const layout = openLayout({ themes, focus, help: () => void showHelp(shortcuts) })
  const app: App = {
    workspace,
    fs: workspace.fs,
    changes,
    themes,
    readAloud: valueStore(remembered('read-aloud') !== null),
    sessions: valueStore<readonly string[]>([]),
    active: valueStore(''),
    openSession: (id) => sessionsPanel.session(id),
    show: (view) => {
      layout.show(view)
      focus(view)
    },
    showJob: (id) => {
      layout.show('jobs')
      void jobs.show(id)
    },
    openFile: (path) => void editor.open(path),
    showTab: (tab) => void editor.show(tab),
    insert: (text) => sessionsPanel.insert(text),
    run: (line) => sessionsPanel.run(line),
  }
  app.readAloud.watch((on) => {
    remember('read-aloud', on ? 'on' : null)
    notify({ kind: 'info', title: `Terminals for screen readers: ${on ? 'on' : 'off'}` })
  })
  const state = openStatePanel()
  const history = openHistoryPanel(app)
  const jobs = openJobsPanel(app)
  const editor = openEditorPanel(app)
  editor.count.watch((count) => layout.setEditing(count > 0))
  const folders = openFolderMounts(workspace, changes, (path) => tree.addTop(path))
  const tree: FileTree = openFileTree(app, { folders })
  const reset = (): void => void resetWorkspace(workspace, changes)
  const storage = openStorageMeter(refusal === null, reset)
  const sessionsPanel = openSessionsPanel(app, { isShortcut: keys.take, welcome: isNew ? welcomeText : null })
  sessionsPanel.onState((session) => state.draw(session.id, session.fields))

  changes.on((change) => {
    if (change.type === 'reset') location.reload()
    else void storage.refresh()
  })
  workspace.watch(({ group, session }) => {
    if (group === 'observer') void (session === null ? history.refresh() : history.refreshSession(session))
    else if (session === null) void sessionsPanel.refresh()
    else void sessionsPanel.takeOver(session)
  })
  if (refusal !== null) {
    showBanner({
      title: 'This browser refuses to keep data for this page.',
      text: `Files and sessions are in memory, and gone when the page is closed. Leave private browsing, or allow site data, and reload. (${refusal})`,
    })
  }
  const openFirst = async (): Promise<void> => {
    await sessionsPanel.open(rememberedSession(await workspace.listSessions()))
    if (document.activeElement === document.body) sessionsPanel.focus()
    await sessionsPanel.refresh()
  }
  if (folders.possible && refusal === null) await folders.reopen()
  await Promise.all([openFirst(), editor.reopen(), tree.refresh(), storage.refresh()])
  await Promise.all([history.refresh(), jobs.refresh()])
  // A line that takes its time may write files meanwhile.
  setInterval(() => {
    if (sessionsPanel.busy) void tree.refresh()
  }, BUSY_REFRESH)
}
