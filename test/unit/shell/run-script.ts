import { spawn, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { Workspace } from '../../../src/workspace.ts'

/** What a script left behind. */
export interface Outcome {
  readonly stdout: string
  readonly stderr: string
  readonly status: number
}

/** True where bash 5.2 is installed: then tests compare with it. */
export const hasBash: boolean = spawnSync('bash', ['-c', 'echo "$BASH_VERSION"']).stdout?.toString().startsWith('5.2.') === true

/** Working directory of every script, as its outcome shows it. */
const FOLDER = '/tmp/work'
const ENVIRONMENT = { HOME: '/var/tmp', LC_ALL: 'C.UTF-8', PATH: '/usr/bin:/bin', TZ: 'UTC', USER: 'user' }
/** Milliseconds a script may take. */
const LIMIT = 10_000

/** Runs a script in the workspace shell, in an empty folder of a file system in memory. */
export async function runHere(script: string): Promise<Outcome> {
  const root = new RAMFileSystem()
  for (const folder of ['/tmp', '/var', '/var/tmp', FOLDER]) root.mkdir(folder)
  const workspace = new Workspace({ '/': root }, { env: ENVIRONMENT })
  try {
    const session = await workspace.session('case', { cwd: FOLDER })
    const result = await session.shell(script, { record: false, timeoutMs: LIMIT })
    return { stdout: result.stdoutText, stderr: plainMessages(result.stderrText), status: result.exitCode }
  } finally {
    await workspace.close()
  }
}

/** Runs a script in bash, which reads it from a file as its standard input, in an empty folder. */
export function runBash(script: string): Promise<Outcome> {
  const top = mkdtempSync(join(realpathSync(tmpdir()), 'shell-'))
  const folder = join(top, 'work')
  mkdirSync(folder)
  writeFileSync(join(top, 'script'), script.replaceAll(FOLDER, folder))
  const input = openSync(join(top, 'script'), 'r')
  return new Promise((resolve) => {
    const child = spawn('bash', ['--norc'], {
      cwd: folder,
      env: { ...ENVIRONMENT, PWD: folder },
      stdio: [input, 'pipe', 'pipe'],
    })
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT)
    child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk))
    child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk))
    child.on('close', (code) => {
      clearTimeout(timer)
      closeSync(input)
      rmSync(top, { recursive: true, force: true })
      const text = (chunks: Buffer[]): string => Buffer.concat(chunks).toString().replaceAll(folder, FOLDER)
      resolve({ stdout: text(stdout), stderr: plainMessages(text(stderr)), status: code ?? 255 })
    })
  })
}

/**
 * Messages without what differs from run to run, process numbers, and with one name for the shell: bash calls itself `main` inside
 * functions where it reads its script from standard input.
 */
function plainMessages(text: string): string {
  return text
    .replaceAll(/^main: line/gm, 'bash: line')
    .replaceAll(/^(.*line \d+: )\s*\d+ (Terminated|Killed|Hangup|Aborted|User defined signal \d)\b.*$/gm, '$1PID $2')
}

/** Runs `work` over all items, a few at a time, and keeps their order. */
export async function inParallel<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++
      results[index] = await work(items[index] as T)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return results
}
