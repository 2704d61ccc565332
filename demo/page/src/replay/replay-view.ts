import type { ObservationClass, ReplayProgress, ReplayReport, ReportStep } from 'mirage-runtime'
import { errorText } from 'mirage-runtime'
import type { App } from '../app.ts'
import { button } from '../button.ts'
import { element, setAttributes } from '../element.ts'
import { valueStore } from '../value-store.ts'
import type { FileView } from '../viewer/file-view.ts'
import { replayStep } from './replay-step.ts'
import { stepTitle, VERDICTS, verdictOf } from './replay-words.ts'

/** A replay that is to be shown. */
export interface ReplayViewOptions {
  readonly title: string
  /** Makes the replay, or reads one that was made; null where nothing was run. */
  readonly run: (onProgress: (progress: ReplayProgress) => void, signal: AbortSignal) => Promise<ReplayReport | null>
}

/** A replay: how far it is, then its steps, each to be looked at. */
export function replayView(app: App, { title, run }: ReplayViewOptions): FileView {
  const stop = new AbortController()
  const bar = element('progress', { attributes: { 'aria-label': `Replay of ${title}` } })
  const news = element('p', { class: 'replay-news mono', attributes: { role: 'status' } }, 'Reading…')
  const root = element(
    'div',
    { class: 'replay-view', attributes: { tabindex: -1 } },
    element('div', { class: 'replay-running' }, bar, news, button({ label: 'Stop', icon: 'stop', press: () => stop.abort() })),
  )
  let focus = (): void => root.focus()
  void run(({ step, of, call }) => {
    if (of !== null) setAttributes(bar, { max: of, value: step - 1 })
    news.textContent = `Step ${step}${of === null ? '' : ` of ${of}`}: ${call}`
  }, stop.signal)
    .then((report) => {
      if (report === null || report.steps.length === 0) {
        root.replaceChildren(element('p', { class: 'empty' }, 'No step was replayed.'))
        return
      }
      const shown = shownReport(app, report)
      root.replaceChildren(...shown.elements)
      focus = shown.focus
      if (root.contains(document.activeElement) || document.activeElement === document.body) focus()
    })
    .catch((error: unknown) => {
      root.replaceChildren(element('p', { class: 'empty', attributes: { role: 'alert' } }, `The replay failed: ${errorText(error)}`))
    })
  return {
    element: root,
    dirty: valueStore(false),
    focus: () => focus(),
    save: async () => true,
    refresh: async () => true,
    close: () => stop.abort(),
  }
}

function shownReport(app: App, report: ReplayReport): { readonly elements: readonly HTMLElement[]; readonly focus: () => void } {
  const { steps, counts } = report
  const detail = element('div', { class: 'replay-detail', attributes: { role: 'region', 'aria-label': 'The step', tabindex: 0 } })
  let current = -1
  const slider = element('input', {
    class: 'replay-slider',
    attributes: { type: 'range', min: 1, max: steps.length, value: 1, 'aria-label': 'Step' },
    on: { input: () => show(Number(slider.value) - 1) },
  })
  const rows = steps.map((step, i) => {
    const verdict = verdictOf(step)
    const facts = verdict === null ? { mark: '▸', word: step.is_live ? 'live' : 'no call' } : VERDICTS[verdict]
    return element(
      'button',
      { class: 'replay-row', attributes: { type: 'button', title: stepTitle(step), tabindex: -1 }, on: { click: () => show(i) } },
      element('span', { class: 'replay-number' }, String(step.ordinal)),
      element('span', { class: `replay-mark replay-${verdict ?? 'live'}`, attributes: { 'aria-hidden': 'true' } }, facts.mark),
      element('span', { class: 'unseen' }, `${facts.word}: `),
      element('span', { class: 'replay-what mono' }, stepTitle(step)),
    )
  })
  const show = (index: number): void => {
    const step = steps[index]
    if (step === undefined || index === current) return
    const left = rows[current]
    if (left !== undefined) setAttributes(left, { 'aria-current': undefined, tabindex: -1 })
    current = index
    slider.value = String(index + 1)
    setAttributes(slider, { 'aria-valuetext': `step ${step.ordinal} of ${steps.length}` })
    const row = rows[index]
    if (row !== undefined) setAttributes(row, { 'aria-current': 'step', tabindex: 0 })
    row?.scrollIntoView({ block: 'nearest' })
    detail.replaceChildren(replayStep(app, report, step))
    detail.scrollTo(0, 0)
  }
  /** The next step with such an observation, from the first again behind the last. */
  const showNext = (kind: ObservationClass): void => {
    const has = ({ calls }: ReportStep): boolean => calls.some((call) => call.class === kind)
    const behind = steps.findIndex((step, i) => i > current && has(step))
    show(behind < 0 ? steps.findIndex(has) : behind)
  }
  const move = (event: KeyboardEvent): void => {
    const to = { ArrowUp: current - 1, ArrowDown: current + 1, Home: 0, End: steps.length - 1 }[event.key]
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    show(to)
    rows[current]?.focus()
  }
  const previous = button({ label: 'Step before', icon: 'up', compact: true, press: () => show(current - 1) })
  const next = button({ label: 'Next step', icon: 'down', compact: true, press: () => show(current + 1) })
  const missing = Object.entries(counts.missing_commands)
  const head = element(
    'div',
    { class: 'replay-head' },
    ...(['exact', 'differs', 'unsupported', 'stale'] as const)
      .filter((kind) => counts[kind] > 0 || kind === 'exact')
      .map((kind) => countElement(kind, counts[kind], () => showNext(kind))),
    ...(missing.length === 0
      ? []
      : [element('span', { class: 'muted' }, `missing: ${missing.map(([name, calls]) => `${name} (${calls})`).join(', ')}`)]),
  )
  const line = element('div', { class: 'replay-scrub' }, previous, slider, next)
  show(0)
  return {
    elements: [
      head,
      line,
      element(
        'div',
        { class: 'replay-body' },
        element('nav', { class: 'replay-list', attributes: { 'aria-label': 'Steps' }, on: { keydown: move } }, ...rows),
        detail,
      ),
    ],
    focus: () => slider.focus(),
  }
}

/** How many observations came out so; pressed, it goes to the next of them. */
function countElement(kind: ObservationClass, count: number, press: () => void): HTMLElement {
  const { word, explains } = VERDICTS[kind]
  const text = `${count} ${word}`
  const name = `replay-count replay-jump replay-${kind}`
  if (count === 0) return element('span', { class: name, attributes: { title: explains } }, text)
  return element(
    'button',
    { class: name, attributes: { type: 'button', title: `${explains} Go to the next.` }, on: { click: press } },
    text,
  )
}
