-- The data of a lock on one node of a quorum, for all verbs.
--
-- The lock is '+claim|count|token' with a TTL: the token that this node has voted for, and how
-- many tokens the grant has; or '|token', a tombstone that the store of a single Redis may have
-- left. The floor is the highest token that is known here. It is a key of its own, since it must
-- outlive a claim that fails, which replaces the lock's word and ends with its lease. It stays
-- until the clock of this server has certainly passed it. The queue is a list of tickets, the
-- oldest first.
-- include: first-bytes.lua
local lockKey, queueKey, floorKey = KEYS[1], KEYS[2], KEYS[3]
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- Doubles are exact for microseconds until the year 2255, but tostring rounds them.
local function exact(number)
  return string.format('%.0f', number)
end

local function isHeldBy(word, claim)
  return word and string.sub(word, 1, #claim + 2) == '+' .. claim .. '|'
end

local function readFloor()
  return tonumber(redis.call('GET', floorKey) or '0')
end

local function raiseFloor(token)
  if token > readFloor() then
    redis.call('SET', floorKey, exact(token), 'PX', exact(math.max(0, token - now) / 1000 + 10000))
  end
end

-- Signals the longest waiting ticket whose JVM receives the message that the lock is free
-- here. It is not granted the lock, since one node cannot grant it.
local function wakeNext()
  local ticket = redis.call('LPOP', queueKey)
  while ticket do
    local channel = string.match(lockKey, '^([^{]*)lock:{') .. 'inbox:' .. string.match(ticket, '^(.*):')
    if redis.call('PUBLISH', channel, ticket .. '|0|0|0|' .. exact(now) .. '|' .. lockKey) > 0 then
      return 1
    end
    ticket = redis.call('LPOP', queueKey)
  end
  return 0
end
