import type { Command } from './command.ts'
import type { CommandSource } from './registry.ts'

/** Rows of a table for commands that a module exports by their names; it is loaded when one of them is first run. */
export function moduleCommands<Name extends string>(
  load: () => Promise<Readonly<Record<NoInfer<Name>, Command>>>,
  ...names: readonly Name[]
): [Name, CommandSource][] {
  return names.map((name) => [name, async () => (await load())[name]])
}
