import type { ITheme } from '@xterm/xterm'
import type { Theme } from '../theme.ts'

/** Colours of the terminal: what the page's styles have, and sixteen that can be read on them. */
export function palette(theme: Theme): ITheme {
  return theme === 'dark' ? DARK : LIGHT
}

const DARK: ITheme = {
  background: '#101316',
  foreground: '#dfe4ea',
  cursor: '#5fd0c5',
  cursorAccent: '#101316',
  selectionBackground: '#2c4a4d',
  scrollbarSliderBackground: '#ffffff1f',
  scrollbarSliderHoverBackground: '#ffffff33',
  scrollbarSliderActiveBackground: '#ffffff4d',
  black: '#1c2126',
  red: '#f28b82',
  green: '#7fd1a0',
  yellow: '#f2c272',
  blue: '#8fb7f5',
  magenta: '#d6a4ee',
  cyan: '#6fd3cb',
  white: '#c9d0d8',
  brightBlack: '#74808d',
  brightRed: '#ffaaa2',
  brightGreen: '#a4e6be',
  brightYellow: '#ffdb9c',
  brightBlue: '#b5d1ff',
  brightMagenta: '#e8c6f8',
  brightCyan: '#9be9e2',
  brightWhite: '#ffffff',
}

const LIGHT: ITheme = {
  background: '#ffffff',
  foreground: '#1d2329',
  cursor: '#0b7a70',
  cursorAccent: '#ffffff',
  selectionBackground: '#cfe8e5',
  scrollbarSliderBackground: '#0000001a',
  scrollbarSliderHoverBackground: '#0000002e',
  scrollbarSliderActiveBackground: '#00000042',
  black: '#1d2329',
  red: '#b3261e',
  green: '#1a7040',
  yellow: '#875400',
  blue: '#1f5cc0',
  magenta: '#8034a8',
  cyan: '#0b6f77',
  white: '#5d6772',
  brightBlack: '#5d6772',
  brightRed: '#c5372e',
  brightGreen: '#1f8049',
  brightYellow: '#925c00',
  brightBlue: '#2b6cd6',
  brightMagenta: '#9443be',
  brightCyan: '#0c7d86',
  brightWhite: '#3c454e',
}
