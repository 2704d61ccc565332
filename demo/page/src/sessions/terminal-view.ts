import { FitAddon } from '@xterm/addon-fit'
import { Terminal } from '@xterm/xterm'
import type { Session } from 'mirage-runtime'
import type { InteractiveShell } from 'mirage-runtime/terminal'
import { startInteractiveShell, xtermPort } from 'mirage-runtime/terminal'
import { element } from '../element.ts'
import type { Theme } from '../theme.ts'
import { keepScreen } from './kept-screen.ts'
import { palette } from './palette.ts'

/** A session in a terminal of its own. */
export interface TerminalView {
  readonly element: HTMLElement
  readonly session: Session
  /** The shell in it. */
  readonly shell: InteractiveShell
  show(visible: boolean): void
  focus(): void
  setTheme(theme: Theme): void
  setReadAloud(on: boolean): void
  /** Acts as if these keys had been pressed. */
  type(keys: string): void
  /** Keeps what is shown for the next time. */
  keep(): void
  close(): void
}

/** What a terminal is made with. */
export interface TerminalViewOptions {
  readonly session: Session
  readonly theme: Theme
  readonly readAloud: boolean
  /** Shown before the first prompt. */
  readonly greeting: (columns: number) => string
  /** Keys that the page takes for itself: true where the event is one. */
  readonly isShortcut: (event: KeyboardEvent) => boolean
  readonly started: () => void
  readonly finished: () => void
  /** `exit`, or ^D. */
  readonly ended: () => void
  readonly failed: (error: unknown) => void
}

/** For tests, and whoever looks at a page from its console: the terminal that an element shows. */
export interface TerminalElement extends HTMLElement {
  terminal: Terminal
}

/** Opens a terminal on a session in an element that is in the page and can be seen. */
export function terminalView(parent: HTMLElement, options: TerminalViewOptions): TerminalView {
  const { session } = options
  const terminal = new Terminal({
    theme: palette(options.theme),
    fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--mono'),
    fontSize: 13,
    lineHeight: 1.25,
    cursorBlink: false,
    scrollback: 5000,
    macOptionIsMeta: true,
    // Lets the port make emoji as wide as the line editor takes them for.
    allowProposedApi: true,
    minimumContrastRatio: 4.5,
    screenReaderMode: options.readAloud,
  })
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  const host = Object.assign(
    element('div', {
      class: 'terminal-view',
      attributes: { role: 'tabpanel', id: `terminal-${session.id}`, 'aria-labelledby': `session-${session.id}` },
    }),
    { terminal },
  ) satisfies TerminalElement
  parent.append(host)
  terminal.open(host)
  terminal.textarea?.setAttribute('aria-label', `Terminal of session ${session.id}. F6 leaves it.`)
  const refit = (): void => {
    if (host.clientWidth > 0 && host.clientHeight > 0) fit.fit()
  }
  const observer = new ResizeObserver(refit)
  observer.observe(host)
  refit()
  terminal.attachCustomKeyEventHandler((event) => !options.isShortcut(event) && !isClipboard(event, terminal.hasSelection()))
  terminal.write(options.greeting(terminal.cols))

  const shell = startInteractiveShell({
    session,
    terminal: xtermPort(terminal),
    onLineStart: options.started,
    onLineEnd: options.finished,
  })
  let closed = false
  shell.ended.then(
    () => (closed ? undefined : options.ended()),
    (error: unknown) => (closed ? undefined : options.failed(error)),
  )
  return {
    element: host,
    session,
    shell,
    show: (visible) => {
      host.hidden = !visible
      if (visible) refit()
    },
    focus: () => terminal.focus(),
    setTheme: (theme) => {
      terminal.options.theme = palette(theme)
    },
    setReadAloud: (on) => {
      terminal.options.screenReaderMode = on
    },
    type: (keys) => terminal.input(keys),
    keep: () => keepScreen(session.id, terminal),
    close: () => {
      closed = true
      observer.disconnect()
      shell.close()
      terminal.dispose()
      host.remove()
    },
  }
}

/** Keys that are the browser's to copy and paste: ^C copies where something is selected, and ends what runs where nothing is. */
function isClipboard({ ctrlKey, shiftKey, altKey, metaKey, code }: KeyboardEvent, hasSelection: boolean): boolean {
  if (!ctrlKey || shiftKey || altKey || metaKey) return false
  return code === 'KeyV' || (code === 'KeyC' && hasSelection)
}
