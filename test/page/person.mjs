import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds that something may take to be seen. */
const PATIENCE = 15_000

/** What a person does in the page and sees of it. */
export class Person {
  constructor(page) {
    this.page = page
    this.keys = page.keyboard
  }

  /** Opens the page and waits for its first prompt. */
  async open(url) {
    await this.page.goto(url)
    await this.prompt()
  }

  async reload() {
    await this.page.reload()
    await this.prompt()
  }

  /** Waits until `find` answers something that is not false or null; what it answers. */
  async sees(what, find, ...given) {
    let last
    for (const end = Date.now() + PATIENCE; Date.now() < end; await pause(30)) {
      try {
        last = await this.page.evaluate(find, ...given)
      } catch (error) {
        if (!/context|navigat|realm/i.test(error.message)) throw error
        last = error.message
      }
      if (last !== null && last !== false && last !== undefined) return last
    }
    throw new Error(`${what}: not seen within ${PATIENCE} ms${await this.#around()}`)
  }

  /** The text of the terminal that is shown, with what has scrolled away; long lines are whole. */
  screen() {
    return this.page.evaluate(readScreen)
  }

  /** Waits until the terminal shows a text; the whole of it. */
  shows(text) {
    return this.sees(
      `the terminal shows ${JSON.stringify(text)}`,
      (wanted) => {
        const { terminal } = document.querySelector('.terminal-view:not([hidden])') ?? {}
        if (terminal === undefined) return null
        const { active } = terminal.buffer
        let text = ''
        for (let row = 0; row < active.length; row += 1) {
          const line = active.getLine(row)
          text += `${line.isWrapped || row === 0 ? '' : '\n'}${line.translateToString(true)}`
        }
        return text.includes(wanted) ? text : null
      },
      text,
    )
  }

  /** Waits for a prompt with nothing behind it. */
  prompt() {
    return this.sees('an empty prompt', () => {
      const { terminal } = document.querySelector('.terminal-view:not([hidden])') ?? {}
      if (terminal === undefined) return null
      const { active } = terminal.buffer
      const line = active.getLine(active.baseY + active.cursorY)?.translateToString(true) ?? ''
      return /^[\w-]+:[^$]*\$$/.test(line.trim()) ? line : null
    })
  }

  /** Types a line into the terminal and waits until it has run; what it printed. */
  async runs(line) {
    await this.focusTerminal()
    const before = await this.screen()
    await this.keys.type(line)
    await this.keys.press('Enter')
    for (const end = Date.now() + PATIENCE; Date.now() < end; await pause(20)) {
      const now = await this.screen()
      const printed = now.slice(before.trimEnd().length + 1)
      const rows = printed.trimEnd().split('\n')
      if (rows.length > 1 && /^[\w-]+:[^$]*\$$/.test(rows.at(-1).trim())) return rows.slice(1, -1).join('\n')
    }
    throw new Error(`${line}: not done within ${PATIENCE} ms${await this.#around()}`)
  }

  /** What is to be seen, for the message of a failure. */
  async #around() {
    const screen = await this.screen().catch(() => '(none)')
    const rest = await this.page
      .evaluate(() => [...document.querySelectorAll('.toast, dialog, .menu')].map((one) => one.textContent).join('\n'))
      .catch(() => '(none)')
    return `; the screen:\n${screen.trimEnd().split('\n').slice(-12).join('\n')}\nin front: ${rest}`
  }

  /** Waits until the session's tab is in front and its prompt is there. */
  async session(id) {
    await this.sees(
      `session ${id} in front`,
      (wanted) =>
        document.querySelector('#session-bar [aria-selected=true]')?.textContent === wanted &&
        document.querySelector('.terminal-view:not([hidden])')?.id === `terminal-${wanted}`,
      id,
    )
    await this.prompt()
  }

  /** Types the name that the tree asks for. */
  async names(name) {
    await this.sees('a field for the name', () => document.activeElement?.classList.contains('tree-input'))
    await this.press('Control+a')
    await this.keys.type(name)
    await this.press('Enter')
  }

  async focusTerminal() {
    await this.page.evaluate(() => document.querySelector('.terminal-view:not([hidden]) textarea').focus())
  }

  /** Presses keys one after the other, such as `Control+s`. */
  async press(...chords) {
    for (const chord of chords) {
      const keys = chord.split('+')
      for (const key of keys.slice(0, -1)) await this.keys.down(key)
      await this.keys.press(keys.at(-1))
      for (const key of keys.slice(0, -1).reverse()) await this.keys.up(key)
    }
  }

  /** Clicks what a selector finds, when it is there. */
  async click(selector, options) {
    await this.sees(
      `something to click: ${selector}`,
      (wanted) => (document.querySelector(wanted)?.getClientRects().length ?? 0) > 0,
      selector,
    )
    await this.page.click(selector, options)
  }

  /** Clicks the button of this name in what is in front: a menu, a dialog, else the page. */
  async clickNamed(name) {
    const handle = await this.named(name)
    await handle.click()
  }

  async named(name) {
    await this.sees(
      `a button "${name}"`,
      (wanted) => {
        const front = document.querySelector('.menu') ?? document.querySelector('dialog[open]') ?? document
        const named = [...front.querySelectorAll('button')].find(
          (one) => (one.getAttribute('aria-label') ?? one.querySelector('.menu-label')?.textContent ?? one.textContent).trim() === wanted,
        )
        for (const old of document.querySelectorAll('[data-found]')) delete old.dataset.found
        if (named === undefined || named.getClientRects().length === 0) return null
        named.dataset.found = ''
        return true
      },
      name,
    )
    return this.page.$('[data-found]')
  }

  /** Waits for a row of the tree; `gone`: until there is none. */
  row(path, gone = false) {
    return this.sees(
      `${gone ? 'no' : 'a'} row ${path}`,
      (wanted, absent) => {
        const there = [...document.querySelectorAll('.tree-row:not(.tree-remark)')].some((row) => row.dataset.path === wanted)
        return there !== absent
      },
      path,
      gone,
    )
  }

  /** Opens the menu of a row of the tree and takes an entry. */
  async menu(path, entry) {
    await this.row(path)
    await this.click(`.tree-row[data-path="${path}"]`, { button: 'right' })
    await this.clickNamed(entry)
  }

  /** Waits until what a selector finds has a text in it; all of its text. */
  reads(selector, text) {
    return this.sees(
      `${selector} reads ${JSON.stringify(text)}`,
      (where, wanted) => {
        const all = [...document.querySelectorAll(where)]
          .map((one) => ('value' in one && one.tagName === 'TEXTAREA' ? one.value : one.textContent))
          .join('\n')
        return all.includes(wanted) ? all : null
      },
      selector,
      text,
    )
  }

  /** Waits until what a selector finds has this text no more. */
  readsNot(selector, text) {
    return this.sees(
      `${selector} doesn't read ${JSON.stringify(text)}`,
      (where, wanted) => ![...document.querySelectorAll(where)].some((one) => one.textContent.includes(wanted)),
      selector,
      text,
    )
  }
}

function readScreen() {
  const { terminal } = document.querySelector('.terminal-view:not([hidden])')
  const { active } = terminal.buffer
  let text = ''
  for (let row = 0; row < active.length; row += 1) {
    const line = active.getLine(row)
    text += `${line.isWrapped || row === 0 ? '' : '\n'}${line.translateToString(true)}`
  }
  return text
}
