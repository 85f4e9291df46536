-- KEYS: lock, queue
-- ARGV: token, tokens per grant, inbox channel prefix
-- Answers 1 if the ticket held the lock or waited, otherwise 0
local token, count, channelPrefix = ARGV[1], tonumber(ARGV[2]), ARGV[3]

local owner, last = readLock()
if owner == token then
  releaseLock(last, count, channelPrefix, '', 0)
  return 1
end
local entries = redis.call('LRANGE', queueKey, 0, -1)
for i = 1, #entries do
  if tokenOf(entries[i]) == token then
    return redis.call('LREM', queueKey, 0, entries[i])
  end
end
return 0
