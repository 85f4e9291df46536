-- KEYS: instances
-- ARGV: the id of an instance, the channel of its inbox, a text to publish there
-- Answers 1 if the instance has an entry that has not expired, or its inbox has a receiver
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local entries = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. string.format('%.0f', now), '+inf')
for i = 1, #entries do
  if string.sub(entries[i], 1, #ARGV[1] + 1) == ARGV[1] .. '|' then
    return 1
  end
end
return redis.call('PUBLISH', ARGV[2], ARGV[3]) > 0 and 1 or 0
