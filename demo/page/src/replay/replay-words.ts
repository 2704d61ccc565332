import type { ObservationClass, ReportCall, ReportStep } from 'mirage-runtime'

interface Verdict {
  readonly mark: string
  readonly word: string
  readonly explains: string
}

/** Characters of a call that a title is made of. */
const TITLE = 300

/** How an observation came out, for people. */
export const VERDICTS: Readonly<Record<ObservationClass, Verdict>> = {
  exact: { mark: '=', word: 'exact', explains: 'What was observed now is what was recorded.' },
  differs: { mark: '≠', word: 'differs', explains: 'What was observed now is not what was recorded.' },
  unsupported: { mark: '?', word: 'unsupported', explains: 'A command was called that the workspace does not have.' },
  stale: { mark: '·', word: 'stale', explains: 'It can not be made again: the recorded observation stands.' },
}

/** What matters most of the calls of a step; null for one without any that was recorded. */
export function verdictOf({ calls }: ReportStep): ObservationClass | null {
  const order: readonly ObservationClass[] = ['unsupported', 'differs', 'stale', 'exact']
  return order.find((one) => calls.some((call) => call.class === one)) ?? null
}

/** What a call was given, to be read: the only text where there is but one, else what each argument holds, of several lines below its name. */
export function givenText({ arguments: given }: Pick<ReportCall, 'arguments'>): string {
  const entries = Object.entries(given)
  const [only] = entries
  if (entries.length === 1 && typeof only?.[1] === 'string') return only[1]
  return entries
    .map(([name, value]) => {
      const text = wordsOf(value) ?? JSON.stringify(value)
      return text.includes('\n') ? `${name}:\n${text}` : `${name}: ${text}`
    })
    .join('\n')
}

/** A text, or a list of them as a command has it; null for anything else. */
function wordsOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string') ? value.join(' ') : null
}

/** A call in a line: of a shell, the command; else the tool, and what it is about. */
function callTitle({ name, arguments: given }: ReportCall): string {
  const textAt = (...keys: readonly string[]): string | null =>
    keys.map((key) => wordsOf(given[key])).find((value) => value !== null) ?? null
  const command = textAt('command', 'cmd', 'script')
  const path = textAt('path', 'file_path', 'file_name', 'notebook_path')
  if (command !== null && path === null) return command
  const about = path ?? Object.values(given).find((value) => typeof value === 'string') ?? ''
  return [name, command ?? '', about].filter((one) => one !== '').join(' ')
}

/** A step in one line. */
export function stepTitle({ calls, text }: ReportStep): string {
  const [first] = calls
  if (first === undefined) return text.split('\n', 1)[0] ?? ''
  const more = calls.length > 1 ? ` (+${calls.length - 1})` : ''
  return `${callTitle(first).slice(0, TITLE).replace(/\s+/g, ' ').trim()}${more}`
}

/** An observation as text. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
