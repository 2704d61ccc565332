import type { ObservationClass, ReportCall, ReportStep } from 'mirage-runtime'

interface Verdict {
  readonly mark: string
  readonly word: string
  readonly explains: string
}

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

/** What a call was given, to be read: the command itself where there is one, else what each argument holds. */
export function givenText({ arguments: given }: Pick<ReportCall, 'arguments'>): string {
  const entries = Object.entries(given)
  const [only] = entries
  if (entries.length === 1 && typeof only?.[1] === 'string') return only[1]
  return entries.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join('\n')
}

/** A step in one line. */
export function stepTitle({ calls, text }: ReportStep): string {
  const [first] = calls
  if (first === undefined) return text.split('\n', 1)[0] ?? ''
  const more = calls.length > 1 ? ` (+${calls.length - 1})` : ''
  return `${givenText(first).replace(/\s+/g, ' ')}${more}`
}

/** An observation as text. */
export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
