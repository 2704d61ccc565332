import type { ParsedOption } from '../options.ts'
import { UsageError } from '../options.ts'

/** How merged output shows groups of lines, and lines. */
export interface MergeFormats {
  readonly group: Readonly<Record<'unchanged' | 'old' | 'new' | 'changed', string>>
  readonly line: Readonly<Record<'unchanged' | 'old' | 'new', string>>
}

const LINES = ['unchanged', 'old', 'new'] as const

/** Gathers `--ifdef` and the format options. */
export class FormatChoice {
  readonly #groups = new Map<string, string>()
  readonly #lines = new Map<string, string>()

  /** Takes the option where it is about formats. */
  take({ name, value }: ParsedOption): boolean {
    const format = value ?? ''
    const [what = '', kind, last] = name.split('-')
    if (name === 'D') {
      this.#set(this.#groups, 'unchanged', '%=', '-D')
      this.#set(this.#groups, 'old', `#ifndef ${format}\n%<#endif /* ! ${format} */\n`, '-D')
      this.#set(this.#groups, 'new', `#ifdef ${format}\n%>#endif /* ${format} */\n`, '-D')
      this.#set(this.#groups, 'changed', `#ifndef ${format}\n%<#else /* ${format} */\n%>#endif /* ${format} */\n`, '-D')
    } else if (name === 'line-format') for (const line of LINES) this.#set(this.#lines, line, format, '--line-format')
    else if (last !== 'format') return false
    else this.#set(kind === 'group' ? this.#groups : this.#lines, what, format, `--${name}`)
    return true
  }

  settled(): MergeFormats {
    const line = (what: string) => this.#lines.get(what) ?? '%l\n'
    const groups = this.#groups
    const changed = groups.get('changed')
    const old = groups.get('old') ?? changed ?? '%<'
    const added = groups.get('new') ?? changed ?? '%>'
    return {
      group: { unchanged: groups.get('unchanged') ?? '%=', old, new: added, changed: changed ?? old + added },
      line: { unchanged: line('unchanged'), old: line('old'), new: line('new') },
    }
  }

  silentWhenSame(): boolean {
    const { group, line } = this.settled()
    return group.unchanged === '' || (group.unchanged === '%=' && line.unchanged === '')
  }

  #set(formats: Map<string, string>, what: string, format: string, option: string): void {
    const known = formats.get(what)
    if (known !== undefined && known !== format) throw new UsageError(`conflicting ${option} option value '${format}'`)
    formats.set(what, format)
  }
}
