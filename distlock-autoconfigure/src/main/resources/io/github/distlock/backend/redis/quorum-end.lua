-- KEYS: lock, queue, floor
-- ARGV: claim, the first token of the grant that an operator ends, the last one as far as is
--       known, how far it may be ahead of the token that this node voted for
-- Tells the JVM of the claim first: what it asks afterwards is answered with 'gone'.
-- Answers 1 ended, 0 the claim does not hold the lock here
-- include: quorum.lua
local word = redis.call('GET', lockKey)
if not isHeldBy(word, ARGV[1]) then
  return 0
end
local last = math.max(tonumber(ARGV[3]), tonumber(string.match(word, '(%d+)$')) + tonumber(ARGV[4]))
-- First: a server without memory refuses other first writes.
redis.call('DEL', lockKey)
raiseFloor(last)
local channel = string.match(lockKey, '^([^{]*)lock:{') .. 'inbox:' .. string.match(ARGV[1], '^(.*):')
-- Not replicated, as in publish() in words.lua.
redis.set_repl(redis.REPL_NONE)
redis.call('PUBLISH', channel, 'ended|' .. ARGV[1] .. '|' .. ARGV[2] .. '|' .. lockKey)
redis.set_repl(redis.REPL_ALL)
wakeNext()
return 1
