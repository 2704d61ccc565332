import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, vi } from 'vitest'
import { jobCommand } from '../../../platforms/node/cli/job-command.ts'

/** A turn of mini-swe-agent with one command, and what it gave. */
export type Step = readonly [command: string, output: string, status?: number]

export interface Answer {
  readonly status: number
  readonly result: Readonly<Record<string, unknown>>
}

/** A folder of its own for each test, which is the current one, and the word in this process. */
export interface ReplayCase {
  /** Below it: `ws`, `runs`, `state`, `output`. */
  readonly root: string
  /** Runs a word for Jobs. */
  mirage(...argv: readonly string[]): Promise<{ readonly status: number; readonly out: string }>
  /** `mirage replay` with the roots of the case: one line of JSON, whatever comes of it. */
  replay(...flags: readonly string[]): Promise<Answer>
  /** A JSON document of the run `r`. */
  document(name: string): unknown
}

export const FLAGS = ['--agent', 'mini-swe-agent', '--trajectory', 'trajectory.json'] as const
export const PREPARE = [...FLAGS, '--after-step', '1', '--prepare-only'] as const

export function replayCases(): ReplayCase {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cli-replay-')))
  const home = process.cwd()
  let root = ''
  let count = 0
  beforeEach(() => {
    root = join(folder, `case-${count++}`)
    mkdirSync(join(root, 'ws'), { recursive: true })
    process.chdir(join(root, 'ws'))
    vi.stubEnv('MIRAGE_RUN_HOME', join(root, 'runs'))
    return () => {
      process.chdir(home)
      vi.unstubAllEnvs()
    }
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const mirage: ReplayCase['mirage'] = async (...argv) => {
    let out = ''
    const status = await jobCommand(argv, (text) => {
      out += typeof text === 'string' ? text : new TextDecoder().decode(text)
    })
    return { status, out }
  }
  return {
    get root() {
      return root
    },
    mirage,
    replay: async (...flags) => {
      const hasFile = flags[0] === '--config' || flags[0] === '--request'
      const { status, out } = await mirage('replay', ...flags, ...(hasFile ? [] : rootFlags(root)))
      expect(out).toMatch(/^\{.*\}\n$/)
      return { status, result: JSON.parse(out) }
    },
    document: (name) => JSON.parse(readFileSync(join(root, 'output/r', name), 'utf8')),
  }
}

export function rootFlags(root: string): readonly string[] {
  return ['--state-dir', join(root, 'state'), '--output-dir', join(root, 'output')]
}

/** A document of mini-swe-agent; `cwd` is the directory that it says the agent worked in. */
export function miniDocument(steps: readonly Step[], cwd?: string): Readonly<Record<string, unknown>> {
  const messages = steps.flatMap(([command, output, status = 0], i) => [
    { role: 'assistant', content: `step ${i + 1}`, extra: { response: {}, actions: [{ tool_call_id: `call-${i + 1}`, command }] } },
    { role: 'tool', tool_call_id: `call-${i + 1}`, content: output, extra: { raw_output: output, returncode: status } },
  ])
  const info = { mini_version: '2.4.6', ...(cwd !== undefined && { config: { environment: { cwd } } }) }
  return { trajectory_format: 'mini-swe-agent-1.1', info, messages }
}

/** Writes it into the current folder. */
export function writeTrajectory(steps: readonly Step[], cwd?: string): void {
  writeFileSync('trajectory.json', JSON.stringify(miniDocument(steps, cwd)))
}
