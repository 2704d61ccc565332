import type { Session } from '../workspace.ts'
import { textOf } from './session-variable.ts'

/** `session:directory$ `, the dollar red after a failure. */
export function defaultPrompt({ id, fields }: Session, { status, colours }: { status: number; colours: boolean }): string {
  const { cwd } = fields
  const home = textOf(fields, 'HOME')
  const shown = home !== null && home !== '/' && (cwd === home || cwd.startsWith(`${home}/`)) ? `~${cwd.slice(home.length)}` : cwd
  // A name must not be able to steer the terminal.
  const directory = shown.replace(/[\x00-\x1f\x7f-\x9f]/g, '?')
  if (!colours) return `${id}:${directory}$ `
  const dollar = status === 0 ? '$' : '\x1b[31m$\x1b[0m'
  return `\x1b[32m${id}\x1b[0m:\x1b[34m${directory}\x1b[0m${dollar} `
}
