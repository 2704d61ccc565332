import type { CommandTable } from './commands/registry.ts'
import { codeOf, errorText } from './errors.ts'
import { followLinks } from './fs/follow-links.ts'
import type { Mount } from './fs/mount-table.ts'
import { MountTable } from './fs/mount-table.ts'
import type { Host } from './host.ts'
import { isPromise } from './host.ts'
import type { AccessRule } from './job/access.ts'
import { deniedPaths } from './job/access.ts'
import type { Attempt, CommandEnd, Executor, Running } from './job/executor.ts'
import { guard } from './policy/guard.ts'
import { SessionShell } from './session-shell.ts'
import { quoteWord } from './shell/expand/quote.ts'
import type { MachineLimits } from './shell/machine/machine.ts'
import type { SessionFields } from './state/session-fields.ts'

export interface MachineExecutorOptions {
  readonly host: Host
  readonly commands: CommandTable
  readonly limits: MachineLimits
  /** What every workspace has besides its files: devices and programs. */
  readonly builtIn: () => ReadonlyMap<string, Mount>
}

const ENFORCED = { level: 'enforced', mechanisms: ['shell machine'] } as const

/** Runs commands in the workspace's own shell, over the Job's mounts. */
export function machineExecutor(options: MachineExecutorOptions): Executor {
  return {
    name: 'machine',
    isolation: 'shell machine',
    executionBlocker: null,
    start: (attempt) => start(options, attempt),
    enforcement: () => ({
      filesystem_read: ENFORCED,
      filesystem_write: ENFORCED,
      network: { level: 'enforced', mechanisms: ['no command of the shell reaches a network'] },
      subprocess: ENFORCED,
      resources: { level: 'enforced', mechanisms: ['limits of the shell machine'] },
    }),
  }
}

function start({ host, commands, limits, builtIn }: MachineExecutorOptions, attempt: Attempt): Running {
  const table = new MountTable([...builtIn(), ...attempt.mounts])
  const fields = withAccess(attempt.fields, attempt.access)
  const fs = followLinks(guard(table, fields.rules, table))
  const session = new SessionShell({ host, commands, fs, limits })
  session.apply(fields, fs)
  const line = typeof attempt.command === 'string' ? attempt.command : attempt.command.map(quoteWord).join(' ')
  const ended = run(session, line, attempt)
  return { ended, kill: () => session.kill(), pid: null }
}

async function run(session: SessionShell, line: string, attempt: Attempt): Promise<CommandEnd> {
  try {
    const running = session.shell.run(line, {
      stdin: attempt.stdin,
      stdout: (bytes) => attempt.output(bytes, 'stdout'),
      stderr: (bytes) => attempt.output(bytes, 'stderr'),
    })
    const { status } = isPromise(running) ? await running : running
    return { exitCode: status, signal: null, failure: null, warnings: [] }
  } catch (error) {
    const message = codeOf(error) === undefined ? String(error) : errorText(error)
    return { exitCode: null, signal: null, failure: { kind: 'infrastructure', message }, warnings: [] }
  } finally {
    // What was left in the background ends with the command.
    session.kill()
  }
}

/** What may not be used besides what the session's rules say. */
function withAccess(fields: SessionFields, access: readonly AccessRule[]): SessionFields {
  if (access.length === 0) return fields
  const { rules } = fields
  return { ...fields, rules: { ...rules, paths: { ...rules.paths, deny: [...rules.paths.deny, ...deniedPaths(access)] } } }
}
