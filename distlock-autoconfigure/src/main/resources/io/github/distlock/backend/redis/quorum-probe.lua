-- ARGV: the channel of the inbox of this JVM, a text to publish there
-- Answers {number of receivers, up-time in s}
local receivers = redis.call('PUBLISH', ARGV[1], ARGV[2])
return { receivers, tonumber(string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)')) }
