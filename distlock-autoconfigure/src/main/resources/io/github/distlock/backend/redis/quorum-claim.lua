-- KEYS: lock, queue, floor
-- ARGV: claim, lease in ms, how long in ms this server must have been up, a ticket to be
--       queued if the lock is held, or '', the token that the claim proposes or 0, and the
--       number of tokens of its grant
-- Answers 'granted, token, now'
--         'held, 1 if the ticket is queued, TTL, now, word of the claim that holds it'
--         'young, up-time in s': not granted, since a restart may have lost a lock
-- include: quorum.lua
local claim, lease, oldEnough, ticket = ARGV[1], ARGV[2], ARGV[3], ARGV[4]

local word = redis.call('GET', lockKey)
if word and string.byte(word) ~= TOMBSTONE then
  local queued = 0
  if ticket ~= '' then
    queued = 1
    if not redis.call('LPOS', queueKey, ticket) then
      redis.call('RPUSH', queueKey, ticket)
    end
    redis.call('PEXPIRE', queueKey, '10000')
  end
  return 'held,' .. queued .. ',' .. redis.call('PTTL', lockKey) .. ',' .. exact(now) .. ',' .. word
end

-- In this script, since the server could restart between two commands. Both the start and the
-- present are cut to seconds, so the up-time may be a second too high.
local uptime = tonumber(string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)'))
if (uptime - 1) * 1000 < tonumber(oldEnough) then
  return 'young,' .. uptime
end

if word then
  redis.call('DEL', lockKey)
  raiseFloor(tonumber(string.sub(word, 2)))
end
local token = math.max(readFloor() + 1, now, tonumber(ARGV[5]))
local owned = '+' .. claim .. '|' .. ARGV[6] .. '|' .. exact(token)
if redis.pcall('SET', lockKey, owned, 'PX', lease).err then
  -- A server without memory refuses it as the first write, but not as the second.
  redis.call('DEL', lockKey)
  redis.call('SET', lockKey, owned, 'PX', lease)
end
return 'granted,' .. exact(token) .. ',' .. exact(now)
