-- KEYS: lock, queue, and for readers and writers: readers
-- ARGV: token
-- Answers 'ok' if the ticket held the lock or waited, otherwise 'gone'
-- include: base.lua
-- include: grant.lua
local token = ARGV[1]

local owner, _, last = read(redis.call('GET', lockKey))
if owner == token then
  pass(last)
  return 'ok'
end
if owner == '~' and leave(token, last) then
  return 'ok'
end
return forget(token) and 'ok' or 'gone'
