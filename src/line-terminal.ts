import type { Variable } from './shell/machine/variables.ts'
import { Attribute } from './shell/machine/variables.ts'
import type { Shell } from './shell/shell.ts'
import type { LineTerminal } from './workspace-options.ts'

/** COLUMNS and LINES tell of a terminal, which is not the session's, until what is returned is called: what the line assigns to them stays. */
export function followTerminal(shell: Shell, terminal: LineTerminal): () => void {
  const own = new Map<string, Variable | undefined>()
  const made = new Map<string, Variable>()
  const show = (name: string, cells: number): void => {
    const { variables } = shell.process.environment
    const known = variables.get(name)
    const attributes = known?.attributes ?? 0
    if (made.has(name) ? known !== made.get(name) : (attributes & ~Attribute.exported) !== 0) return
    if (!made.has(name)) own.set(name, known)
    const variable = variables.make(String(cells), attributes)
    variables.put(name, variable)
    made.set(name, variable)
  }
  const update = (): void => {
    show('COLUMNS', terminal.columns)
    show('LINES', terminal.rows)
    shell.process.environment.variables.seal()
  }
  update()
  const stop = terminal.onResize?.(() => {
    update()
    shell.machine.signal(shell.process, 'WINCH')
  })
  return () => {
    stop?.()
    const { variables } = shell.process.environment
    for (const [name, variable] of made) if (variables.get(name) === variable) variables.put(name, own.get(name))
  }
}
