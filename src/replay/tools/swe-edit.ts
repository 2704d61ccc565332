import type { ReplaySite } from '../toolset.ts'
import { pythonQuoted } from './python-quote.ts'
import { editKind } from './swe-definitions.ts'
import type { SweAnswer, SweSettings } from './swe-settings.ts'
import { usage } from './swe-settings.ts'
import type { OpenWindow } from './swe-window.ts'
import { aroundLine, isAnswer, openWindow, rewrite } from './swe-window.ts'

const REVIEW =
  'Please review the changes and make sure they are correct\n(correct indentation, no duplicate lines, etc). Edit the file again if necessary.'
const UNCHANGED = 'Your edit was not applied (file not modified):'

/** `edit SEARCH REPLACEMENT [ALL]`: the first place within the window, or every one of the file. */
async function replaceText(
  [search, replacement, all = 'false']: readonly string[],
  site: ReplaySite,
  settings: SweSettings,
): Promise<SweAnswer> {
  if (search === undefined || replacement === undefined) return usage('Usage: edit <search> <replace> [<replace-all>]')
  const open = await openWindow(site)
  if (isAnswer(open)) return open
  if (search === replacement)
    return usage('Your search and replace strings are the same. No changes were made. Please modify your search or replace strings.')
  const isAll = /^(?:true|--replace-all)$/i.test(all)
  const pieces = open.text.split(search)
  if (search === '' || pieces.length === 1)
    return usage(
      `${UNCHANGED} Text ${pythonQuoted(search)} not found in displayed lines (or anywhere in the file).\nPlease modify your search string. Did you forget to properly handle whitespace/indentation?\nYou can also call \`open\` again to re-display the file with the correct context.`,
    )
  if (isAll) return edited(open, pieces.join(replacement), pieces.length - 1, site, settings)
  const { before, within, after } = parts(open, settings)
  const at = within.indexOf(search)
  if (at < 0)
    return usage(
      `${UNCHANGED} Text ${pythonQuoted(search)} not found in displayed lines.\n\nHowever, we found the following occurrences of your search string in the file:\n\n${placesOf(open.text, search)}\n\nYou can use the \`goto\` command to navigate to these locations before running the edit command again.`,
    )
  return edited(open, before + within.slice(0, at) + replacement + within.slice(at + search.length) + after, 1, site, settings)
}

/** `insert TEXT [LINE]`: after a line, or at the end. */
export async function insertText(words: readonly string[], site: ReplaySite, settings: SweSettings): Promise<SweAnswer> {
  const [text, ...rest] = words
  if (text === undefined) return usage('Usage: insert <text> [--line <line>]')
  const open = await openWindow(site)
  if (isAnswer(open)) return open
  const given = rest.find((word) => word !== '--line')
  const line = given === undefined ? null : Number(given)
  if (line !== null && !(Number.isSafeInteger(line) && line >= 0 && line <= open.lines.length))
    return usage(`Usage: insert <text> [--line <line>]\nError: <line> must be a number from 0 to ${open.lines.length}`)
  const at = line ?? open.lines.length - (open.lines.at(-1) === '' ? 1 : 0)
  const lines = [...open.lines.slice(0, at), ...text.split('\n'), ...open.lines.slice(at)]
  return { ...(await changed(open, 'Text inserted.', lines.join('\n'), site, settings, aroundLine(at + 1, settings))), status: 0 }
}

/** An edit of the kind that the agent has. */
export function edit(words: readonly string[], site: ReplaySite, settings: SweSettings): Promise<SweAnswer> {
  switch (editKind(settings.bundles)) {
    case 'lines':
      return replaceLines(words, site, settings)
    case 'window':
      return replaceWindow(words, site, settings)
    default:
      return replaceText(words, site, settings)
  }
}

async function replaceWindow([text]: readonly string[], site: ReplaySite, settings: SweSettings): Promise<SweAnswer> {
  if (text === undefined) return usage('Usage: edit <text>')
  const open = await openWindow(site)
  if (isAnswer(open)) return open
  const { before, after } = parts(open, settings)
  return changed(open, 'Text replaced.', before + text + after, site, settings)
}

/** Lines by their numbers and what goes there: `FIRST LAST TEXT`, or `FIRST:LAST TEXT`. */
export async function replaceLines(words: readonly string[], site: ReplaySite, settings: SweSettings): Promise<SweAnswer> {
  const [from = '', to = '', text = ''] = words[0]?.includes(':') === true ? [...words[0].split(':'), ...words.slice(1)] : words
  const first = Number(from)
  const last = Number(to)
  if (from === '' || to === '' || !Number.isSafeInteger(first) || !Number.isSafeInteger(last))
    return usage('Usage: edit <start_line>:<end_line>\n<replacement_text>\nend_of_edit')
  const open = await openWindow(site)
  if (isAnswer(open)) return open
  const { lines } = open
  if (first < 1 || last < first - 1 || last > lines.length)
    return usage(`Error: the lines ${first}:${last} are not within the file, which has ${lines.length}`)
  const fresh = [...lines.slice(0, first - 1), ...text.split('\n'), ...lines.slice(last)].join('\n')
  return changed(open, 'File updated.', fresh, site, settings, aroundLine(first, settings))
}

function edited(open: OpenWindow, text: string, count: number, site: ReplaySite, settings: SweSettings): Promise<SweAnswer> {
  return changed(open, `Replaced ${count} occurrences.`, text, site, settings)
}

async function changed(
  open: OpenWindow,
  what: string,
  text: string,
  site: ReplaySite,
  settings: SweSettings,
  first?: number,
): Promise<SweAnswer> {
  const shown = await rewrite(open, text, site, settings, first)
  // What is written in Python is looked at by flake8 before it is kept: that an edit would have been refused isn't known here.
  return { text: `${what} ${REVIEW}\n${shown}`, status: 0, missing: open.path.endsWith('.py') ? ['python'] : [] }
}

/** The text before, within and after what is shown. */
function parts({ lines, first }: OpenWindow, { window }: SweSettings): { before: string; within: string; after: string } {
  const before = lines.slice(0, first)
  const after = lines.slice(first + window)
  return {
    before: before.map((line) => `${line}\n`).join(''),
    within: lines.slice(first, first + window).join('\n'),
    after: after.map((line) => `\n${line}`).join(''),
  }
}

function placesOf(text: string, search: string): string {
  let line = 1
  return text
    .split(search)
    .slice(0, -1)
    .map((piece) => {
      line += piece.split('\n').length - 1
      const place = `- line ${line}`
      line += search.split('\n').length - 1
      return place
    })
    .join('\n')
}
