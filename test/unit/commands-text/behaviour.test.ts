import { describe, expect, test } from 'vitest'
import { decode, encode } from '../../../src/bytes.ts'
import type { ByteReader, ByteWriter } from '../../../src/commands/command.ts'
import { BrokenPipe } from '../../../src/commands/command.ts'
import { proceed, type Steps, wait } from '../../../src/commands/steps.ts'
import { FileSystemError } from '../../../src/errors.ts'
import { webHost } from '../../../src/host.ts'
import { load, makePlace, runTool } from './tool.ts'

describe('a command whose input and output answer at once', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['cat', []],
    ['cat', ['-n']],
    ['head', ['-1']],
    ['tail', ['-1']],
    ['wc', []],
    ['true', []],
    ['false', []],
    ['cut', ['-c1']],
    ['tr', ['a', 'b']],
    ['sort', []],
    ['uniq', ['-c']],
    ['seq', ['3']],
    ['echo', ['x']],
    ['tee', ['new']],
    ['rev', []],
    ['tac', []],
    ['nl', []],
    ['fold', []],
    ['paste', []],
    ['base64', []],
  ]
  test.each(cases)('%s %j gives its status, not a promise of it', async (name, args) => {
    const { context } = makePlace(name, { stdin: 'b\na\n' })
    expect((await load(name)).run(args, context)).toBe(name === 'false' ? 1 : 0)
  })
})

describe('steps', () => {
  function* sum(values: readonly (number | Promise<number>)[]): Steps<number> {
    let total = 0
    for (const value of values) total += yield* wait(value)
    return total
  }
  test('end at once where nothing is to be waited for', () => expect(proceed(sum([1, 2]))).toBe(3))
  test('wait for promises', async () => expect(await proceed(sum([1, Promise.resolve(2), 3, Promise.resolve(4)]))).toBe(10))
  test('see the failure of what they wait for', async () => {
    function* careful(): Steps<string> {
      try {
        return yield* wait(Promise.reject(new Error('no')))
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(await proceed(careful())).toBe('no')
  })
})

test('cat hands chunks on as they are', async () => {
  const chunk = encode('abc\n')
  let given = false
  const stdin: ByteReader = {
    read: () => {
      if (given) return null
      given = true
      return chunk
    },
    unread: () => undefined,
    close: () => undefined,
  }
  const place = makePlace('cat', {}, { stdin })
  await (await load('cat')).run([], place.context)
  expect(place.chunks[0]).toBe(chunk)
})

test.each([
  ['lines', ['-n2'], 'c\nd\n'],
  ['bytes', ['-c3'], '\nc\nd\n'],
])('head gives back what it read beyond its %s', async (_, args, rest) => {
  const { context } = makePlace('head', { stdin: 'a\nb\nc\nd\n' })
  await (await load('head')).run(args, context)
  let left = ''
  for (let chunk = await context.stdin.read(); chunk !== null; chunk = await context.stdin.read()) left += decode(chunk)
  expect(left).toBe(rest)
})

test.each([
  ['yes', []],
  ['seq', ['100000000']],
  ['seq', ['inf']],
  ['seq', ['0', '-1', '-100000000']],
  ['shuf', ['-r', '-e', 'a', 'b']],
])('%s %j ends when nobody reads any more', async (name, args) => {
  let writes = 0
  const stdout: ByteWriter = {
    write() {
      writes += 1
      if (writes > 2) throw new BrokenPipe()
    },
    close: () => undefined,
  }
  const { context } = makePlace(name, {}, { stdout })
  const command = await load(name)
  await expect(async () => command.run(args, context)).rejects.toThrow(BrokenPipe)
  expect(writes).toBe(3)
})

test('output is not held back while input is waited for', async () => {
  for (const [name, args] of [
    ['cat', ['-n']],
    ['cut', ['-c1-']],
    ['tr', ['x', 'y']],
    ['uniq', []],
    ['nl', ['-ba']],
    ['fold', []],
    ['expand', []],
    ['rev', []],
    ['paste', []],
  ] as const) {
    let more: (chunk: Uint8Array | null) => void = () => undefined
    let first = true
    const stdin: ByteReader = {
      read() {
        if (!first) return new Promise((resolve) => (more = resolve))
        first = false
        return encode('a\nb\n')
      },
      unread: () => undefined,
      close: () => undefined,
    }
    const place = makePlace(name, {}, { stdin })
    const ended = (await load(name)).run(args, place.context)
    await Promise.resolve()
    await Promise.resolve()
    expect(place.stdout(), name).toMatch(/a/)
    more(null)
    expect(await ended).toBe(0)
  }
})

test('a failing write ends the command with its reason', async () => {
  const stdout: ByteWriter = {
    write() {
      throw new FileSystemError('ENOSPC', '/w/out')
    },
    close: () => undefined,
  }
  const place = makePlace('cut', { stdin: 'a\n' }, { stdout })
  expect(await (await load('cut')).run(['-c1'], place.context)).toBe(1)
  expect(place.stderr()).toBe('cut: write error: No space left on device\n')
})

test('what is no failure of a file is let pass', async () => {
  const abort = new DOMException('stopped', 'AbortError')
  const { context } = makePlace('cat', { stdin: 'a\n' }, { pause: () => Promise.reject(abort) })
  await expect((await load('cat')).run(['-n'], context)).rejects.toBe(abort)
})

describe('tail -f', () => {
  /** Timers that ring when told to. */
  function clock() {
    const bells: (() => void)[] = []
    return {
      host: {
        ...webHost,
        timer(_: number, ring: () => void) {
          bells.push(ring)
          return () => undefined
        },
      },
      /** Lets what is due run, then rings. */
      async tick() {
        for (let i = 0; i < 50; i++) await Promise.resolve()
        const due = bells.splice(0)
        for (const ring of due) ring()
        for (let i = 0; i < 50; i++) await Promise.resolve()
      },
    }
  }

  test('writes what is added, tells what becomes of the files, and ends with the signal', async () => {
    const { host, tick } = clock()
    const stop = new AbortController()
    const place = makePlace('tail', { files: { a: '1\n2\n' } }, { host, signal: stop.signal })
    const ended = Promise.resolve((await load('tail')).run(['-n1', '-F', 'a', 'b'], place.context)).catch((error: unknown) => error)
    const { fs } = place
    await tick()
    fs.append('/w/a', encode('3\n'))
    await tick()
    fs.write('/w/a', encode('new\n'))
    await tick()
    fs.write('/w/b', encode('b1\n'))
    await tick()
    fs.unlink('/w/a')
    await tick()
    fs.write('/w/a', encode('again\n'))
    await tick()
    stop.abort('enough')
    expect(await ended).toBe('enough')
    expect(place.stdout()).toBe('==> a <==\n2\n3\nnew\n\n==> b <==\nb1\n\n==> a <==\nagain\n')
    expect(place.stderr()).toBe(
      [
        "tail: cannot open 'b' for reading: No such file or directory",
        'tail: a: file truncated',
        "tail: 'b' has appeared;  following new file",
        "tail: 'a' has become inaccessible: No such file or directory",
        "tail: 'a' has appeared;  following new file",
        '',
      ].join('\n'),
    )
  })

  test('ends with the process it is to watch', async () => {
    const { host, tick } = clock()
    let alive = true
    const run = (argv: readonly string[]) => {
      expect(argv).toEqual(['kill', '-0', '42'])
      return Promise.resolve(alive ? 0 : 1)
    }
    const place = makePlace('tail', { files: { a: '1\n' } }, { host, run })
    const ended = (await load('tail')).run(['-f', '--pid=42', 'a'], place.context)
    await tick()
    place.fs.append('/w/a', encode('2\n'))
    alive = false
    await tick()
    expect(await ended).toBe(0)
    expect(place.stdout()).toBe('1\n2\n')
  })

  test('gives up where nothing is left to follow', async () => {
    expect(await runTool(['tail', '-f', 'nope'])).toMatchObject({
      status: 1,
      stderr: "tail: cannot open 'nope' for reading: No such file or directory\ntail: no files remaining\n",
    })
  })
})

test('tail reads only the end of a file', async () => {
  const place = makePlace('tail', { files: { a: `${'x\n'.repeat(1_000_000)}last\n` } })
  let bytes = 0
  const fs = Object.create(place.context.fs)
  fs.stat = (path: string) => place.fs.stat(path)
  fs.read = (path: string, offset?: number, length?: number) => {
    const read = place.fs.read(path, offset, length)
    bytes += read.length
    return read
  }
  await (await load('tail')).run(['-n1', 'a'], { ...place.context, fs })
  expect(place.stdout()).toBe('last\n')
  expect(bytes).toBeLessThan(100_000)
})

test('split --filter runs a command for each piece', async () => {
  const files = new Map<string, string>()
  const run = async (argv: readonly string[], options: { stdin?: ByteReader; env?: ReadonlyMap<string, string> } = {}) => {
    expect(argv).toEqual(['sh', '-c', 'filter'])
    let text = ''
    for (let chunk = await options.stdin?.read(); chunk; chunk = await options.stdin?.read()) text += decode(chunk)
    files.set(options.env?.get('FILE') ?? '', text)
    return 0
  }
  const place = makePlace('split', { stdin: '1\n2\n3\n4\n5\n', chunkSize: 3 }, { run })
  expect(await (await load('split')).run(['-l2', '--filter=filter'], place.context)).toBe(0)
  expect([...files]).toEqual([
    ['xaa', '1\n2\n'],
    ['xab', '3\n4\n'],
    ['xac', '5\n'],
  ])
})

test('split goes on when a filter has read enough, and fails with it', async () => {
  const run = async (_: readonly string[], options: { stdin?: ByteReader } = {}) => {
    await options.stdin?.read()
    return 3
  }
  const place = makePlace('split', { stdin: 'abcdefgh\n'.repeat(10), chunkSize: 4 }, { run })
  expect(await (await load('split')).run(['--filter=f'], place.context)).toBe(3)
  expect(place.stderr()).toBe('split: with FILE=xaa, exit 3 from command: f\n')
})

test('checksums are checked', async () => {
  const files = { a: 'x\n', b: 'y\n', 'two\nlines': 'z' }
  const { stdout } = await runTool(['sha256sum', 'a', 'b', 'two\nlines'], { files })
  expect(await runTool(['sha256sum', '-c'], { files, stdin: stdout })).toMatchObject({
    status: 0,
    stdout: 'a: OK\nb: OK\n\\two\\nlines: OK\n',
    stderr: '',
  })
  expect(await runTool(['sha256sum', '-c'], { files: { a: 'x\n', b: 'changed' }, stdin: `${stdout}junk\n` })).toMatchObject({
    status: 1,
    stdout: 'a: OK\nb: FAILED\n\\two\\nlines: FAILED open or read\n',
    stderr: [
      "sha256sum: 'two'$'\\n''lines': No such file or directory",
      'sha256sum: WARNING: 1 line is improperly formatted',
      'sha256sum: WARNING: 1 listed file could not be read',
      'sha256sum: WARNING: 1 computed checksum did NOT match',
      '',
    ].join('\n'),
  })
})

test('every command tells of its options', async () => {
  for (const name of ['cat', 'head', 'sort', 'join', 'md5sum', 'printf', 'true', 'yes']) {
    const help = await runTool([name, '--help'])
    expect(help.stdout).toMatch(new RegExp(`^Usage: ${name} `))
    expect(help.status).toBe(0)
  }
})
