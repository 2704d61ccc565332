/** How the parts of output are marked: SGR parameters by name, as `GREP_COLORS` has them; '' for none. */
export interface Colors {
  readonly selectedMatch: string
  readonly contextMatch: string
  readonly selectedLine: string
  readonly contextLine: string
  readonly fileName: string
  readonly lineNumber: string
  readonly byteOffset: string
  readonly separator: string
  /** With `-v`, the colours of selected and context lines change places. */
  readonly swapsLines: boolean
  /** No erasing to the end of the line. */
  readonly keepsLine: boolean
}

/** The usual colours, changed as `GREP_COLORS` says. */
export function colorsOf(setting: string): Colors {
  let colors: Colors = {
    selectedMatch: '01;31',
    contextMatch: '01;31',
    selectedLine: '',
    contextLine: '',
    fileName: '35',
    lineNumber: '32',
    byteOffset: '32',
    separator: '36',
    swapsLines: false,
    keepsLine: false,
  }
  for (const entry of setting.split(':')) {
    const [name, value = ''] = entry.split('=', 2)
    if (name === 'rv') colors = { ...colors, swapsLines: true }
    else if (name === 'ne') colors = { ...colors, keepsLine: true }
    else if (!/^[0-9;]*$/.test(value)) return colors
    else if (name === 'mt') colors = { ...colors, selectedMatch: value, contextMatch: value }
    else if (name === 'ms') colors = { ...colors, selectedMatch: value }
    else if (name === 'mc') colors = { ...colors, contextMatch: value }
    else if (name === 'sl') colors = { ...colors, selectedLine: value }
    else if (name === 'cx') colors = { ...colors, contextLine: value }
    else if (name === 'fn') colors = { ...colors, fileName: value }
    else if (name === 'ln') colors = { ...colors, lineNumber: value }
    else if (name === 'bn') colors = { ...colors, byteOffset: value }
    else if (name === 'se') colors = { ...colors, separator: value }
  }
  return colors
}

/** The text so marked; as it is where it or the mark is empty. */
export function marked(text: string, parameters: string, colors: Colors | null): string {
  if (colors === null || parameters === '' || text === '') return text
  return `${opening(parameters, colors)}${text}\x1b[m${colors.keepsLine ? '' : '\x1b[K'}`
}

/** What begins such a mark. */
export function opening(parameters: string, colors: Colors | null): string {
  if (colors === null || parameters === '') return ''
  return `\x1b[${parameters}m${colors.keepsLine ? '' : '\x1b[K'}`
}
