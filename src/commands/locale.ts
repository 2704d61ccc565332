import type { CommandContext } from './command.ts'

/** True where the locale asked for has bytes for characters (`LC_ALL=C`); without any, characters are UTF-8's. */
export function hasByteCharacters(context: CommandContext): boolean {
  const name = characterLocale(context)
  return name === 'C' || name === 'POSIX'
}

/** True where the locale asked for by name is a UTF-8 one. */
export function isUtf8Locale(context: CommandContext): boolean {
  return /\.utf-?8$/i.test(characterLocale(context))
}

function characterLocale({ env }: CommandContext): string {
  return env.get('LC_ALL') || env.get('LC_CTYPE') || env.get('LANG') || ''
}
