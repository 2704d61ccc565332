import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const bin = resolve(dirname(fileURLToPath(import.meta.url)), '../../node_modules/.bin')

/** Where a program is that npm has installed. */
export function program(name) {
  return join(bin, name)
}
