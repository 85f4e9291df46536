-- KEYS: lock, queue, readers
-- ARGV: the first token of a grant
-- Ends that grant, whichever holder is inside under it, and passes the lock on as a release
-- does. The holder may still use each token of the grant: the next token is higher than all
-- of them. Of readers only this one leaves. The JVM that held the lock receives a message,
-- 'ended|token|first token|lock'.
-- Answers 'ended', 'changed': another grant holds the lock, or 'not-held'; after a '+' if
--         more readers are to be let in, see admit.lua
-- include: first-bytes.lua
-- include: base.lua
-- include: grant.lua
local grant = ARGV[1]

local function tell(token)
  publish(token, 'ended|' .. token .. '|' .. grant .. '|' .. lockKey)
end

local owner, first, last = read(redis.call('GET', lockKey))
if owner == '' then
  return answer('not-held')
end
if owner == '~' then
  local notes = redis.call('ZRANGEBYSCORE', readersKey(), grant, grant, 'LIMIT', 0, 1)
  local token = notes[1] and string.sub(notes[1], 2)
  if not token or not reading(token) then
    return answer(shortest() and 'changed' or 'not-held')
  end
  redis.call('ZREM', readersKey(), token, '#' .. token)
  tell(token)
  succeed(last)
  return answer('ended')
end
if exact(first) ~= grant then
  return answer('changed')
end
-- DEL first: a server without memory would refuse the other writes as the first one. If the
-- next write is refused nevertheless, the lock is one whose lease has ended.
redis.call('DEL', lockKey)
tell(owner)
pass(last)
return answer('ended')
