-- KEYS: lock, queue
-- ARGV: token, lease in ms, tokens per grant, inbox channel prefix, queue entry ('' = do
--       not wait), TTL of the queue in ms
-- Answers {1, first token, last token, TTL, now} granted
--         {2, position in the queue, TTL of the holder, 0, now} waiting
--         {0, 0, TTL of the holder, 0, now} busy
local token, lease, count, channelPrefix = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local entry, queueTtl = ARGV[5], ARGV[6]

-- At most one entry of a ticket, in whichever form it was queued: a script may run twice.
local function enqueue()
  local position = redis.call('LPOS', queueKey, entry)
  if position then
    return position
  end
  local entries = redis.call('LRANGE', queueKey, 0, -1)
  for i = 1, #entries do
    if tokenOf(entries[i]) == token then
      redis.call('LSET', queueKey, i - 1, entry)
      return i - 1
    end
  end
  return redis.call('RPUSH', queueKey, entry) - 1
end

local owner, last = readLock()
if owner == token then
  -- Never refreshed: a stray copy must not lengthen anything.
  return { 1, last - count + 1, last, redis.call('PTTL', lockKey), nowMicros }
end
if owner == '' then
  local first, ttl
  owner, first, last, ttl = grantNext(last, count, channelPrefix, token, lease)
  if owner == '' then
    first, last = nextTokens(last, count)
    writeLock(token, last, lease)
    owner, ttl = token, lease
  end
  if owner == token then
    return { 1, first, last, ttl, nowMicros }
  end
end
local remaining = redis.call('PTTL', lockKey)
if entry == '' then
  return { 0, 0, remaining, 0, nowMicros }
end
if string.sub(entry, -1) == '|' then
  entry = entry .. exact(nowMillis)
end
local position = enqueue()
redis.call('PEXPIRE', queueKey, queueTtl)
return { 2, position, remaining, 0, nowMicros }
