-- ARGV: our own inbox channel, what to publish there
-- Answers {how many heard it, up-time in s}
local receivers = redis.call('PUBLISH', ARGV[1], ARGV[2])
return { receivers, tonumber(string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)')) }
