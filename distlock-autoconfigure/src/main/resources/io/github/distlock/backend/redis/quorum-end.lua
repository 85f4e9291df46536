-- KEYS: lock, queue, floor
-- ARGV: claim, the last token of the grant that an operator ends as far as is known, how far it
--       may be ahead of the token that this node voted for
-- Answers 1 ended, 0 the claim does not hold the lock here
-- include: quorum.lua
local value = redis.call('GET', lockKey)
if not isHeldBy(value, ARGV[1]) then
  return '0'
end
local last = math.max(tonumber(ARGV[2]), tonumber(string.match(value, '(%d+)$')) + tonumber(ARGV[3]))
-- First: a server without memory refuses other first writes.
redis.call('DEL', lockKey)
raiseFloor(last)
wakeNext()
return '1'
