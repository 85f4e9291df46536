-- The data of a lock on one node of a quorum, for all verbs.
--
-- The lock is '+claim|count|token' with a TTL: the token that this node has voted for, and how
-- many tokens the grant has; or '|token', a tombstone that the store of a single Redis may have
-- left. The floor is the highest token that is known here. It is a key of its own, since it must
-- outlive a claim that fails, which replaces the lock's value and ends with its lease. It stays
-- until the clock of this server has certainly passed it. The queue is a list of tickets, the
-- oldest first.
-- include: first-bytes.lua
local lockKey, queueKey, floorKey = KEYS[1], KEYS[2], KEYS[3]
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- include: quorum-floor.lua
local function isHeldBy(value, claim)
  return value and string.sub(value, 1, #claim + 2) == '+' .. claim .. '|'
end

-- include: quorum-wake.lua
