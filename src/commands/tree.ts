import { encode } from '../bytes.ts'
import type { Command, CommandContext } from './command.ts'
import { operandPath } from './operand-path.ts'
import type { TreeOptions } from './tree-options.ts'
import { TREE_HELP, treeOptions } from './tree-options.ts'
import type { TreeNode } from './tree-walk.ts'
import { walkTree } from './tree-walk.ts'
import { writeTree } from './tree-write.ts'
import { complainOf, isExpected } from './utility.ts'

/** Draws directories as trees. */
export const tree: Command = {
  async run(args, context) {
    const read = treeOptions(args, context)
    if (read.kind === 'help') {
      await context.stdout.write(encode(read.text === 'version' ? 'tree (mirage-runtime)\n' : TREE_HELP))
      return 0
    }
    if (read.kind === 'fault') {
      await context.stderr.write(encode(`${read.message}\n`))
      return 1
    }
    const { options, operands } = read
    const names = operands.length === 0 ? ['.'] : operands
    const roots: TreeNode[] = []
    for (const name of names) roots.push(await walkTree(name, options, context))
    const text = writeTree(roots, options, context)
    await write(text, options, context)
    return roots.some((root) => root.failure !== null) ? 2 : 0
  },
}

async function write(chunks: readonly string[], { outputFile }: TreeOptions, context: CommandContext): Promise<void> {
  if (outputFile === null) {
    for (const chunk of chunks) await context.stdout.write(encode(chunk))
    return
  }
  try {
    const output = await context.create(operandPath(context, outputFile))
    for (const chunk of chunks) await output.write(encode(chunk))
    await output.close()
  } catch (error) {
    if (!isExpected(error)) throw error
    await complainOf(context, `invalid filename '${outputFile}'`, error)
  }
}
