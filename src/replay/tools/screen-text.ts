const TAB = 8
// Sequences that begin with ESC: control sequences, texts for the terminal (titles), and those of two characters.
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-Z\\^-~])/g

/** What a terminal that is wide enough shows of an output, line by line, without the space around it: agents that work in one record that. */
export function screenText(output: string): string {
  const lines = withoutEscapes(output).replace(/\r+\n/g, '\n').split('\n')
  return lines
    .map((line) => expandTabs(overwritten(line)).trimEnd())
    .join('\n')
    .trim()
}

/** A text without what tells a terminal of colours and places. */
export function withoutEscapes(text: string): string {
  return text.includes('\u001b') ? text.replace(ESCAPES, '') : text
}

/** Tabs as the spaces they stand for: up to the next of the columns 8, 16, 24 … */
export function expandTabs(text: string): string {
  if (!text.includes('\t')) return text
  return text
    .split('\n')
    .map((line) => {
      const [first = '', ...rest] = line.split('\t')
      return rest.reduce((shown, piece) => shown.padEnd(shown.length + TAB - (shown.length % TAB)) + piece, first)
    })
    .join('\n')
}

/** A carriage return goes back to the beginning of the line, and what comes after it is written over what was there. */
function overwritten(line: string): string {
  if (!line.includes('\r')) return line
  return line.split('\r').reduce((shown, piece) => piece + shown.slice(piece.length), '')
}
