-- KEYS: lock, queue, floor
-- ARGV: ticket
-- Answers 1 if the ticket was queued. If it was not, it may have been signalled that the lock
-- is free, and does not take it: the next ticket is signalled.
-- include: quorum.lua
local removed = redis.call('LREM', queueKey, 0, ARGV[1])
if removed == 0 then
  local value = redis.call('GET', lockKey)
  if not value or string.byte(value) == TOMBSTONE then
    wakeNext()
  end
end
return tostring(removed)
