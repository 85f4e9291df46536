-- KEYS: lock, queue, floor
-- ARGV: claim, the last token that was used or 0 if none was, 1 to signal the next ticket
-- Answers 'gone'
--         'released, 1 if a ticket was signalled'
-- See quorum.lua for the data. Tokens are compared as in quorum-claim.lua.
local lockKey, queueKey, floorKey = KEYS[1], KEYS[2], KEYS[3]
local owned, value = '+' .. ARGV[1] .. '|', redis.call('GET', lockKey)
if not value or string.sub(value, 1, #owned) ~= owned then
  return 'gone'
end
redis.call('DEL', lockKey)
local used = ARGV[2]
if used ~= '0' then
  local floor = redis.call('GET', floorKey)
  if not floor or #used > #floor or #used == #floor and used > floor then
    local time = redis.call('TIME')
    local ahead = used - time[1] * 1000000 - time[2]
    redis.call('SET', floorKey, used, 'PX', 10000 + math.max(0, math.ceil(ahead / 1000)))
  end
end
if ARGV[3] ~= '1' then
  return 'released,0'
end
-- include: quorum-wake.lua
return 'released,' .. wakeNext()
