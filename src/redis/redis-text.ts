import { encode } from '../bytes.ts'

/** Bytes as text. `text` where they are UTF-8; else `bytes`, with a character of U+0000…U+00FF for each, to be folded by a script. */
export interface RedisText {
  readonly form: 't' | 'b'
  readonly text: string
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
/** Arguments that a call may have. */
const AT_ONCE = 8192

export function redisText(bytes: Uint8Array): RedisText {
  try {
    return { form: 't', text: strict.decode(bytes) }
  } catch {
    const parts: string[] = []
    for (let at = 0; at < bytes.length; at += AT_ONCE) parts.push(String.fromCharCode(...bytes.subarray(at, at + AT_ONCE)))
    return { form: 'b', text: parts.join('') }
  }
}

export function redisBytes({ form, text }: RedisText): Uint8Array {
  if (form === 't') return encode(text)
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}

/**
 * Lua: `fold` makes the bytes of a text of either form, `unfold` the text of form `b` of bytes. Requests and replies of Upstash are JSON, so a
 * byte that is not part of UTF-8 can only come and go as a character.
 */
export const REDIS_FOLDING: string = `
local function fold(form, text)
  if form == 't' then return text end
  local bytes = {}
  for byte = 128, 191 do
    bytes['\\194' .. string.char(byte)] = string.char(byte)
    bytes['\\195' .. string.char(byte)] = string.char(byte + 64)
  end
  return (string.gsub(text, '[\\194\\195].', bytes))
end
local function unfold(bytes)
  local text = {}
  for byte = 128, 191 do
    text[string.char(byte)] = '\\194' .. string.char(byte)
    text[string.char(byte + 64)] = '\\195' .. string.char(byte)
  end
  return (string.gsub(bytes, '[\\128-\\255]', text))
end
`
