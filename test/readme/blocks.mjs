/** The fenced blocks of a Markdown text: kind (what follows the fence), line, text, and the `output` block that follows, or null. */
export function blocksOf(text) {
  const found = [...text.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)]
  return found.map((match, index) => {
    const next = found[index + 1]
    return {
      kind: match[1],
      line: text.slice(0, match.index).split('\n').length,
      text: match[2],
      output: next?.[1] === 'output' ? next[2] : null,
    }
  })
}

/** What a program prints and what is said about it, so that they can be compared: blanks at the ends of lines don't show. */
export function tidy(text) {
  return text.replace(/[ \t]+$/gm, '').trimEnd()
}
