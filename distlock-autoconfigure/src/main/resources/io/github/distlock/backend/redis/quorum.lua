-- What the verbs of a node of a quorum share.
--
-- The lock is '+claim|1|token' with a TTL, or '|token', a tombstone that the store of a
-- single Redis may have left. The floor is the highest token that is known here. It is a
-- key of its own, since a claim that comes to nothing takes the lock's place and ends with
-- its lease: the floor must outlive that. It stays until the clock of this server has
-- certainly passed it. The queue is a list of tickets, oldest first.
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

-- The lock is free here: tells the longest waiting ticket that is heard. It is not given
-- the lock, since one node cannot.
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
