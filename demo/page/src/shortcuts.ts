import { ask } from './dialog.ts'
import { element } from './element.ts'

/** Keys that do something anywhere in the page. */
export interface Shortcut {
  /** As it is shown, such as `Alt+Shift+N`; F-keys and names of keys as the keyboard has them. */
  readonly keys: string
  readonly what: string
  readonly run: () => void
}

/** What listens for the page's keys. */
export interface Shortcuts {
  /** True where the event is one of them; it is then acted on once. */
  take(event: KeyboardEvent): boolean
}

/** Listens for keys in the whole page; a terminal asks `take` before it uses a key itself. */
export function listenForShortcuts(shortcuts: readonly Shortcut[]): Shortcuts {
  const taken = new WeakSet<KeyboardEvent>()
  const byKeys = new Map(shortcuts.map((shortcut) => [shortcut.keys, shortcut]))
  const take = (event: KeyboardEvent): boolean => {
    const shortcut = byKeys.get(nameOfKeys(event))
    if (shortcut === undefined || document.querySelector('dialog[open]') !== null) return false
    if (event.type !== 'keydown' || taken.has(event)) return true
    taken.add(event)
    event.preventDefault()
    shortcut.run()
    return true
  }
  addEventListener('keydown', take)
  return { take }
}

/** Shows every key of the page. */
export async function showHelp(shortcuts: readonly Shortcut[]): Promise<void> {
  const groups: readonly (readonly [title: string, rows: readonly (readonly [keys: string, what: string])[]])[] = [
    ['Anywhere', shortcuts.map(({ keys, what }) => [keys, what])],
    [
      'Terminal',
      [
        ['Tab', 'complete what is typed'],
        ['↑ ↓', 'earlier and later lines'],
        ['Ctrl+R', 'search the history'],
        ['Ctrl+C', 'stop what runs; copy what is selected'],
        ['Ctrl+V', 'paste'],
        ['Ctrl+A Ctrl+E', 'start and end of the line'],
        ['Ctrl+W Ctrl+U Ctrl+K', 'delete a word, to the start, to the end'],
        ['Ctrl+L', 'clear the screen'],
      ],
    ],
    [
      'Files',
      [
        ['↑ ↓ ← →', 'move, close, open'],
        ['Enter', 'open'],
        ['F2', 'rename'],
        ['Delete', 'delete'],
        ['Shift+F10', 'all actions'],
      ],
    ],
    [
      'Editor, history and comparisons',
      [
        ['Ctrl+S', 'save'],
        ['Esc, then Tab', 'leave the text'],
        ['Enter', 'run a line of the history again'],
        ['Space', 'insert it at the prompt'],
        ['N P', 'next change of a comparison, and the one before'],
      ],
    ],
  ]
  await ask({
    title: 'Keys',
    class: 'dialog-wide',
    body: [
      element(
        'div',
        { class: 'help-groups' },
        ...groups.map(([title, rows]) =>
          element(
            'section',
            {},
            element('h3', {}, title),
            element(
              'dl',
              { class: 'help-keys' },
              ...rows.flatMap(([keys, what]) => [element('dt', {}, ...keysOf(keys)), element('dd', {}, what)]),
            ),
          ),
        ),
      ),
    ],
    choices: [{ label: 'Close', value: true, kind: 'primary' }],
  })
}

function keysOf(keys: string): readonly (Node | string)[] {
  return keys.split(/(, then | )/).map((one) => (one.startsWith(' ') || one.startsWith(',') ? one : element('kbd', {}, one)))
}

/** Letters by their place on the keyboard: with Alt some layouts type something else. */
function nameOfKeys(event: KeyboardEvent): string {
  const key = /^Key[A-Z]$/.test(event.code) ? event.code.slice(3) : event.key
  const modifiers = [event.ctrlKey || event.metaKey ? 'Ctrl+' : '', event.altKey ? 'Alt+' : '', event.shiftKey ? 'Shift+' : '']
  return `${modifiers.join('')}${key}`
}
