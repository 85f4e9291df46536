-- KEYS: lock, queue
-- ARGV: token
-- Answers 'ok' if the ticket held the lock or waited, otherwise 'gone'
-- include: base.lua
-- include: grant.lua
local token = ARGV[1]

local owner, _, last = read(redis.call('GET', lockKey))
if owner == token then
  local final
  owner, final = grantNext(redis.call('LPOP', queueKey), last)
  if owner == '' then
    bury(final)
  end
  return 'ok'
end
local mine = token .. '|'
local entries = redis.call('LRANGE', queueKey, 0, -1)
for i = 1, #entries do
  if string.sub(entries[i], 1, #mine) == mine then
    redis.call('LREM', queueKey, 0, entries[i])
    return 'ok'
  end
end
return 'gone'
