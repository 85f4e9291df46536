-- KEYS: lock, queue
-- ARGV: token
-- Answers {1} if the ticket held the lock or waited, otherwise {0}
-- include: base.lua
-- include: grant.lua
local token = ARGV[1]

local owner, last = read(redis.call('GET', lockKey))
if owner == token then
  local first
  owner, first = grantNext(redis.call('LPOP', queueKey), last)
  if owner == '' then
    bury(first)
  end
  return { 1 }
end
local mine = token .. '|'
local entries = redis.call('LRANGE', queueKey, 0, -1)
for i = 1, #entries do
  if string.sub(entries[i], 1, #mine) == mine then
    return { redis.call('LREM', queueKey, 0, entries[i]) }
  end
end
return { 0 }
