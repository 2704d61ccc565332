const OPERATORS: readonly string[] = ['&>>', ';;&', '<<-', '<<<', '&&', '||', ';;', ';&', '|&', '&>', '>>', '>&', '>|', '<<', '<&', '<>']

/** The longest operator at an offset that holds an operator character; `newline` for a newline. */
export function operatorAt(text: string, at: number): string {
  const first = text.charAt(at)
  if (first === '\n') return 'newline'
  for (const operator of OPERATORS) if (text.startsWith(operator, at)) return operator
  return first
}
