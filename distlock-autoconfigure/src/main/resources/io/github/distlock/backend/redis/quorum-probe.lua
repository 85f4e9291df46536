-- ARGV: the channel of the inbox of this JVM, a text to publish there
-- Answers {number of receivers, up-time in s, now in microseconds}
local receivers = redis.call('PUBLISH', ARGV[1], ARGV[2])
local uptime = tonumber(string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)'))
local time = redis.call('TIME')
return { receivers, uptime, time[1] * 1000000 + time[2] }
