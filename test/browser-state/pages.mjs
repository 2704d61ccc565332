import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch } from './browsers.mjs'
import { serve } from './server.mjs'

/** Milliseconds that a call in a page may take. */
const LIMIT = 60_000

/** An origin with a browser profile: it lasts while browsers come and go. */
export class Pages {
  /** Lines that tabs said were kept, in the order that was heard. */
  lines = []
  #name
  #script
  #server
  #browser = null
  #profile = mkdtempSync(join(tmpdir(), 'mirage-profile-'))
  #calls = new Map()
  #listeners = new Set()
  #ids = 0

  constructor(name, script) {
    this.#name = name
    this.#script = script
  }

  get name() {
    return this.#name
  }

  /** Starts the browser, if it isn't running. */
  async start() {
    this.#server ??= await serve(this.#script, (message) => this.#hear(message))
    this.#browser ??= await launch(this.#name, this.#profile)
  }

  /** Opens a tab that makes the call. `result` resolves with what came of it, unless the tab ends before. */
  async begin(call, given, { worker = false, hide = false, sandbox = false } = {}) {
    await this.start()
    const id = String(++this.#ids)
    const query = new URLSearchParams({
      id,
      call,
      given: JSON.stringify(given),
      ...(worker && { worker: '1' }),
      ...(hide && { hide: '1' }),
    })
    const result = new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`${call} has not ended within ${LIMIT} ms`)), LIMIT)
      timer.unref()
      this.#calls.set(id, (message) => {
        clearTimeout(timer)
        if (message.error === undefined) done(message.value)
        else fail(new Error(message.error))
      })
    })
    result.catch(() => undefined)
    const tab = await this.#browser.tab(`${this.#server.origin}/${sandbox ? 'sandbox' : ''}?${query}`)
    return { ...tab, result }
  }

  /** Makes the call in a tab of its own, and closes that. */
  async run(call, given, options) {
    const tab = await this.begin(call, given, options)
    try {
      return await tab.result
    } finally {
      await tab.close().catch(() => undefined)
    }
  }

  /** Waits for a message that the pages report, from now on. */
  heard(matches) {
    return new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error('nothing of the kind was heard')), LIMIT)
      timer.unref()
      const listener = (message) => {
        if (message.error === undefined && !matches(message)) return
        clearTimeout(timer)
        this.#listeners.delete(listener)
        if (message.error === undefined) done(message)
        else fail(new Error(message.error))
      }
      this.#listeners.add(listener)
    })
  }

  /** Kills the browser with all it has started, as a power cut would. */
  async kill() {
    await this.#browser?.kill()
    this.#browser = null
  }

  /** Closes the browser in good order. */
  async close() {
    await this.#browser?.close()
    this.#browser = null
  }

  async end() {
    await this.close()
    this.#server?.close()
    // What was killed a moment ago may still have a child that writes.
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }

  #hear(message) {
    if (message.line !== undefined) this.lines.push(message.line)
    if (message.id !== undefined) this.#calls.get(message.id)?.(message)
    for (const listener of [...this.#listeners]) listener(message)
  }
}
