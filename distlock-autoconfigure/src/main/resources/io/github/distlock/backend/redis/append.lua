-- Queues a counted exclusive ticket that is not queued yet behind all others, as enqueue() in
-- values.lua does. Answers '0' if it is the first in the queue, and '1' if others wait before it.
-- Answers nil if it was queued before: then nothing has changed. Included after base.lua.
local function append(token, lease, count)
  local last = redis.call('ZREVRANGEBYSCORE', queueKey, '(1e12', '-inf', 'WITHSCORES', 'LIMIT', '0', '1')[2]
  local place = (last or 0) + 1
  local grace = (#lease > 4) and 5000 or math.min(5000, lease)
  local note = string.format('1%012d', count * 20000 + grace * 2 + 1)
  if redis.call('ZADD', queueKey, 'NX', string.format('%d', place), token, note, '#' .. token) < 2 then
    return nil
  end
  if place % 16 == 0 then
    -- Redis keeps a small sorted set as a list and searches it in each command, unless a member
    -- has more than 64 bytes. So a queue that is not always short gets such a member. Scripts
    -- pass over it, since no instance has its name.
    redis.call('ZADD', queueKey, '1e14', '@' .. string.rep('-', 64))
  end
  redis.call('PEXPIRE', queueKey, '10000')
  return (place == 1) and '0' or '1'
end
