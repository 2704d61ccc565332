import type { ChildProcessByStdio } from 'node:child_process'
import { spawn } from 'node:child_process'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { build } from 'vite'

/** A process that tells each line it was acknowledged on standard output, and complaints on standard error. */
export interface Child {
  readonly process: ChildProcessByStdio<null, Readable, Readable>
  /** Resolves when the first line was acknowledged, or the process ended. */
  readonly begun: Promise<void>
  /** What was acknowledged, and complaints, when all of the process's output is in. */
  readonly ended: Promise<{ readonly acknowledged: readonly string[]; readonly complaints: string }>
}

/** Bundles a TypeScript file into `outDir` as a script for a Node process; its path. */
export async function buildScript(source: string, outDir: string): Promise<string> {
  await build({
    configFile: false,
    logLevel: 'silent',
    root: path.dirname(source),
    build: {
      ssr: source,
      outDir,
      emptyOutDir: true,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: 'child.mjs' } },
    },
  })
  return path.join(outDir, 'child.mjs')
}

export function startChild(script: string, ...args: readonly string[]): Child {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let complaints = ''
  child.stderr.on('data', (data: Buffer) => {
    complaints += data.toString()
  })
  const begun = new Promise<void>((resolve) => {
    child.stdout.on('data', (data: Buffer) => {
      output += data.toString()
      resolve()
    })
    child.on('close', () => resolve())
  })
  const ended = new Promise<Awaited<Child['ended']>>((resolve) => {
    child.on('close', () => resolve({ acknowledged: output.split('\n').slice(0, -1), complaints }))
  })
  return { process: child, begun, ended }
}

/** Numbers below a bound, the same ones for the same seed. */
export function numbers(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}
