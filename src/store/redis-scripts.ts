import { REDIS_FOLDING } from '../redis/redis-text.ts'

// The Lua of RedisStore, which says where what lies. A value begins with HEAD bytes: its version and its form.

/** Bytes before a value: the version, which has all but one, and its form. */
const HEAD = 17

/** Milliseconds that a mark of who waits for a lease lasts. */
const MARK_MS = 1000

const READ = `
local function read(key, known)
  if known ~= '' then
    local head = redis.call('GETRANGE', key, 0, ${HEAD - 1})
    if string.sub(head, 1, ${HEAD - 1}) == known then return {'same'} end
  end
  local value = redis.call('GET', key)
  if not value then return {'missing'} end
  local form, text = string.sub(value, ${HEAD}, ${HEAD}), string.sub(value, ${HEAD + 1})
  if form == 'b' then text = unfold(text) end
  return {'value', string.sub(value, 1, ${HEAD - 1}), form, text}
end
`

/** KEYS: value. ARGV: the known version or nothing. Gives `missing`, `same`, or `value`, version, form, text. */
export const REDIS_READ: string = `${REDIS_FOLDING}${READ}
return read(KEYS[1], ARGV[1])
`

/**
 * KEYS: lease, mark of who waits, value. ARGV: token, milliseconds, `take`, `yield` (leaves it to those who wait) or `force`, whether to read, the
 * known version or nothing, a token that was given free or nothing. Gives `busy`, or `held` and what reading gives. Whoever has the token already has
 * the lease.
 */
export const REDIS_TAKE: string = `${REDIS_FOLDING}${READ}
local holder = redis.call('GET', KEYS[1])
if holder ~= ARGV[1] and ARGV[3] ~= 'force' then
  if holder and holder ~= ARGV[6] then
    redis.call('SET', KEYS[2], '1', 'PX', ${MARK_MS})
    return {'busy'}
  end
  if ARGV[3] == 'yield' and redis.call('EXISTS', KEYS[2]) == 1 then
    redis.call('DEL', KEYS[1])
    return {'busy'}
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('DEL', KEYS[2])
local reply = {'held'}
if ARGV[4] == '1' then
  for i, part in ipairs(read(KEYS[3], ARGV[5])) do reply[i + 1] = part end
end
return reply
`

/** KEYS: lease. ARGV: token. */
export const REDIS_RELEASE: string = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`

/** KEYS: lease. ARGV: token, milliseconds. Gives 0 where it is lost. */
export const REDIS_RENEW: string = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`

/**
 * All changes or none. KEYS: done, lease; for each change its value, index and the key that must be missing (its value where there is none).
 * ARGV: operation, milliseconds to keep its answer, channel, token or nothing, whether to end the lease; for each change `put`, `append` or
 * `delete`, form, text, condition or nothing, name in the index, whole key. The condition of a `put` is a version or `missing`, that of an
 * `append` a size or `there`. Gives `lost`, `conflict N`, or `written` with the size of each value, -1 for one that was missing, and `!` where its
 * group is not noted yet. The operation becomes the version of what it wrote.
 */
export const REDIS_WRITE: string = `${REDIS_FOLDING}
local done = redis.call('GET', KEYS[1])
if done then return done end
local operation, token = ARGV[1], ARGV[4]
if token ~= '' and redis.call('GET', KEYS[2]) ~= token then return 'lost' end

local heads = {}
local count = (#ARGV - 5) / 6
for i = 0, count - 1 do
  local key, without, kind, condition = KEYS[3 + i * 3], KEYS[5 + i * 3], ARGV[6 + i * 6], ARGV[9 + i * 6]
  local head = redis.call('GETRANGE', key, 0, ${HEAD - 1})
  local refused = without ~= key and redis.call('EXISTS', without) == 1
  if kind == 'put' and condition ~= '' then
    local version = head == '' and 'missing' or string.sub(head, 1, ${HEAD - 1})
    refused = refused or version ~= condition
  elseif condition == 'there' then
    refused = refused or head == ''
  elseif kind == 'append' and condition ~= '' then
    local size = head == '' and 0 or redis.call('STRLEN', key) - ${HEAD}
    refused = refused or size ~= tonumber(condition)
  end
  if refused then return 'conflict ' .. i end
  heads[i] = head
end

local answer = 'written'
for i = 0, count - 1 do
  local key, index = KEYS[3 + i * 3], KEYS[4 + i * 3]
  local kind, form, name = ARGV[6 + i * 6], ARGV[7 + i * 6], ARGV[10 + i * 6]
  local head, size = heads[i], -1
  if kind == 'delete' then
    if head ~= '' then size = 0 end
    redis.call('DEL', key)
    redis.call('ZREM', index, name)
  else
    local bytes = fold(form, ARGV[8 + i * 6])
    if kind == 'put' or head == '' then
      redis.call('SET', key, operation .. form .. bytes)
      size = #bytes
    else
      if string.sub(head, ${HEAD}, ${HEAD}) == 'b' then form = 'b' end
      redis.call('SETRANGE', key, 0, operation .. form)
      size = redis.call('APPEND', key, bytes) - ${HEAD}
    end
    if head == '' then redis.call('ZADD', index, 0, name) end
  end
  answer = answer .. ' ' .. size
  if kind ~= 'delete' and not redis.call('ZSCORE', index, '') then answer = answer .. '!' end
  -- A user who may not publish writes all the same.
  if size >= 0 then redis.pcall('PUBLISH', ARGV[3], ARGV[11 + i * 6]) end
end
if ARGV[5] == '1' then redis.call('DEL', KEYS[2]) end
redis.call('SET', KEYS[1], answer, 'PX', ARGV[2])
return answer
`

/** KEYS: index. ARGV: what names begin with. No character of a key comes after U+007F. */
export const REDIS_LIST: string = `
return redis.call('ZRANGEBYLEX', KEYS[1], '[' .. ARGV[1], '(' .. ARGV[1] .. '\\127')
`

/** KEYS: index. ARGV: name. */
export const REDIS_NOTE: string = `
return redis.call('ZADD', KEYS[1], 0, ARGV[1])
`
