import type { FunctionDefinition } from '../syntax/ast.ts'
import { keepPipeStatus } from './control.ts'
import type { Process } from './process.ts'
import type { Program } from './program.ts'
import { currentFile } from './specials.ts'

/** `name () …`: defines a function. */
export function defineFunction(process: Process, definition: FunctionDefinition, compile: () => Program, source: () => string): void {
  const { environment } = process
  const { name } = definition
  if (/[$`'"\\]/.test(name)) {
    process.complain(`${process.messagePrefix()}\`${name}': not a valid identifier\n`)
    process.status = 1
    return
  }
  const known = environment.functions.get(name)
  if (known?.readonly === true) {
    process.complain(`${process.messagePrefix()}${name}: readonly function\n`)
    process.status = 1
    return
  }
  const functions = new Map(environment.functions)
  functions.set(name, {
    name,
    get source() {
      return source()
    },
    program: null,
    compile,
    exported: known?.exported ?? false,
    readonly: false,
    traced: known?.traced ?? false,
    file: currentFile(process),
    line: definition.line,
  })
  environment.functions = functions
  keepPipeStatus(process)
  process.status = 0
}
