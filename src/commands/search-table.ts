import type { CommandTable } from './registry.ts'

/** Commands that look for things. */
export const searchCommands: CommandTable = new Map()
