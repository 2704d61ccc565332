import { isPromise } from '../host.ts'
import type { Hash } from './block-hash.ts'
import type { ByteReader, CommandContext } from './command.ts'
import type { Steps } from './steps.ts'
import { wait } from './steps.ts'

/** The checksum of a stream, in hexadecimal digits. */
export function* digestOf(input: ByteReader, algorithm: Algorithm, context: CommandContext): Steps<string> {
  const hash = algorithm.create()
  for (;;) {
    const read = input.read()
    const chunk = isPromise(read) ? yield* wait(read) : read
    if (chunk === null) break
    hash.update(chunk)
    yield* wait(context.pause())
  }
  let text = ''
  for (const byte of hash.digest()) text += byte.toString(16).padStart(2, '0')
  return text
}

/** What a checksum command computes. */
export interface Algorithm {
  /** As `--tag` writes it: `SHA256`. */
  readonly name: string
  /** Bytes of the checksum. */
  readonly length: number
  create(): Hash
}
