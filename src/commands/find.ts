import type { FileType } from '../fs/file-system.ts'
import type { Command, CommandContext } from './command.ts'
import { Output } from './output.ts'
import type { Steps } from './steps.ts'
import { proceed, wait } from './steps.ts'
import { complainOf } from './utility.ts'

/** `find`: walks directories and does what an expression says with each file. */
export const find: Command = { run: (args, context) => proceed(run(args, context)) }

interface Entry {
  readonly shown: string
  readonly path: string
  readonly type: FileType
}

function* run(args: readonly string[], context: CommandContext): Steps<number> {
  const output = new Output(context.stdout)
  let status = 0
  for (const start of args.length === 0 ? ['.'] : args) {
    try {
      const { type } = yield* wait(context.fs.lstat(context.resolve(start)))
      const pending: Entry[] = [{ shown: start, path: context.resolve(start), type }]
      for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
        output.text(`${entry.shown}\n`)
        yield* wait(output.settle())
        if (entry.type !== 'directory') continue
        const { shown, path } = entry
        const names = yield* wait(context.fs.readdir(path))
        for (const { name, type: below } of names.toReversed())
          pending.push({ shown: `${shown}/${name}`, path: `${path}/${name}`, type: below })
      }
    } catch (error) {
      yield* wait(output.flush())
      yield* wait(complainOf(context, `'${start}'`, error))
      status = 1
    }
  }
  yield* wait(output.flush())
  return status
}
