-- KEYS: lock, queue, floor
-- ARGV: claim, the first token of the grant that an operator ends, the token that each later
--       one must exceed
-- Tells the JVM of the claim first: what it asks afterwards is answered with 'gone'.
-- Answers 1 ended, 0 the claim does not hold the lock here
-- include: quorum.lua
if not isHeldBy(redis.call('GET', lockKey), ARGV[1]) then
  return 0
end
redis.call('DEL', lockKey)
raiseFloor(tonumber(ARGV[3]))
local channel = string.match(lockKey, '^([^{]*)lock:{') .. 'inbox:' .. string.match(ARGV[1], '^(.*):')
redis.call('PUBLISH', channel, 'ended|' .. ARGV[1] .. '|' .. ARGV[2] .. '|' .. lockKey)
wakeNext()
return 1
