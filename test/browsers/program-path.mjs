import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Where a program is. */
export function programPath(name) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const file = join(folder, name)
    try {
      accessSync(file, constants.X_OK)
      return file
    } catch {
      // It may be in the next folder.
    }
  }
  throw new Error(`${name} is not installed; .ci/run installs it`)
}
