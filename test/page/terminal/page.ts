import { Terminal } from '@xterm/xterm'
import { RAMFileSystem, Workspace } from 'mirage-runtime'
import type { FinishedLine, InteractiveShell } from 'mirage-runtime/terminal'
import { startInteractiveShell, xtermPort } from 'mirage-runtime/terminal'
import '@xterm/xterm/css/xterm.css'

/** What the tests see of the page. */
export interface TerminalPage {
  readonly terminal: Terminal
  readonly workspace: Workspace
  readonly shell: InteractiveShell
  readonly lines: FinishedLine[]
  status: number | null
  /** Lines of the buffer, scrolled away ones too, each in one piece, without what is blank at their ends. */
  text(): string
}

declare global {
  interface Window {
    page: TerminalPage
  }
}

const terminal = new Terminal({ cols: 60, rows: 12, scrollback: 1000, allowProposedApi: true })
terminal.open(document.getElementById('terminal') as HTMLElement)
terminal.focus()
const workspace = new Workspace({ '/data': new RAMFileSystem() })
const session = await workspace.session('main')
const lines: FinishedLine[] = []
const shell = startInteractiveShell({ session, terminal: xtermPort(terminal), colours: false, onLineEnd: (line) => lines.push(line) })
window.page = {
  terminal,
  workspace,
  shell,
  lines,
  status: null,
  text: () => {
    const { active } = terminal.buffer
    let shown = ''
    for (let row = 0; row < active.length; row++) {
      const line = active.getLine(row)
      const goesOn = active.getLine(row + 1)?.isWrapped === true
      shown += `${line?.translateToString(!goesOn) ?? ''}${goesOn ? '' : '\n'}`
    }
    return shown.replace(/ +$/gm, '').trimEnd()
  },
}
shell.ended.then((status) => {
  window.page.status = status
})
