// The small programs that conformance cases call, as commands of the workspace.
import { encode } from '../../dist/src/bytes.js'

/** Their commands by name. */
export const helperCommands = new Map([
  ['argv.py', command((args) => ({ stdout: `[${args.map(pythonRepr).join(', ')}]\n` }))],
  ['printenv.py', command((args, context) => ({ stdout: args.map((name) => `${context.env.get(name) ?? 'None'}\n`).join('') }))],
  [
    'stdout_stderr.py',
    command(([out = 'STDOUT', error = 'STDERR', status = '0']) => ({ stdout: `${out}\n`, stderr: `${error}\n`, status: Number(status) })),
  ],
  ['read_from_fd.py', { run: readFromDescriptors }],
  ['show_fd_table.py', command(async (_args, context) => ({ stdout: await descriptorTable(context) }))],
  ['recho', command((args) => ({ stdout: args.map((arg, index) => `argv[${index + 1}] = <${caretNotation(arg)}>\n`).join('') }))],
  ['zecho', command((args) => ({ stdout: `${args.join(' ')}\n` }))],
])

function command(answer) {
  return {
    run: async (args, context) => {
      const { stdout = '', stderr = '', status = 0 } = await answer(args, context)
      if (stdout !== '') await context.stdout.write(encode(stdout))
      if (stderr !== '') await context.stderr.write(encode(stderr))
      return status
    },
  }
}

/** One read of at most 1,024 bytes from each descriptor. */
async function readFromDescriptors(args, context) {
  for (const descriptor of args) {
    try {
      const reader = descriptor === '0' ? context.stdin : await context.open(`/dev/fd/${descriptor}`)
      const chunk = (await reader.read()) ?? new Uint8Array()
      if (chunk.length > 1024) reader.unread(chunk.subarray(1024))
      const text = Buffer.from(chunk.subarray(0, 1024)).toString('latin1').replace(/\n+$/, '')
      await context.stdout.write(Buffer.from(`${descriptor}: ${text}\n`, 'latin1'))
    } catch (error) {
      await context.stderr.write(encode(`FATAL: Error reading from fd ${descriptor}: ${error.message}\n`))
      return 1
    }
  }
  return 0
}

async function descriptorTable(context) {
  const names = (await context.fs.readdir('/dev/fd')).map((found) => found.name).sort()
  return names.map((name) => `${name}\n`).join('')
}

/** A text as Python writes a byte string, without the b. */
function pythonRepr(text) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'"
  const named = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
  let shown = ''
  for (const byte of encode(text)) {
    const char = String.fromCharCode(byte)
    if (char === '\\' || char === quote) shown += `\\${char}`
    else if (named[char] !== undefined) shown += named[char]
    else shown += byte < 0x20 || byte >= 0x7f ? `\\x${byte.toString(16).padStart(2, '0')}` : char
  }
  return quote + shown + quote
}

/** Control characters as ^X, other bytes as they are. */
function caretNotation(text) {
  return text.replace(/[\x00-\x1f]/g, (char) => `^${String.fromCharCode(char.charCodeAt(0) + 64)}`).replaceAll('\x7f', '^?')
}
