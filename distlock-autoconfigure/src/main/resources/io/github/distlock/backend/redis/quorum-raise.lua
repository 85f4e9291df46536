-- KEYS: lock, queue, floor
-- ARGV: claim, token
-- Raises the floor to the token if the claim holds the lock here: then the next claim on this
-- node comes after this, and reads the floor.
-- Answers 1 if the claim holds the lock here
-- include: quorum.lua
if not isHeldBy(redis.call('GET', lockKey), ARGV[1]) then
  return '0'
end
raiseFloor(tonumber(ARGV[2]))
return '1'
