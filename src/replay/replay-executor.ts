import type { Attempt, CommandEnd, CommandSite, Executor, Running } from '../job/executor.ts'
import { configurationFault } from './fault.ts'

/** An executor whose Jobs do `work` on the open site of another one, instead of running a command. */
export function replayExecutor(inner: Executor, work: (site: CommandSite, attempt: Attempt) => Promise<CommandEnd>): Executor {
  return {
    ...inner,
    executionBlocker: 'a replay can not be saved while it runs; its state after each step is kept as a checkpoint (CAPABILITY_UNSUPPORTED)',
    start: async (attempt): Promise<Running> => {
      const site = await inner.open?.(attempt)
      if (site === undefined) throw configurationFault(`the executor "${inner.name}" can't run one command after another: use "machine"`)
      const stop = new AbortController()
      return { ended: finish(site, () => work(signalled(site, stop.signal), attempt)), kill: () => stop.abort(), pid: null }
    },
  }
}

async function finish(site: CommandSite, work: () => Promise<CommandEnd>): Promise<CommandEnd> {
  let end: CommandEnd
  try {
    end = await work()
  } catch (error) {
    await site.close()
    throw error
  }
  return { ...end, warnings: [...end.warnings, ...(await site.close())] }
}

/** The site, whose lines end when the Job is killed, too. */
function signalled(site: CommandSite, killed: AbortSignal): CommandSite {
  return {
    fs: site.fs,
    isLive: site.isLive,
    close: () => site.close(),
    run: (command) => {
      killed.throwIfAborted()
      return site.run({ ...command, signal: command.signal === undefined ? killed : AbortSignal.any([command.signal, killed]) })
    },
  }
}
