-- KEYS: for each reader: lock, readers
-- ARGV: for each reader: token, fencing token, and the new lease in ms
-- Answers a digit for each reader: 1 renewed, 0 gone, 2 a key has another type
-- As in renew.lua the fencing token names the lease, and a lease is never shortened.
-- include: first-bytes.lua
-- include: read.lua
local time = redis.call('TIME')
local now = math.floor((time[1] * 1000000 + time[2]) / 1000)
local answers = {}
for i = 1, #KEYS / 2 do
  local lockKey, readersKey = KEYS[i * 2 - 1], KEYS[i * 2]
  local token, first, lease = ARGV[i * 3 - 2], ARGV[i * 3 - 1], tonumber(ARGV[i * 3])
  local value, otherLock = read('GET', lockKey)
  local score, otherReaders = read('ZSCORE', readersKey, token)
  local ends = tonumber(score or 0)
  answers[i] = (otherLock or otherReaders) and 2 or 0
  if value and string.byte(value) == READERS and ends > now
      and tonumber(redis.call('ZSCORE', readersKey, '#' .. token)) == tonumber(first) then
    -- The TTLs first: a server without memory accepts them as the first write.
    local ttl = math.max(redis.call('PTTL', lockKey), lease)
    redis.call('PEXPIRE', lockKey, ttl)
    redis.call('PEXPIRE', readersKey, ttl)
    redis.call('ZADD', readersKey, string.format('%.0f', math.max(ends, now + lease)), token)
    answers[i] = 1
  elseif value and string.sub(value, 2) == token .. '|1|' .. first then
    -- A reader that owns the lock, see readers.lua.
    answers[i] = redis.call('PEXPIRE', lockKey, math.max(redis.call('PTTL', lockKey), lease))
  end
end
return table.concat(answers)
