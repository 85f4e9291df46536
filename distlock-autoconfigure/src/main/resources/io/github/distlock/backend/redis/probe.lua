-- ARGV: the channel of the inbox of this JVM, a text to publish there
-- Answers 'number of receivers, now in microseconds'
-- Like a grant, the message is not replicated.
redis.set_repl(redis.REPL_NONE)
local receivers = redis.call('PUBLISH', ARGV[1], ARGV[2])
redis.set_repl(redis.REPL_ALL)
local time = redis.call('TIME')
return receivers .. ',' .. time[1] .. string.sub('00000' .. time[2], -6)
