-- KEYS: lock, queue, floor
-- Answers lines: 'TTL, now' and, after a comma, the value of the claim if there is one; then the
-- tickets in the queue, the first thousand
-- include: quorum.lua
local value = redis.call('GET', lockKey)
local held = value and string.byte(value) ~= TOMBSTONE
local line = (held and redis.call('PTTL', lockKey) or 0) .. ',' .. exact(now) .. (held and ',' .. value or '')
local queue = redis.call('LRANGE', queueKey, 0, 999)
return table.concat({ line, unpack(queue) }, '\n')
