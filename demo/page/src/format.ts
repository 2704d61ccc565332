const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** `1.4 MB`: three digits at most. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000
    unit += 1
  }
  const digits = unit === 0 || value >= 99.5 ? 0 : value >= 9.95 ? 1 : 2
  return `${value.toFixed(digits).replace(/\.0+$|(\.\d*[1-9])0+$/, '$1')} ${UNITS[unit] ?? 'B'}`
}

/** `12 ms`, `1.2 s`, `3 min 4 s`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
}

/** `just now`, `5 min ago`, `3 h ago`, `2 d ago`. */
export function formatAge(timestamp: number, now: number): string {
  const seconds = Math.max(0, (now - timestamp) / 1000)
  if (seconds < 60) return 'just now'
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`
  return `${Math.floor(seconds / 86_400)} d ago`
}

/** A word of shell that stands for exactly this text. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** A text in one line, as the shell would have it quoted where that is needed. */
export function shownValue(text: string): string {
  if (!/[\x00-\x1f\x7f]/.test(text)) return text
  const escapes = new Map([
    ['\n', '\\n'],
    ['\t', '\\t'],
    ['\r', '\\r'],
    ['\x1b', '\\e'],
  ])
  const escaped = (character: string): string => escapes.get(character) ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
  return `$'${text.replace(/[\\']/g, '\\$&').replace(/[\x00-\x1f\x7f]/g, escaped)}'`
}

/** The last name of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The folder that holds a path. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')))
}

/** A name in a folder. */
export function pathIn(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`
}
