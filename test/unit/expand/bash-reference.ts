import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** True where bash is installed: then tests compare with it. */
export const hasBash: boolean = spawnSync('bash', ['-c', ':']).status === 0

/**
 * What a bash script prints, both streams together. An error that ends a line only (as one in arithmetic does) lets the next line run.
 * It runs in an empty directory of its own, under the name `script`.
 */
export function runBash(script: string | Uint8Array, environment: Record<string, string> = {}): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'expand-'))
  try {
    writeFileSync(join(folder, 'script'), Buffer.concat([Buffer.from('exec 2>&1\n'), Buffer.from(script)]))
    const result = spawnSync('bash', ['--norc', 'script'], {
      cwd: folder,
      maxBuffer: 1 << 28,
      env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', ...environment },
    })
    return result.stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Text as one bash word. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Pseudo-random numbers below `limit`, the same every time for one seed. */
export function createRandom(seed: number): (limit: number) => number {
  let state = seed >>> 0
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}
