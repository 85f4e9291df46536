-- KEYS: instances
-- ARGV: the entry of an instance, how long it lives in ms
-- Writes or refreshes the entry: a member of a sorted set, with the time of this server in ms
-- at which it expires as its score. Removes expired entries; the set ends with its last one.
-- Needs no right that the locks do not need.
-- Answers how many entries it removed
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
local expired = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now), 'LIMIT', 0, 1000)
for i = 1, #expired do
  redis.call('ZREM', KEYS[1], expired[i])
end
return #expired
