const DIM = '\x1b[90m'
const BOLD = '\x1b[1m'
const ACCENT = '\x1b[36m'
const OFF = '\x1b[0m'

const TRIES: readonly (readonly [line: string, what: string])[] = [
  ['ls -l; cat README.md', 'what is here'],
  ['seq 10 | sort -nr | head -3', 'pipelines'],
  ['for n in 1 2 3; do echo $((n * n)); done', 'loops and arithmetic'],
  ['greet() { echo "hello $1"; }; greet you', 'functions stay'],
  ['grep -rn moon . | sort', 'search in files'],
  ["find . -name '*.md' -size -2k", 'find them'],
  ['bash scripts/report.sh', 'scripts'],
]

/** What a new workspace says, for a terminal of so many columns. */
export function welcomeText(columns: number): string {
  const width = Math.max(...TRIES.map(([line]) => line.length))
  const rows = TRIES.map(([line, what]) => {
    const remark = columns > width + 28 ? `${' '.repeat(width - line.length + 3)}${DIM}${what}${OFF}` : ''
    return `  ${ACCENT}${line}${OFF}${remark}`
  })
  return [
    `${BOLD}A bash in this page, on files in this browser.${OFF}`,
    `${DIM}Reload, close, come back: everything is there. Try:${OFF}`,
    '',
    ...rows,
    '',
    `${DIM}Tab completes, ↑ and Ctrl+R search the history, F1 shows the keys.${OFF}`,
    '',
    '',
  ].join('\r\n')
}
