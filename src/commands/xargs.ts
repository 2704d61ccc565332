import { decode } from '../bytes.ts'
import type { Command } from './command.ts'
import { readAll } from './input.ts'

/** `xargs`: runs a command with arguments read from standard input. */
export const xargs: Command = {
  async run(args, context) {
    const words = decode(await readAll(context.stdin))
      .split(/\s+/)
      .filter(Boolean)
    const status = await context.run([...(args.length === 0 ? ['echo'] : args), ...words])
    return status === 0 ? 0 : 123
  },
}
