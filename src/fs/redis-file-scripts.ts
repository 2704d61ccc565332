import { REDIS_FOLDING } from '../redis/redis-text.ts'

// The Lua of RedisObjects, which says where what lies. The first key of each script is the index; the other keys lie beside it, on the same node.

/** Bytes of a chunk: as much as one request carries, whatever they are (JSON makes six of a NUL). */
export const REDIS_CHUNK: number = 1024 * 1024

/** Milliseconds that the answer of a write is kept, in case it is asked for again. */
const KEPT_MS = 15 * 60_000
/** Milliseconds after which chunks are gone that no object came to hold. */
const STAGED_MS = 60 * 60_000

const FILES = `${REDIS_FOLDING}
local index = KEYS[1]
local place = string.sub(index, 1, -6)
local infos = place .. 'info'
local function whole(number) return string.format('%.0f', number) end
local function chunk(id, n) return place .. 'data:' .. id .. ':' .. whole(n) end
local function find(key)
  local packed = redis.call('HGET', infos, key)
  if not packed then return nil end
  local id, etag, size, time = string.match(packed, '^(%S+) (%S+) (%d+) (%d+)$')
  return {id = id, etag = etag, size = tonumber(size), time = time, packed = packed}
end
local function now()
  local time = redis.call('TIME')
  return whole(time[1] * 1000 + math.floor(time[2] / 1000))
end
local function keep(key, packed)
  redis.call('HSET', infos, key, packed)
  redis.call('ZADD', index, 0, key)
end
local function pack(id, etag, size, time) return id .. ' ' .. etag .. ' ' .. whole(size) .. ' ' .. time end
local function forget(key)
  redis.call('HDEL', infos, key)
  redis.call('ZREM', index, key)
end
local function drop(found)
  for n = 0, math.ceil(found.size / ${REDIS_CHUNK}) - 1 do redis.call('DEL', chunk(found.id, n)) end
end
local function once(work)
  local done = place .. 'done:' .. ARGV[1]
  local answer = redis.call('GET', done)
  if answer then return answer end
  answer = work()
  redis.call('SET', done, answer, 'PX', ${KEPT_MS})
  return answer
end
`

/** ARGV: key. Gives nothing or what is known of the object: id, etag, size, time. */
export const REDIS_FILE_HEAD: string = `
return redis.call('HGET', string.sub(KEYS[1], 1, -6) .. 'info', ARGV[1])
`

/** ARGV: key, offset, length, etag or nothing. Gives `missing`, `changed`, or `bytes`, what is known of the object, form, text. */
export const REDIS_FILE_READ: string = `${FILES}
local found = find(ARGV[1])
if not found then return {'missing'} end
if ARGV[4] ~= '' and ARGV[4] ~= found.etag then return {'changed'} end
local offset = tonumber(ARGV[2])
local stop = math.min(offset + tonumber(ARGV[3]), found.size)
local parts = {}
while offset < stop do
  local n = math.floor(offset / ${REDIS_CHUNK})
  local begin = n * ${REDIS_CHUNK}
  local last = math.min(stop, begin + ${REDIS_CHUNK})
  local bytes = redis.call('GETRANGE', chunk(found.id, n), offset - begin, last - begin - 1)
  if #bytes < last - offset then return redis.error_reply('ERR a chunk is missing') end
  parts[#parts + 1] = bytes
  offset = last
end
local bytes = table.concat(parts)
if string.find(bytes, '[\\128-\\255]') then return {'bytes', found.packed, 'b', unfold(bytes)} end
return {'bytes', found.packed, 't', bytes}
`

/** ARGV: id, number of the chunk, form, text. Gives 1. */
export const REDIS_FILE_STAGE: string = `${FILES}
redis.call('SET', chunk(ARGV[1], tonumber(ARGV[2])), fold(ARGV[3], ARGV[4]), 'PX', ${STAGED_MS})
return 1
`

/** ARGV: id, number of chunks. Gives 1. */
export const REDIS_FILE_UNSTAGE: string = `${FILES}
for n = 0, tonumber(ARGV[2]) - 1 do redis.call('DEL', chunk(ARGV[1], n)) end
return 1
`

/**
 * ARGV: operation, key, condition (an etag, \`missing\` or nothing), size, whether the chunks are staged under the operation, form, text. Gives
 * \`conflict\`, \`expired\` where a staged chunk is gone, or \`written\` and what is known of the object.
 */
export const REDIS_FILE_PUT: string = `${FILES}
return once(function()
  local operation, key, condition, size = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
  local found = find(key)
  if condition ~= '' and (found and found.etag or 'missing') ~= condition then return 'conflict' end
  if ARGV[5] == '1' then
    for n = 0, math.ceil(size / ${REDIS_CHUNK}) - 1 do
      if redis.call('PERSIST', chunk(operation, n)) == 0 then return 'expired' end
    end
  elseif size > 0 then
    redis.call('SET', chunk(operation, 0), fold(ARGV[6], ARGV[7]))
  end
  if found then drop(found) end
  local packed = pack(operation, operation, size, now())
  keep(key, packed)
  return 'written ' .. packed
end)
`

/** ARGV: operation, key, form, text. Gives \`missing\`, or \`written\` and what is known of the object. */
export const REDIS_FILE_APPEND: string = `${FILES}
return once(function()
  local operation, key = ARGV[1], ARGV[2]
  local found = find(key)
  if not found then return 'missing' end
  local bytes, size, at = fold(ARGV[3], ARGV[4]), found.size, 1
  while at <= #bytes do
    local n = math.floor(size / ${REDIS_CHUNK})
    local begin = size - n * ${REDIS_CHUNK}
    local piece = string.sub(bytes, at, at + ${REDIS_CHUNK} - begin - 1)
    redis.call('SETRANGE', chunk(found.id, n), begin, piece)
    at, size = at + #piece, size + #piece
  end
  local packed = pack(found.id, operation, size, now())
  keep(key, packed)
  return 'written ' .. packed
end)
`

/** ARGV: operation, key, target. Gives \`missing\` or \`written\`. */
export const REDIS_FILE_COPY: string = `${FILES}
return once(function()
  local found, target = find(ARGV[2]), find(ARGV[3])
  if not found then return 'missing' end
  if ARGV[2] == ARGV[3] then return 'written' end
  for n = 0, math.ceil(found.size / ${REDIS_CHUNK}) - 1 do redis.call('COPY', chunk(found.id, n), chunk(ARGV[1], n)) end
  if target then drop(target) end
  keep(ARGV[3], pack(ARGV[1], ARGV[1], found.size, now()))
  return 'written'
end)
`

/** ARGV: operation, then pairs of a key and its new one. Gives \`written\`. */
export const REDIS_FILE_RENAME: string = `${FILES}
return once(function()
  for at = 2, #ARGV, 2 do
    local found, target = find(ARGV[at]), find(ARGV[at + 1])
    if found and ARGV[at] ~= ARGV[at + 1] then
      if target then drop(target) end
      forget(ARGV[at])
      keep(ARGV[at + 1], found.packed)
    end
  end
  return 'written'
end)
`

/** ARGV: operation, then keys. Gives \`written\`. */
export const REDIS_FILE_DELETE: string = `${FILES}
return once(function()
  for at = 2, #ARGV do
    local found = find(ARGV[at])
    if found then
      drop(found)
      forget(ARGV[at])
    end
  end
  return 'written'
end)
`

/**
 * ARGV: prefix, delimiter or nothing, cursor or nothing, limit. Gives the cursor of the next page or nothing, then for each object \`k\`, its key and what
 * is known of it, for each common prefix \`p\`, it, and nothing. A cursor is \`k\` or \`p\` and the last that was given.
 */
export const REDIS_FILE_LIST: string = `${FILES}
local prefix, delimiter, cursor, limit = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local least = '[' .. prefix
if cursor ~= '' then
  least = '(' .. string.sub(cursor, 2)
  if string.sub(cursor, 1, 1) == 'p' then least = least .. '\\255' end
end
local reply, keys, count, step = {''}, {}, 0, 16
while true do
  local names = redis.call('ZRANGEBYLEX', index, least, '+', 'LIMIT', 0, step)
  local jumped = false
  for i, name in ipairs(names) do
    if string.sub(name, 1, #prefix) ~= prefix then names = {} break end
    if count == limit then
      reply[1] = reply[#reply - 2] .. reply[#reply - 1]
      names = {}
      break
    end
    local stop = delimiter ~= '' and string.find(name, delimiter, #prefix + 1, true)
    count = count + 1
    if stop then
      local common = string.sub(name, 1, stop)
      reply[#reply + 1], reply[#reply + 2], reply[#reply + 3] = 'p', common, ''
      least, step, jumped = '(' .. common .. '\\255', 16, true
      break
    end
    reply[#reply + 1], reply[#reply + 2], reply[#reply + 3] = 'k', name, redis.call('HGET', infos, name) or ''
    least = '(' .. name
  end
  if not jumped then
    if #names < step then return reply end
    step = math.min(step * 4, 1024)
  end
end
`
