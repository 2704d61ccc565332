import type { Session } from 'mirage-runtime'
import { element, part } from '../element.ts'
import { shownValue } from '../format.ts'
import { icon } from '../icon.ts'
import { remember, remembered } from '../remembered.ts'

type Fields = Session['fields']
type Variable = Fields['variables'] extends ReadonlyMap<string, infer V> ? V : never

/** The panel that shows what a session knows. */
export interface StatePanel {
  /** Shows the state of a session; what changed since the last time is marked for a moment. */
  draw(session: string, fields: Fields): void
}

const ATTRIBUTES = new Map([
  ['r', 'readonly'],
  ['i', 'integer'],
  ['a', 'array'],
  ['A', 'map'],
  ['n', 'reference'],
  ['l', 'lower case'],
  ['u', 'upper case'],
  ['t', 'traced'],
])

/** Builds the panel: directory, variables, functions, aliases. */
export function openStatePanel(): StatePanel {
  let seen: { readonly session: string; readonly lines: ReadonlyMap<string, string> } = { session: '', lines: new Map() }
  let last: Fields | null = null
  const filter = element('input', {
    class: 'text-input',
    attributes: { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter variables, functions and aliases', autocomplete: 'off' },
    on: { input: () => (last === null ? undefined : show(last, new Set())) },
  })
  const cwd = element('output', { class: 'state-cwd mono', attributes: { 'aria-label': 'Working directory' } })
  const facts = element('p', { class: 'state-facts muted' })
  const variables = section('Variables', 'variables')
  const environment = section('Environment', 'environment')
  const functions = section('Functions', 'functions')
  const aliases = section('Aliases', 'aliases')
  // Nothing is shown before there is something to show: it would move.
  const whole = element(
    'div',
    { attributes: { hidden: true } },
    element('div', { class: 'state-top' }, element('div', { class: 'state-label' }, 'Directory'), cwd, facts, filter),
    variables.root,
    functions.root,
    aliases.root,
    environment.root,
  )
  part('state-panel').append(whole)

  const show = (fields: Fields, changed: ReadonlySet<string>): void => {
    const wanted = filter.value.trim().toLowerCase()
    const names = <T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] =>
      [...map].filter(([name]) => name.toLowerCase().includes(wanted)).sort(([a], [b]) => (a < b ? -1 : 1))
    cwd.textContent = fields.cwd
    const { profile } = fields.rules
    facts.textContent = `umask ${fields.umask.toString(8).padStart(4, '0')}${profile === null ? '' : ` · profile ${profile}`}`
    const fill = (into: Section, isExported: boolean, empty: string): void => {
      const own = new Map([...fields.variables].filter(([name, { attributes }]) => isEnvironment(name, attributes) === isExported))
      const rows = names(own).map(([name, variable]) => variableRow(name, variable, changed.has(`variable ${name}`)))
      into.fill(rows, own.size, empty)
    }
    fill(variables, false, 'None yet: names=(ada grace)')
    fill(environment, true, 'Nothing is exported.')
    functions.fill(
      names(fields.functions).map(([name, { source, exported, readonly }]) => {
        const badges = [...(exported ? ['exported'] : []), ...(readonly ? ['readonly'] : [])]
        return openableRow(`${name}()`, badges, element('pre', { class: 'state-source mono' }, source), changed.has(`function ${name}`))
      }),
      fields.functions.size,
      'None yet: greet() { echo "hello $1"; }',
    )
    aliases.fill(
      names(fields.aliases).map(([name, value]) => row(name, [], shownValue(value), changed.has(`alias ${name}`))),
      fields.aliases.size,
      "None yet: alias ll='ls -l'",
    )
  }
  return {
    draw: (session, fields) => {
      const lines = linesOf(fields)
      const changed = new Set<string>()
      if (seen.session === session) for (const [key, text] of lines) if (seen.lines.get(key) !== text) changed.add(key)
      seen = { session, lines }
      last = fields
      whole.hidden = false
      show(fields, changed)
      cwd.classList.toggle('changed', changed.has('cwd'))
    },
  }
}

/** Each part of the state as a text, to see what changed. */
function linesOf(fields: Fields): ReadonlyMap<string, string> {
  const lines = new Map<string, string>([['cwd', fields.cwd]])
  for (const [name, variable] of fields.variables) lines.set(`variable ${name}`, JSON.stringify(variable))
  for (const [name, { source }] of fields.functions) lines.set(`function ${name}`, source)
  for (const [name, value] of fields.aliases) lines.set(`alias ${name}`, value)
  return lines
}

interface Section {
  readonly root: HTMLElement
  fill(rows: readonly HTMLElement[], total: number, empty: string): void
}

function section(title: string, name: string): Section {
  const count = element('span', { class: 'count' })
  const body = element('div', { class: 'state-rows' })
  const root = element(
    'details',
    { class: 'state-section', attributes: { open: remembered(`state-${name}`) !== 'closed' } },
    element('summary', {}, icon('chevron'), title, count),
    body,
  )
  root.addEventListener('toggle', () => remember(`state-${name}`, root.open ? null : 'closed'))
  return {
    root,
    fill: (rows, total, empty) => {
      count.textContent = String(total)
      const opened = new Set([...body.querySelectorAll<HTMLElement>('details[open]')].map((one) => one.dataset.name))
      for (const one of rows) if (one instanceof HTMLDetailsElement && opened.has(one.dataset.name)) one.open = true
      if (rows.length > 0) body.replaceChildren(...rows)
      else body.replaceChildren(element('p', { class: 'state-empty muted' }, total === 0 ? empty : 'Nothing of this name.'))
    },
  }
}

function variableRow(name: string, { attributes, value }: Variable, changed: boolean): HTMLElement {
  const badges = [...attributes].filter((letter) => letter !== 'x').map((letter) => ATTRIBUTES.get(letter) ?? letter)
  if (value === null) return row(name, badges, '', changed, 'not set')
  if (typeof value === 'string') return row(name, badges, shownValue(value), changed, value === '' ? 'empty' : undefined)
  const items = value.map(([key, text]) =>
    element('li', {}, element('span', { class: 'state-key' }, `[${shownValue(key)}]`), ` ${shownValue(text)}`),
  )
  const list = element('ul', { class: 'state-items mono' }, ...items)
  return openableRow(name, badges, list, changed, `${value.length} ${value.length === 1 ? 'element' : 'elements'}`)
}

/** What is exported, and what every shell has from the start. */
function isEnvironment(name: string, attributes: string): boolean {
  return attributes.includes('x') || name === 'IFS'
}

function head(name: string, badges: readonly string[]): readonly HTMLElement[] {
  return [element('span', { class: 'state-name mono' }, name), ...badges.map((badge) => element('span', { class: 'badge' }, badge))]
}

function row(name: string, badges: readonly string[], value: string, changed: boolean, remark?: string): HTMLElement {
  const shown = remark === undefined ? [value] : [element('span', { class: 'muted' }, remark)]
  return element(
    'div',
    { class: changed ? 'state-row changed' : 'state-row' },
    element('div', { class: 'state-head' }, ...head(name, badges)),
    element('div', { class: 'state-value mono', attributes: { title: value } }, ...shown),
  )
}

function openableRow(name: string, badges: readonly string[], body: HTMLElement, changed: boolean, remark = ''): HTMLElement {
  const details = element(
    'details',
    { class: changed ? 'state-row changed' : 'state-row' },
    element('summary', { class: 'state-head' }, icon('chevron'), ...head(name, badges), element('span', { class: 'muted' }, remark)),
    body,
  )
  details.dataset.name = name
  return details
}
