-- What the verbs share; put before each of them.
--
-- The lock is one string: 'owner token|last fencing token', with a TTL. Without an owner
-- it is a tombstone that only keeps the last token for a while.
-- The queue is a list of entries 'token|grace in ms|mark', oldest first. A token is
-- 'instance:number'. The mark is T where the number of receivers that PUBLISH answers can
-- be trusted for that instance; otherwise it is the server time in ms at which the ticket
-- was last seen.

local lockKey, queueKey = KEYS[1], KEYS[2]
local time = redis.call('TIME')
local nowMicros = time[1] * 1000000 + time[2]
local nowMillis = math.floor(nowMicros / 1000)

-- Doubles are exact for microseconds until the year 2255, but tostring rounds them.
local function exact(number)
  return string.format('%.0f', number)
end

local function readLock()
  local word = redis.call('GET', lockKey)
  if not word then
    return '', 0
  end
  local owner, last = string.match(word, '^(.*)|(%d+)$')
  return owner, tonumber(last)
end

local function writeLock(owner, last, ttl)
  redis.call('SET', lockKey, owner .. '|' .. exact(last), 'PX', exact(ttl))
end

-- The next fencing tokens: higher than the last, and never behind the clock, so that they
-- rise even when the last one has been forgotten.
local function nextTokens(last, count)
  local first = math.max(last + 1, nowMicros)
  return first, first + count - 1
end

local function tokenOf(entry)
  return string.match(entry, '^([^|]*)|')
end

-- Gives the lock to the longest waiting ticket that is alive. If that is `own`, its lease
-- is `ownLease` and no message is sent: the reply tells it. Otherwise the lease is short,
-- until the new owner has confirmed. Answers owner ('' if nobody waits), first and last
-- token, and TTL. Begins with LPOP, which a server without memory lets pass; publishes
-- last, when the owner has been written.
local function grantNext(last, count, channelPrefix, own, ownLease)
  while true do
    local entry = redis.call('LPOP', queueKey)
    if not entry then
      return '', last, last, 0
    end
    local token, grace, mark = string.match(entry, '^([^|]*)|(%d+)|(.*)$')
    grace = tonumber(grace)
    -- Three safety intervals, of at most half a grace each.
    local gone = mark ~= 'T' and tonumber(mark) + grace * 1.5 < nowMillis
    if not gone then
      local first, newLast = nextTokens(last, count)
      last = newLast
      if token == own then
        writeLock(token, last, ownLease)
        return token, first, last, ownLease
      end
      writeLock(token, last, grace)
      local instance = string.match(token, '^(.*):')
      local message = table.concat({ token, exact(first), exact(last), exact(grace), exact(nowMicros), lockKey }, '|')
      local receivers = redis.call('PUBLISH', channelPrefix .. instance, message)
      if receivers > 0 or mark ~= 'T' then
        return token, first, last, grace
      end
    end
  end
end

-- The lock is free: nothing of it stays but the last token, until the clock has certainly
-- passed it.
local function bury(last)
  writeLock('', last, math.max(10000, last / 1000 - nowMillis + 10000))
end

local function releaseLock(last, count, channelPrefix, own, ownLease)
  local owner, first, newLast, ttl = grantNext(last, count, channelPrefix, own, ownLease)
  if owner == '' then
    if own ~= '' then
      first, newLast = nextTokens(newLast, count)
      writeLock(own, newLast, ownLease)
      return own, first, newLast, ownLease
    end
    bury(newLast)
  end
  return owner, first, newLast, ttl
end
