-- KEYS: lock, queue, floor
-- ARGV: claim, lease in ms, how long in ms this server must have been up, a ticket to be
--       queued if the lock is held, or '', the token that the claim proposes or 0, and the
--       number of tokens of its grant
-- Answers 'granted, token, now'
--         'held, 1 if the ticket is queued, TTL, now, value of the claim that holds it'
--         'young, up-time in s': not granted, since a restart may have lost a lock
-- See quorum.lua for the data. Tokens are texts of digits here, since numbers are slow to
-- read and to write: the longer text is the larger number, and of two that are equally
-- long, their order says it.
-- include: first-bytes.lua
local lockKey, queueKey, floorKey = KEYS[1], KEYS[2], KEYS[3]
local claim, lease, oldEnough, ticket, token = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]
local time = redis.call('TIME')
local nowText = time[1] .. string.sub('00000' .. time[2], -6)

local value = redis.call('GET', lockKey)
if value and string.byte(value) ~= TOMBSTONE then
  local queued = 0
  if ticket ~= '' then
    queued = 1
    if not redis.call('LPOS', queueKey, ticket) then
      redis.call('RPUSH', queueKey, ticket)
    end
    redis.call('PEXPIRE', queueKey, '10000')
  end
  return 'held,' .. queued .. ',' .. redis.call('PTTL', lockKey) .. ',' .. nowText .. ',' .. value
end

-- In this script, since the server could restart between two commands. At its start a server
-- counts as saved, so it has been up at least since its last save: to ask for that is much
-- faster than INFO. Both moments are cut to seconds, so the difference may be a second too
-- high.
local saved = redis.pcall('LASTSAVE')
if type(saved) ~= 'number' or (time[1] - saved - 1) * 1000 < oldEnough then
  local uptime = tonumber(string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)'))
  if (uptime - 1) * 1000 < oldEnough then
    return 'young,' .. uptime
  end
end

if value then
  local now = tonumber(nowText)
-- include: quorum-floor.lua
  redis.call('DEL', lockKey)
  raiseFloor(tonumber(string.sub(value, 2)))
end
if #token < #nowText or #token == #nowText and token < nowText then
  token = nowText
end
local floor = redis.call('GET', floorKey)
if floor and (#floor > #token or #floor == #token and floor >= token) then
  token = string.format('%.0f', floor + 1)
end
local owned = '+' .. claim .. '|' .. ARGV[6] .. '|' .. token
if redis.pcall('SET', lockKey, owned, 'PX', lease).err then
  -- A server without memory refuses it as the first write, but not as the second.
  redis.call('DEL', lockKey)
  redis.call('SET', lockKey, owned, 'PX', lease)
end
return 'granted,' .. token .. ',' .. nowText
