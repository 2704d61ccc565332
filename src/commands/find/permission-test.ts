import { parseMode } from '../file-mode.ts'

/** `-perm`: a test of permission bits, and whether it is the odd `/000`. Null where the mode can't be understood. */
export function permissionTest(
  text: string,
): { readonly holds: (mode: number, isDirectory: boolean) => boolean; readonly isOdd: boolean } | null {
  const how = text.startsWith('-') ? 'all' : text.startsWith('/') ? 'any' : 'exact'
  const modeText = how === 'exact' ? text : text.slice(1)
  // What chmod also reads, `+111`, was something else once.
  if (/[-+=][0-7]/.test(modeText)) return null
  const change = parseMode(modeText)
  if (change === null) return null
  const ofFile = change.apply(0, false, 0)
  const ofDirectory = change.apply(0, true, 0)
  const isOdd = how === 'any' && ofFile === 0 && ofDirectory === 0
  return {
    isOdd,
    holds(mode, isDirectory) {
      const wanted = isDirectory ? ofDirectory : ofFile
      if (how === 'exact') return mode === wanted
      return how === 'all' || isOdd ? (mode & wanted) === wanted : (mode & wanted) !== 0
    },
  }
}
