-- KEYS: lock, queue
-- ARGV: token, last used fencing token, and if somebody comes next: its token, its lease
--       in ms, tokens per grant, how it is queued, as in an attempt
-- Answers {0} gone
--         {1} released
--         {2, first token, TTL} released, and granted to the next
--         {3, position in the queue, TTL of the holder, now, 1} released, the next waits
--         {4} released, the next was not queued
-- include: base.lua
local token, next = ARGV[1], ARGV[3]

local word = redis.call('GET', lockKey)
if not word or string.sub(word, 1, #token + 1) ~= token .. '|' then
  return { 0 }
end
-- What the grant covered and nobody used is given back.
local last = math.min(string.sub(word, #token + 2), ARGV[2])
local entry = redis.call('LPOP', queueKey)
if not entry and not next then
  bury(last)
  return { 1 }
end
-- include: grant.lua

local lease, count, mark = ARGV[4], ARGV[5], ARGV[6]
local owner, first, ttl = grantNext(entry, last, next, lease)
if owner == '' then
  if not next then
    bury(first)
    return { 1 }
  end
  owner, first, ttl = next, nextToken(first), lease
  writeLock(next, first + count - 1, lease)
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
