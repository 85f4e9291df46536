-- KEYS: the entries of the instances
-- ARGV: the id of an instance, the channel of its inbox, a text to publish there that its
--       JVM ignores
-- Answers 1 if the instance has an entry that has not expired, or if its inbox is
--         subscribed here; otherwise 0. In a cluster only one node counts that inbox.
redis.set_repl(redis.REPL_NONE)
local receivers = redis.call('PUBLISH', ARGV[2], ARGV[3])
redis.set_repl(redis.REPL_ALL)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local entries = redis.call('ZRANGEBYSCORE', KEYS[1], string.format('(%.0f', now), '+inf')
local mine = ARGV[1] .. '|'
for i = 1, #entries do
  if string.sub(entries[i], 1, #mine) == mine then
    return 1
  end
end
return receivers > 0 and 1 or 0
