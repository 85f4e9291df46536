-- KEYS: lock, queue
-- ARGV: token, last used fencing token, tokens per grant, inbox channel prefix,
--       next token ('' = nobody), lease of the next in ms, queue entry of the next ('' = do
--       not queue), TTL of the queue in ms
-- Answers {0, 0, 0, 0, now} gone
--         {1, 0, 0, 0, now} released
--         {2, first token, last token, TTL, now} released, and granted to the next
--         {3, position in the queue, TTL of the holder, 0, now} released, the next waits
--         {4, 0, TTL of the holder, 0, now} released, the next was not queued
local token, used, count, channelPrefix = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local next, nextLease, entry, queueTtl = ARGV[5], tonumber(ARGV[6]), ARGV[7], ARGV[8]

local owner, last = readLock()
if owner ~= token then
  return { 0, 0, 0, 0, nowMicros }
end
-- What the grant covered and nobody used is given back.
local first, ttl
owner, first, last, ttl = releaseLock(math.min(last, used), count, channelPrefix, next, nextLease)
if next == '' then
  return { 1, 0, 0, 0, nowMicros }
end
if owner == next then
  return { 2, first, last, ttl, nowMicros }
end
if entry == '' then
  return { 4, 0, ttl, 0, nowMicros }
end
if string.sub(entry, -1) == '|' then
  entry = entry .. exact(nowMillis)
end
local position = redis.call('LPOS', queueKey, entry) or redis.call('RPUSH', queueKey, entry) - 1
redis.call('PEXPIRE', queueKey, queueTtl)
return { 3, position, ttl, 0, nowMicros }
