-- ARGV: our own inbox channel, what to publish there
-- Answers {how many heard it, now in microseconds}
local receivers = redis.call('PUBLISH', ARGV[1], ARGV[2])
local time = redis.call('TIME')
return { receivers, time[1] * 1000000 + time[2] }
