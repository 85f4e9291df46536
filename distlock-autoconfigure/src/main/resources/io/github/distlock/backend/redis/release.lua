-- KEYS: lock, queue
-- ARGV: token, last used fencing token, and if somebody comes next: its token, its lease
--       in ms, tokens per grant, how it is queued, as in an attempt
-- Answers {0} gone
--         {1} released
--         {2, first token, TTL} released, and granted to the next
--         {3, position in the queue, TTL of the holder, now, 1} released, the next waits
--         {4} released, the next was not queued
local token, next = ARGV[1], ARGV[3]

local word = redis.call('GET', KEYS[1])
if not word or string.sub(word, 2, #token + 2) ~= token .. '|' then
  return { 0 }
end
-- What the grant covered and nobody used is given back.
local last, used = string.sub(word, #token + 3), ARGV[2]
if #used == #last and used < last then
  last = used
end
if string.byte(word) == 45 and not next then
  if redis.pcall('SET', KEYS[1], '|' .. last, 'PX', '10000').err then
    -- A server without memory refuses it as the first write, but not as the second.
    redis.call('DEL', KEYS[1])
    redis.call('SET', KEYS[1], '|' .. last, 'PX', '10000')
  end
  return { 1 }
end
-- include: base.lua
-- include: grant.lua

local lease, count, mark = ARGV[4], ARGV[5], ARGV[6]
local owner, first, ttl = grantNext(redis.call('LPOP', queueKey), last, next, lease)
if owner == '' then
  if not next then
    bury(first)
    return { 1 }
  end
  owner, first, ttl = next, nextToken(first), lease
  own(next, first + count - 1, lease)
end
if not next then
  return { 1 }
end
if owner == next then
  return { 2, first, tonumber(ttl) }
end
if mark == '-' then
  return { 4 }
end
local wanted = entryOf(next, lease, count, mark)
local position = redis.call('LPOS', queueKey, wanted) or redis.call('RPUSH', queueKey, wanted) - 1
redis.call('PEXPIRE', queueKey, QUEUE_TTL_MILLIS)
return { 3, position, tonumber(ttl), nowMicros, 1 }
