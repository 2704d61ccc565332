import { quoteWord } from '../../shell/expand/quote.ts'
import type { ReplaySite } from '../toolset.ts'
import { shellPaths } from './shell-paths.ts'
import type { SweAnswer, SweSettings } from './swe-settings.ts'
import { SESSION, said, usage } from './swe-settings.ts'
import { absolute, openFile } from './swe-window.ts'

/** More files, or lines, than that are not shown. */
const MOST = 100

/** `find_file NAME [DIRECTORY]`: the name may be a pattern. */
export async function findFile([name, given = './']: readonly string[], site: ReplaySite, settings: SweSettings): Promise<SweAnswer> {
  if (name === undefined) return usage('Usage: find_file <file_name> [<dir>]')
  const found = await inDirectory(given, `find "$PWD" -type f -name ${quoteWord(name)}`, site, settings)
  if (found === null) return usage(`Directory ${given} not found`)
  const [at = '', ...files] = found
  if (files.length === 0) return said(`No matches found for "${name}" in ${at}`)
  return said(`Found ${files.length} matches for "${name}" in ${at}:\n${files.join('\n')}`)
}

/** `search_dir TERM [DIRECTORY]`: the term is a pattern of grep. */
export async function searchDirectory(words: readonly string[], site: ReplaySite, settings: SweSettings): Promise<SweAnswer> {
  const [term, given = './'] = words
  if (term === undefined || words.length > 2) return usage('Usage: search_dir <search_term> [<dir>]')
  const found = await inDirectory(given, `find "$PWD" -type f ! -path '*/.*' -exec grep -IHc -- ${quoteWord(term)} {} +`, site, settings)
  if (found === null) return usage(`Directory ${given} not found`)
  const [at = '', ...counts] = found
  const files = counts
    .map((line) => ({ path: line.slice(0, line.lastIndexOf(':')), count: Number(line.slice(line.lastIndexOf(':') + 1)) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  if (files.length === 0) return said(`No matches found for "${term}" in ${at}`)
  if (files.length > MOST) return said(`More than ${files.length} files matched for "${term}" in ${at}. Please narrow your search.`)
  const total = files.reduce((sum, { count }) => sum + count, 0)
  const lines = files.map(({ path, count }) => `${path} (${count} matches)`)
  return said(`Found ${total} matches for "${term}" in ${at}:\n${lines.join('\n')}\nEnd of matches for "${term}" in ${at}`)
}

/** `search_file TERM [FILE]`: in the open file, where none is named. */
export async function searchFile([term, given]: readonly string[], site: ReplaySite, settings: SweSettings): Promise<SweAnswer> {
  const form = 'Usage: search_file <search_term> [<file>]'
  if (term === undefined) return usage(form)
  const path = given === undefined ? openFile(site) : await absolute(given, site, settings)
  if (path === null) return usage('No file open. Use the open command first.')
  const file = quoteWord((await shellPaths(site, settings.directory)).toShell(path))
  const { stdout, status } = await site.shell(`[ -f ${file} ] || exit 99; grep -n -- ${quoteWord(term)} ${file}`)
  if (status === 99) return usage(`${form}\nError: File name ${given ?? path} not found. Please provide a valid file name.`)
  if (stdout === '') return said(`No matches found for "${term}" in ${path}`)
  const lines = stdout.replace(/\n$/, '').split('\n')
  if (lines.length > MOST) return said(`More than ${lines.length} lines matched for "${term}" in ${path}. Please narrow your search.`)
  const shown = lines.map((line) => `Line ${line}`).join('\n')
  return said(`Found ${lines.length} matches for "${term}" in ${path}:\n${shown}\nEnd of matches for "${term}" in ${path}`)
}

/** What a line prints in a directory, after the path of that; null where there is no such directory. */
async function inDirectory(given: string, line: string, site: ReplaySite, { directory }: SweSettings): Promise<readonly string[] | null> {
  const { toShell, toAgent } = await shellPaths(site, directory)
  const target = given.startsWith('/') ? toShell(given) : given
  const { stdout, status } = await site.shell(`(cd -- ${quoteWord(target)} 2>/dev/null || exit 99; pwd; ${line} 2>/dev/null; exit 0)`, {
    session: SESSION,
  })
  return status === 99 ? null : stdout.replace(/\n$/, '').split('\n').map(toAgent)
}
