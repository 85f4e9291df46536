-- KEYS: lock, queue, and for readers and writers: readers
-- ARGV: token
-- Answers 'ok' if the ticket held the lock or waited, otherwise 'gone'; after a '+' if more
--         readers are to be let in, see admit.lua
-- include: first-bytes.lua
-- include: base.lua
-- include: grant.lua
local token = ARGV[1]

local owner, first, last = read(redis.call('GET', lockKey))
if owner == token then
  -- Granted by a message that its JVM has not received: no other token of it was used.
  pass(first)
  return answer('ok')
end
if owner == '~' and leave(token, last) then
  return answer('ok')
end
return answer(forget(token) and 'ok' or 'gone')
