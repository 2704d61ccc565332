import { fileCommands } from './file-table.ts'
import type { CommandTable } from './registry.ts'
import { searchCommands } from './search-table.ts'
import { textCommands } from './text-table.ts'

/** The commands every workspace has. Each is loaded when it is first run. */
export const standardCommands: CommandTable = new Map([...textCommands, ...fileCommands, ...searchCommands])
