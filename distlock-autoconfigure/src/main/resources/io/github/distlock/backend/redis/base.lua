-- What the verbs share; included at the beginning of each.
--
-- The lock is one string: 'owner token|last fencing token', with a TTL. Without an owner
-- it is a tombstone that only keeps the last token for a while.
-- The queue is a list of entries 'token|grace in ms|tokens of a grant|mark', oldest
-- first. A token is 'instance:number', or 'instance:fnumber' where an instance may have
-- several in the queue, for fair callers. Before the oldest there may stand '!instance':
-- that instance was granted the lock by a message, and more of its tickets may wait. The
-- mark is T where the number of receivers that
-- PUBLISH answers can be trusted for that instance; otherwise it is the server time in ms
-- at which the ticket was last seen.
-- Nothing here is done that an uncontended lock does not need: scripts that need more
-- include grant.lua further down.

local lockKey, queueKey = KEYS[1], KEYS[2]
local time = redis.call('TIME')
local nowMicros = time[1] * 1000000 + time[2]

-- Doubles are exact for microseconds until the year 2255, but tostring rounds them.
local function exact(number)
  return string.format('%.0f', number)
end

local function writeLock(owner, last, ttl)
  redis.call('SET', lockKey, string.format('%s|%.0f', owner, last), 'PX', ttl)
end

-- The lock is free: nothing of it stays but the last token, until the clock has certainly
-- passed it.
local function bury(last)
  writeLock('', last, (last < nowMicros) and '10000' or exact((last - nowMicros) / 1000 + 10000))
end
