-- ARGV: the channel of the inbox of this JVM, a text to publish there
-- Answers 'up-time in s, now in microseconds'
redis.call('PUBLISH', ARGV[1], ARGV[2])
local uptime = tonumber(string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)'))
local time = redis.call('TIME')
return uptime .. ',' .. time[1] .. string.sub('00000' .. time[2], -6)
