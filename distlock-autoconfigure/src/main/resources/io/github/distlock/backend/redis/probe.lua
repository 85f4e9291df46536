-- ARGV: our own inbox channel, what to publish there
-- Answers {how many heard it, now in microseconds}
-- Not for the inboxes of replicas, as a grant is not.
redis.set_repl(redis.REPL_NONE)
local receivers = redis.call('PUBLISH', ARGV[1], ARGV[2])
redis.set_repl(redis.REPL_ALL)
local time = redis.call('TIME')
return { receivers, time[1] * 1000000 + time[2] }
