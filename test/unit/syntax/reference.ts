import { spawnSync } from 'node:child_process'
import type { List } from '../../../src/shell/syntax/ast.ts'
import { createParser, type ParseSettings, ShellSyntaxError } from '../../../src/shell/syntax/parser.ts'

/** Whether the bash that the grammar follows is installed. */
export const bashInstalled: boolean = /version 5\.2/.test(spawnSync('bash', ['--version'], { encoding: 'utf8' }).stdout ?? '')

/** What bash prints for a script: standard output, and standard error after it. */
export function bash(script: string, ...options: string[]): { stdout: string; stderr: string } {
  const { stdout, stderr } = spawnSync('bash', [...options, '-c', script], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: '/', LC_ALL: 'C.UTF-8' },
  })
  return { stdout, stderr }
}

/** All complete commands of a script as one list. */
export function parse(script: string, settings?: ParseSettings): List {
  const parser = createParser(script)
  const items: List['items'][number][] = []
  for (let command = parser.next(settings); command !== null; command = parser.next(settings)) items.push(...command.list.items)
  return { items }
}

/** The error a script ends in, or null where it parses. */
export function errorOf(script: string, settings?: ParseSettings): ShellSyntaxError | null {
  try {
    parse(script, settings)
    return null
  } catch (error) {
    if (error instanceof ShellSyntaxError) return error
    throw error
  }
}

/** A tree as text, without what printing doesn't keep: lines, and whether a function was written with its keyword. */
export function shape(tree: unknown): string {
  return JSON.stringify(tree, (key, value) => (key === 'line' || key === 'keyword' ? undefined : value), 1)
}

/** Numbers below a bound, the same ones for the same seed. */
export function random(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 4294967296) * bound)
  }
}
