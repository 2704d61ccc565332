import { strftime } from '../../time/strftime.ts'
import type { PromptInfo } from '../expand/prompt.ts'
import { expandPromptEscapes } from '../expand/prompt.ts'
import { readText } from './parameters.ts'
import type { Process } from './process.ts'
import { timeZone } from './time-zone.ts'

/** Resolves the backslash escapes of a prompt for a process. */
export function promptEscapes(process: Process, text: string): string {
  return expandPromptEscapes(text, promptInfo(process))
}

/** What the escapes of a prompt stand for in a process. */
export function promptInfo(process: Process): PromptInfo {
  const { environment, machine } = process
  return {
    cwd: environment.cwd,
    home: readText(process, 'HOME') ?? '',
    user: readText(process, 'USER') ?? 'user',
    host: readText(process, 'HOSTNAME') ?? 'localhost',
    shell: environment.name.slice(environment.name.lastIndexOf('/') + 1),
    version: '5.2',
    release: '5.2.15',
    dirtrim: Number(readText(process, 'PROMPT_DIRTRIM') ?? 0) || 0,
    historyNumber: 1,
    commandNumber: 1,
    jobs: process.jobs?.jobs.size ?? 0,
    terminal: 'tty',
    uid: 1000,
    now: () => machine.host.now(),
    strftime: (format, ms) => strftime(format, ms, timeZone(process)),
  }
}
