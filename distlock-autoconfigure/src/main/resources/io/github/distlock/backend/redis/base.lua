-- What the verbs share.
--
-- The lock is one string with a TTL: '-token|last' or '+token|last' of an owner, where
-- last is the last fencing token of its grant; or '|last', a tombstone that only keeps
-- the last token given for a while.
-- The queue is a list of entries 'token|grace in ms|tokens of a grant|mark', oldest
-- first. A token is 'instance:number', or 'instance:fnumber' where an instance may have
-- several in the queue, for fair callers. Before the oldest there may stand '!instance':
-- that instance was granted the lock by a message, and more of its tickets may wait. The
-- mark is T where the number of receivers that PUBLISH answers can be trusted for that
-- instance; otherwise it is the server time in ms at which the ticket was last seen.
--
-- Invariant: while the lock is '-' or a tombstone, nobody is in the queue, and the last
-- token is not ahead of the clock by more than its grant. '+' says nothing. So a lock
-- that nobody waits for needs neither the queue nor, at the release, the clock.

local lockKey, queueKey = KEYS[1], KEYS[2]
local time = redis.call('TIME')
local nowMicros = time[1] * 1000000 + time[2]

-- Doubles are exact for microseconds until the year 2255, but tostring rounds them.
local function exact(number)
  return string.format('%.0f', number)
end
