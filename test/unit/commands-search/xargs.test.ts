import { describe, expect, it } from 'vitest'
import { concat, decode, encode } from '../../../src/bytes.ts'
import type { ByteReader, CommandContext, RunOptions } from '../../../src/commands/command.ts'
import { xargs } from '../../../src/commands/xargs.ts'
import { followLinks } from '../../../src/fs/follow-links.ts'
import { RAMFileSystem } from '../../../src/fs/memory.ts'
import { webHost } from '../../../src/host.ts'
import { Files, hasGnu, seeded } from './harness.ts'

const gnu = hasGnu('xargs')
const INPUTS: readonly string[] = [
  '',
  '\n',
  ' ',
  'a',
  'a b\nc  d\n"e f" \'g h\' i\\ j\n',
  'a b\nc \nd e\n',
  '\n\n a\n\n b \n\n c',
  'a b EOF c\n',
  'a b\nEOF\nc\n',
  'a "EOF" b',
  'a EOF',
  'EOF',
  'EOF b\n',
  '  a b  \n\n "q w"x e\n\tz\n',
  "it's",
  'a b "c\nd',
  'a\\',
  'a\\\nb c\nd\\\n',
  'a\\\\\\"b "c\\d"',
  '"" a \'\' b\n',
  'a\0b c\0',
  'a\0\0b',
  'é "ü ü"\nß\n',
  'aaa bbb ccc ddd',
  'aaaaaaaaaaaaaa bb',
  'a,b,c\n',
  'aéb\n',
  'a\tb\vc\fd\re\n',
]
const ARGUMENTS: readonly (readonly string[])[] = [
  ['echo'],
  ['-r', 'printf', '<%s>'],
  ['-n1', 'echo'],
  ['-n2', 'echo'],
  ['-n', '3', '-x', 'echo'],
  ['-L1', 'echo'],
  ['-L2', 'echo'],
  ['-l', 'echo'],
  ['-I{}', 'echo', '[{}]', 'x{}{}'],
  ['-i', 'echo', '{}'],
  ['-IX', 'echo', 'X', '{}'],
  ['-E', 'EOF', 'echo'],
  ['-eEOF', '-n1', 'echo'],
  ['-E', 'EOF', '-I{}', 'echo', '{}'],
  ['-0r', 'printf', '<%s>'],
  ['-0', '-n1', 'echo'],
  ['-0', '-I{}', 'echo', '[{}]'],
  ['-0', '-L2', 'echo'],
  ['-d', ',', '-r', 'printf', '<%s>'],
  ['-d\\n', '-r', 'printf', '<%s>'],
  ['-d\\n', '-n1', 'echo'],
  ['-d', 'a', '-I{}', 'echo', '[{}]'],
  ['-s', '9', 'echo'],
  ['-s', '12', 'echo'],
  ['-s', '15', '-x', '-n5', 'echo'],
  ['-s', '12', '-I{}', 'echo', '{}{}'],
  ['-L1', '-s', '11', 'echo'],
  ['-t', 'echo', 'q r', '', 'a$b'],
  ['-n1', 'false'],
]

describe.skipIf(!gnu)('xargs does as GNU xargs does', () => {
  it.each(ARGUMENTS)('xargs %s %s %s %s', async (...argv) => {
    const files = new Files()
    const words = ['xargs', ...argv.filter((word) => word !== undefined)]
    for (const [index, stdin] of INPUTS.entries()) {
      await files.same(words, index % 2 === 0 ? { stdin } : { stdin, slow: true, chunkSize: 3 })
    }
  })

  it.each(
    `
-n 0|-n x|-n -1|-n|-n 1k|-n +1|-L 0|-L x|-l0|-lx|-l1x|-P x|-P-1|-P 99999999999|-s x|-s 0|-s 1|-s 4|-s 5|-s 9999999999 true
-q|--nope|--max|--e|--null=1|--max-a=1|--no|--max-args|-I|-E|-e echo|-a nofile|-a .
-d ab|-d é|-d \\q|-d \\xfff|-d \\0777|-d \\x41z|-d \\08|-d \\x78|-d \\170|-d \\t|-d \\|-d \\x|-0 -E a|-d , -E a
-I{} -n2 echo {}|-n2 -I{} echo {}|-L2 -n1|-n1 -L2|-n1 -I{} echo {}|-I{} -n1 echo [{}]|-I{} -n 1 -n2 echo [{}]|-L2 -I{} echo {}
-I{} -L2 echo {}|-i -l echo {}|-n2 -l|-l1 -n1|--max-lines|--max-lines=1|--replace echo {}|--replace=q echo q|--eof=a|--eof
--process-slot-var=a=b echo|--process-slot-var= echo|-- echo n|-P0 echo|-0 -d,|-rt true|-t echo * ~x é a=b it's x:y {} #a b#
-t -I{} echo {}|-x -n 3 -s 12|-I{} {} x|-I{} -s 13 echo {}{}{}|--exit --verbose --max-args=1 --max-chars=100 --no-run-if-empty
`
      .trim()
      .split(/[|\n]/),
  )('xargs %s', async (line) => {
    const files = new Files()
    const words = line.split(' ')
    if (line === '-I{} {} x' || line.startsWith('-a .')) return
    for (const stdin of ['a b\nc\n', '']) await files.same(['xargs', ...words], { stdin, env: { A: 'x' } })
  })

  it('reads a file', async () => {
    const files = new Files({ list: 'a b\nc' })
    await files.same(['xargs', '-a', 'list', 'echo'])
    await files.same(['xargs', '-a', 'list', '-n1', 'echo'])
  })

  it('cuts random input alike', async () => {
    const random = seeded(7)
    const parts = ['a', 'b', ' ', '\n', '"', "'", '\\', '\t', 'EOF', '\0', 'é', ' \n']
    const options = [['-n1'], ['-L1'], ['-L2'], ['-I{}'], ['-E', 'EOF'], ['-0'], ['-d', 'a'], ['-n2', '-s', '14']]
    const files = new Files()
    for (let i = 0; i < 150; i++) {
      const chosen = options[random(options.length)] as string[]
      const drawn = Array.from({ length: 1 + random(14) }, () => parts[random(parts.length)]).join('')
      // Whether a zero byte or a word's length is noticed first depends on how the input comes.
      const stdin = chosen.includes('-s') ? drawn.replaceAll('\0', '') : drawn
      const argv = ['xargs', '-r', ...chosen, 'printf', '<%s>', ...(chosen[0] === '-I{}' ? ['{}'] : [])]
      await files.same(argv, { stdin, chunkSize: 1 + random(5) })
    }
  })

  it('fills command lines', async () => {
    const stdin = Array.from({ length: 40_000 }, (_, i) => `word${i}\n`).join('')
    await new Files().same(['xargs', 'echo'], { stdin })
    await new Files().same(['xargs', '-s', '2000', 'echo'], { stdin })
  })
})

interface Called {
  readonly argv: readonly string[]
  readonly options: RunOptions
}

/** A context whose commands are a function. */
function contextOf(stdin: string, call: (called: Called) => Promise<number> | number): { context: CommandContext; errors: () => string } {
  const chunks = [encode(stdin)]
  const errors: Uint8Array[] = []
  const context: CommandContext = {
    name: 'xargs',
    stdin: { read: () => chunks.shift() ?? null, unread: () => undefined, close: () => undefined },
    stdout: { write: () => undefined, close: () => undefined },
    stderr: { write: (bytes) => void errors.push(bytes), close: () => undefined },
    fs: followLinks(new RAMFileSystem({ files: { '/bin/x': '' } })),
    cwd: '/',
    env: new Map([['PATH', '/bin']]),
    umask: 0,
    host: webHost,
    signal: new AbortController().signal,
    resolve: (path) => (path.startsWith('/') ? path : `/${path}`),
    open: (path) => {
      if (path !== '/dev/tty') throw new Error(path)
      const answers = [encode('y\nno\nYES\n')]
      return { read: () => answers.shift() ?? null, unread: () => undefined, close: () => undefined }
    },
    create: () => ({ write: () => undefined, close: () => undefined }),
    run: async (argv, options = {}) => call({ argv, options }),
    pause: () => undefined,
    isTerminal: () => false,
  }
  return { context, errors: () => decode(concat(errors)) }
}

describe('xargs', () => {
  it('says how commands ended', async () => {
    const { context } = contextOf('a b', () => 3)
    expect(await xargs.run(['-n1', 'x'], context)).toBe(123)
    const gaveUp: string[] = []
    const { context: another, errors } = contextOf('a b c', ({ argv }) => {
      gaveUp.push(argv.join(' '))
      return argv[1] === 'b' ? 255 : 0
    })
    expect(await xargs.run(['-n1', 'x'], another)).toBe(124)
    expect(errors()).toBe('xargs: x: exited with status 255; aborting\n')
    expect(gaveUp).toEqual(['x a', 'x b'])
    expect(await xargs.run(['missing'], contextOf('a', () => 127).context)).toBe(127)
    expect(await xargs.run(['missing'], contextOf('a', () => 126).context)).toBe(126)
    const killed = contextOf('a b', () => 141)
    expect(await xargs.run(['-n1', 'x'], killed.context)).toBe(125)
    expect(killed.errors()).toBe('xargs: x: terminated by signal 13\n')
    const program = contextOf('a', () => 127)
    await program.context.fs.setattr('/bin/x', { mode: 0o755 })
    expect(await xargs.run(['x'], program.context)).toBe(123)
  })

  it('runs several at a time, each with a slot of its own', async () => {
    let running = 0
    let most = 0
    const slots: string[] = []
    const { context } = contextOf('1 2 3 4 5 6', async ({ options }) => {
      running += 1
      most = Math.max(most, running)
      slots.push(options.env?.get('SLOT') ?? '')
      await webHost.breathe()
      running -= 1
      return 0
    })
    expect(await xargs.run(['-n1', '-P3', '--process-slot-var=SLOT', 'x'], context)).toBe(0)
    expect(most).toBe(3)
    expect([...new Set(slots)].sort()).toEqual(['0', '1', '2'])
    expect(slots.length).toBe(6)
  })

  it('gives commands no input, or its own with -a', async () => {
    const inputs: (ByteReader | undefined)[] = []
    const { context } = contextOf('a', ({ options }) => {
      inputs.push(options.stdin)
      return 0
    })
    await xargs.run(['x'], context)
    expect(await inputs[0]?.read()).toBe(null)
  })

  it('asks on the terminal', async () => {
    const run: string[] = []
    const { context, errors } = contextOf('1 2 3', ({ argv }) => {
      run.push(argv.join(' '))
      return 0
    })
    expect(await xargs.run(['-p', '-n1', 'x'], context)).toBe(0)
    expect(run).toEqual(['x 1', 'x 3'])
    expect(errors()).toBe('x 1?...x 2?...x 3?...')
  })
})
