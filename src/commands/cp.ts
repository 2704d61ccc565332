import { encode } from '../bytes.ts'
import { normalise } from '../fs/path.ts'

import { backupPath, backupRule } from './backup.ts'
import { choice } from './choice.ts'
import type { Command, CommandContext } from './command.ts'
import type { CopyRules, NamedPath } from './copier.ts'
import { Copier } from './copier.ts'
import { operandPath } from './operand-path.ts'
import type { ParsedOptions } from './options.ts'
import { UsageError } from './options.ts'
import { quotedFile } from './quoted-file.ts'
import { findTargets, nameInside, targetRules } from './targets.ts'
import { complain, complainOf, utility } from './utility.ts'

/** Copies files and trees. */
export const cp: Command = utility({
  help: `Usage: cp [OPTION]... [-T] SOURCE DEST
  or:  cp [OPTION]... SOURCE... DIRECTORY
  or:  cp [OPTION]... -t DIRECTORY SOURCE...
Copies SOURCE to DEST, or each SOURCE into DIRECTORY.

  -a, --archive            as -dR --preserve=all
      --attributes-only    copy attributes, not what the file holds
      --backup[=CONTROL]   keep what would be overwritten: none, simple, existing, numbered
  -b                       as --backup without an argument
      --copy-contents      with -R: read special files
  -d                       as --no-dereference --preserve=links
  -f, --force              remove a target that can't be opened, and try again
  -i, --interactive        ask before overwriting
  -H                       follow symbolic links that are operands
  -l, --link               make hard links
  -L, --dereference        follow symbolic links
  -n, --no-clobber         overwrite nothing
  -P, --no-dereference     copy symbolic links as such
  -p                       as --preserve=mode,ownership,timestamps
      --preserve[=LIST]    keep mode, ownership, timestamps, links, context, xattr, all
      --no-preserve=LIST   don't keep these
      --parents            make the directories of SOURCE's name in DIRECTORY
  -R, -r, --recursive      copy directories and what they hold
      --reflink[=WHEN]     accepted; copies share storage wherever they can
      --remove-destination remove each target first
      --sparse=WHEN        accepted
      --strip-trailing-slashes  remove slashes at the end of each SOURCE
  -s, --symbolic-link      make symbolic links
  -S, --suffix=SUFFIX      what backups end with, ~ by default
  -t, --target-directory=DIRECTORY  copy each SOURCE into DIRECTORY
  -T, --no-target-directory  DEST is no directory to copy into
  -u, --update             copy only what is newer than its target, or has none
  -v, --verbose            say what is done
  -x, --one-file-system    stay on this file system
  -Z, --context            ignored
      --help               show this text
      --version            show the version
`,
  options: {
    'a|archive': 'none',
    'attributes-only': 'none',
    backup: 'optional',
    b: 'none',
    'copy-contents': 'none',
    d: 'none',
    'f|force': 'none',
    H: 'none',
    'i|interactive': 'none',
    'l|link': 'none',
    'L|dereference': 'none',
    'n|no-clobber': 'none',
    'P|no-dereference': 'none',
    'no-preserve': 'required',
    'T|no-target-directory': 'none',
    'x|one-file-system': 'none',
    parents: 'none',
    p: 'none',
    preserve: 'optional',
    'r|R|recursive': 'none',
    'remove-destination': 'none',
    sparse: 'required',
    reflink: 'optional',
    'strip-trailing-slashes': 'none',
    'S|suffix': 'required',
    's|symbolic-link': 'none',
    't|target-directory': 'required',
    'u|update': 'none',
    'v|verbose': 'none',
    Z: 'none',
    context: 'optional',
  },
  run: copyOperands,
})

const KEPT = [['mode'], ['timestamps'], ['ownership'], ['links'], ['context'], ['xattr'], ['all']]
const WHEN = [['auto'], ['always'], ['never']]

async function copyOperands(parsed: ParsedOptions, context: CommandContext): Promise<number> {
  const rules = copyRules(parsed, context)
  const targets = await findTargets(parsed.operands, targetRules(parsed.options, context), context)
  const copier = new Copier(rules, context)
  const strip = (name: string): string => (parsed.has('strip-trailing-slashes') ? name.replace(/(?<=.)\/+$/, '') : name)
  const named = (name: string): NamedPath => ({ name, path: operandPath(context, name) })
  if (targets.kind === 'onto') {
    if (parsed.has('parents')) throw new UsageError('with --parents, the destination must be a directory')
    return (await copyOnto(named(targets.source), named(targets.destination), copier, rules, context)) ? 0 : 1
  }
  let status = 0
  for (const operand of targets.sources) {
    const source = strip(operand)
    let target: string
    if (parsed.has('parents')) {
      const made = await makeParents(source, targets.directory, rules, context)
      target = `${targets.directory.replace(/(?<=.)\/+$/, '')}/${source.replace(/\/+$/, '').replace(/^\/+/, '')}`
      if (made === null || !(await copier.transfer(named(source), named(target))) || !(await made())) status = 1
      continue
    }
    target = /(?:^|\/)\.\.\/*$/.test(source) ? targets.directory : nameInside(targets.directory, source)
    if (!(await copier.transfer(named(source), named(target)))) status = 1
  }
  return status
}

/** `cp -fb x x` makes a backup of x. */
async function copyOnto(source: NamedPath, target: NamedPath, copier: Copier, rules: CopyRules, context: CommandContext): Promise<boolean> {
  if (rules.force && rules.backup.kind !== 'none' && normalise(source.path) === normalise(target.path)) {
    const path = await backupPath(target.path, rules.backup, context)
    if (path !== null) {
      const plain = new Copier({ ...rules, backup: { kind: 'none', suffix: '~' } }, context)
      return plain.transfer(source, { name: target.name + path.slice(target.path.length), path })
    }
  }
  return copier.transfer(source, target)
}

function copyRules(parsed: ParsedOptions, context: CommandContext): CopyRules {
  const keep = { mode: false, owner: false, times: false, links: false }
  let plainModes = false
  let follow: CopyRules['follow'] | null = null
  let overwrite: CopyRules['overwrite'] = 'always'
  const set = (list: string, value: boolean, option: string): void => {
    for (const word of list.split(',')) {
      const kept = choice(context, option, word, KEPT)
      if (kept === 'mode' || kept === 'all') {
        keep.mode = value
        plainModes = !value
      }
      if (kept === 'timestamps' || kept === 'all') keep.times = value
      if (kept === 'ownership' || kept === 'all') keep.owner = value
      if (kept === 'links' || kept === 'all') keep.links = value
    }
  }
  for (const { name, value } of parsed.options) {
    switch (name) {
      case 'a':
        set('all', true, '--preserve')
        follow = 'none'
        break
      case 'd':
        keep.links = true
        follow = 'none'
        break
      case 'p':
        set('mode,ownership,timestamps', true, '--preserve')
        break
      case 'preserve':
        set(value ?? 'mode,ownership,timestamps', true, '--preserve')
        break
      case 'no-preserve':
        set(value ?? '', false, '--no-preserve')
        break
      case 'H':
        follow = 'operands'
        break
      case 'L':
        follow = 'all'
        break
      case 'P':
        follow = 'none'
        break
      case 'i':
        overwrite = 'ask'
        break
      case 'n':
        overwrite = 'never'
        break
      case 'reflink':
        if (value !== null) choice(context, '--reflink', value, WHEN)
        break
      case 'sparse':
        choice(context, '--sparse', value ?? '', [['never'], ['auto'], ['always']])
        break
    }
  }
  const recursive = parsed.has('r') || parsed.has('a')
  const backup = backupRule(parsed, context)
  if (overwrite === 'never' && backup.kind !== 'none') {
    throw new UsageError('options --backup and --no-clobber are mutually exclusive')
  }
  if (parsed.has('l') && parsed.has('s')) throw new UsageError('cannot make both hard and symbolic links')
  return {
    move: false,
    recursive,
    follow: follow ?? (recursive && !parsed.has('l') ? 'none' : 'all'),
    keep,
    plainModes,
    overwrite,
    update: parsed.has('u'),
    verbose: parsed.has('v'),
    asHardLinks: parsed.has('l'),
    asSymbolicLinks: parsed.has('s'),
    backup,
    oneFileSystem: parsed.has('x'),
    force: parsed.has('f'),
    removeFirst: parsed.has('remove-destination'),
    attributesOnly: parsed.has('attributes-only'),
    copyContents: parsed.has('copy-contents'),
  }
}

/** Makes the directories above `source` inside `directory`; gives what sets their attributes afterwards, null after a complaint. */
async function makeParents(
  source: string,
  directory: string,
  rules: CopyRules,
  context: CommandContext,
): Promise<(() => Promise<boolean>) | null> {
  const { fs, umask } = context
  const parts = source.replace(/\/+$/, '').split('/').slice(0, -1)
  const later: (() => Promise<void>)[] = []
  let from = source.startsWith('/') ? '/' : ''
  let to = directory.replace(/(?<=.)\/+$/, '')
  for (const part of parts) {
    if (part === '') continue
    from = from === '' || from === '/' ? from + part : `${from}/${part}`
    to = `${to}/${part}`
    const target = to
    let stat: Awaited<ReturnType<typeof fs.stat>>
    try {
      stat = await fs.stat(operandPath(context, from))
    } catch (error) {
      await complainOf(context, `failed to get attributes of ${quotedFile(from)}`, error)
      return null
    }
    try {
      const there = await fs.stat(operandPath(context, target))
      if (there.type === 'directory') continue
      await complain(context, `${quotedFile(target)} exists but is not a directory`)
      return null
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
    try {
      await fs.mkdir(operandPath(context, target), rules.keep.mode ? stat.mode : stat.mode & 0o777 & ~umask)
    } catch (error) {
      await complainOf(context, `cannot make directory ${quotedFile(target)}`, error)
      return null
    }
    if (rules.verbose) await context.stdout.write(encode(`${from} -> ${target}\n`))
    later.push(async () => {
      await fs.setattr(operandPath(context, target), {
        ...(rules.keep.mode ? { mode: stat.mode } : {}),
        ...(rules.keep.owner ? { uid: stat.uid, gid: stat.gid } : {}),
        ...(rules.keep.times ? { mtimeMs: stat.mtimeMs, atimeMs: stat.atimeMs } : {}),
      })
    })
  }
  return async () => {
    for (const set of later.reverse()) await set()
    return true
  }
}
