import { quoteWord } from '../../shell/expand/quote.ts'
import type { JsonObject } from '../json.ts'
import type { ReplaySite, ToolOutcome } from '../toolset.ts'
import { numberOf, refused, textOf, told, typeAt } from './files.ts'

/** Names of files by what ripgrep calls their kind. */
const TYPES: ReadonlyMap<string, readonly string[]> = new Map([
  ['c', ['*.c', '*.h']],
  ['cpp', ['*.cpp', '*.cc', '*.cxx', '*.hpp', '*.hh', '*.hxx', '*.h', '*.inl']],
  ['css', ['*.css', '*.scss']],
  ['go', ['*.go']],
  ['html', ['*.htm', '*.html']],
  ['java', ['*.java']],
  ['js', ['*.js', '*.jsx', '*.mjs', '*.cjs', '*.vue']],
  ['json', ['*.json']],
  ['md', ['*.md', '*.markdown', '*.mdx']],
  ['php', ['*.php']],
  ['py', ['*.py', '*.pyi']],
  ['rb', ['*.rb']],
  ['ruby', ['*.rb']],
  ['rust', ['*.rs']],
  ['sh', ['*.sh', '*.bash']],
  ['sql', ['*.sql']],
  ['toml', ['*.toml']],
  ['ts', ['*.ts', '*.tsx', '*.cts', '*.mts']],
  ['txt', ['*.txt']],
  ['xml', ['*.xml']],
  ['yaml', ['*.yaml', '*.yml']],
])
/** What an extended expression of grep doesn't have, and ripgrep's have. */
const NEEDS_PERL = /\\[dDpPAzx]|\(\?|[*+?}]\?|\[[^\]]*\\[sSwW]/
const UNSEARCHED = ['.git', '.svn', '.hg', '.bzr', '.jj', '.sl']

/** Grep of Claude Code, which is ripgrep, by the grep of a shell. Its order and what `.gitignore` leaves out are not the same. */
export async function claudeGrep(given: JsonObject, site: ReplaySite): Promise<ToolOutcome> {
  const pattern = textOf(given, 'pattern') ?? ''
  const path = textOf(given, 'path') ?? '.'
  const type = textOf(given, 'type')
  const names = type === undefined ? [] : TYPES.get(type)
  if (names === undefined) return refused(`rg: unrecognized file type: ${type}`)
  const mode = textOf(given, 'output_mode') ?? 'files_with_matches'
  const isFile = (await typeAt(site, path)) === 'file'
  const flags = [
    NEEDS_PERL.test(pattern) ? '-P' : '-E',
    '-I',
    isFile ? (mode === 'content' ? '-h' : '-H') : '-r',
    ...modeFlags(given, mode),
  ]
  if (given['-i'] === true) flags.push('-i')
  if (!isFile) {
    for (const name of UNSEARCHED) flags.push(`--exclude-dir=${name}`)
    for (const name of [...names, ...globsOf(textOf(given, 'glob') ?? '')])
      flags.push(name.startsWith('!') ? `--exclude=${quoteWord(name.slice(1))}` : `--include=${quoteWord(name)}`)
  }
  const line = `cd ${quoteWord(site.directory)} && grep ${flags.join(' ')} -e ${quoteWord(pattern)} -- ${quoteWord(path.startsWith('/') ? site.path(path) : path)}`
  const { stdout, stderr, status, missing } = await site.shell(line)
  if (status !== null && status > 1) return told(stderr.trim(), { isError: true, status, missing })
  const lines = stdout
    .replace(/^\.\//gm, '')
    .split('\n')
    .filter((one) => one !== '' && !(mode === 'count' && one.endsWith(':0')))
  const shown = lines.slice(0, numberOf(given, 'head_limit') ?? Number.POSITIVE_INFINITY)
  if (mode !== 'files_with_matches') return told(shown.length === 0 ? 'No matches found' : shown.join('\n'))
  return told(shown.length === 0 ? 'No files found' : `Found ${shown.length} file${shown.length === 1 ? '' : 's'}\n${shown.join('\n')}`)
}

function modeFlags(given: JsonObject, mode: string): readonly string[] {
  if (mode === 'files_with_matches') return ['-l']
  if (mode === 'count') return ['-c']
  const around = ['-A', '-B', '-C'].flatMap((name) => {
    const count = numberOf(given, name)
    return count === undefined ? [] : [name, String(count)]
  })
  return given['-n'] === false ? around : ['-n', ...around]
}

/** Patterns of names in a text with several, without braces, which grep doesn't know; directories before them are left out. */
function globsOf(text: string): readonly string[] {
  const parts = text.split(/\s+/).flatMap((part) => (part.includes('{') && part.includes('}') ? [part.replace(/,$/, '')] : part.split(',')))
  return parts
    .filter((part) => part !== '')
    .flatMap(unbraced)
    .map((part) => part.replace(/^(!?).*\//, '$1'))
}

function unbraced(pattern: string): readonly string[] {
  const [whole, before, inner, after] = /^([^{]*)\{([^{}]*)\}(.*)$/.exec(pattern) ?? []
  if (whole === undefined) return [pattern]
  return (inner ?? '').split(',').flatMap((one) => unbraced(`${before}${one}${after}`))
}
