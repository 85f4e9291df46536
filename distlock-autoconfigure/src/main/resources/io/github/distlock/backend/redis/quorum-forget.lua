-- KEYS: lock, queue, floor
-- ARGV: ticket
-- Answers 1 if the ticket was queued. If not it may have been told that the lock is free,
-- and leaves without it: the next one is told.
-- include: quorum.lua
local removed = redis.call('LREM', queueKey, 0, ARGV[1])
if removed == 0 then
  local word = redis.call('GET', lockKey)
  if not word or string.byte(word) == 124 then
    wakeNext()
  end
end
return removed
