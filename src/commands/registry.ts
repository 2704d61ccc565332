import type { Command } from './command.ts'

/** A command, or how to load it when it is first run. */
export type CommandSource = Command | (() => Promise<Command>)

/** The commands a workspace has, by name. */
export type CommandTable = ReadonlyMap<string, CommandSource>
