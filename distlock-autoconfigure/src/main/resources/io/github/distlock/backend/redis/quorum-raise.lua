-- KEYS: lock, queue, floor
-- ARGV: claim, token
-- Answers 1 if the claim holds the lock here, and the floor is the token at least. Only
-- then: whoever claims this node next does so after this, and reads it.
-- include: quorum.lua
if not isHeldBy(redis.call('GET', lockKey), ARGV[1]) then
  return 0
end
raiseFloor(tonumber(ARGV[2]))
return 1
