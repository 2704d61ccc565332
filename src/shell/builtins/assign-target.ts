import { ShellFault } from '../machine/fault.ts'
import { assignElement, assignScalar, isName, splitReference } from '../machine/parameters.ts'
import type { Process } from '../machine/process.ts'

/** Sets a variable or an element, as `printf -v` and `read` name them. */
export function assignTo(process: Process, target: string, text: string): void {
  const { name, subscript } = splitReference(target)
  if (!isName(name)) throw new ShellFault(`\`${target}': not a valid identifier`, 'command')
  if (subscript === null) assignScalar(process, name, text)
  else assignElement(process, name, process.machine.runtime.expandSubscript(process, subscript), text)
}
