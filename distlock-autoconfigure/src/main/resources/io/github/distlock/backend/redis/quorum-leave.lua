-- KEYS: lock, queue, floor
-- ARGV: claim, the last token that was used or 0 if none was, 1 to signal the next ticket
-- Answers 'gone'
--         'released, 1 if a ticket was signalled'
-- include: quorum.lua
if not isHeldBy(redis.call('GET', lockKey), ARGV[1]) then
  return 'gone'
end
redis.call('DEL', lockKey)
local used = tonumber(ARGV[2])
if used > 0 then
  raiseFloor(used)
end
return 'released,' .. ((ARGV[3] == '1') and wakeNext() or 0)
