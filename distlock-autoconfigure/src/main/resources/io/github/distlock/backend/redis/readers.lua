-- A reader that has found the lock free owns it, as an exclusive ticket does, until another
-- reader attempts: then share() makes it one of several.
--
-- Several are a sorted set in the lock's slot with two members for each. The score of 'token' is
-- the server time in ms at which its lease ends; the score of '#token' is its fencing token in
-- microseconds, above all times. The lock's value is '~last', with the last fencing token; both
-- have the TTL of the longest lease. Without that value the set means nothing.

local ABOVE_ALL_TIMES = '1e14'

-- Commands of exclusive tickets do not name this key, so that they stay short: few locks ever
-- have readers.
local function readersKey()
  return KEYS[3] or (string.gsub(lockKey, 'lock:{', 'readers:{', 1))
end

-- The limit of a reader: how many may hold the lock at once when it has entered. Nil without one.
local function limitOf(token)
  return tonumber(string.match(token, ':F0(%d+)p'))
end

local function isReader(token)
  return string.find(token, ':F?R') ~= nil or limitOf(token) ~= nil
end

-- Whether a ticket may join the readers that hold the lock. Those whose lease has ended do not
-- count. Each ticket is judged by its own limit.
local function mayEnter(token)
  local limit = limitOf(token)
  if limit then
    return redis.call('ZCOUNT', readersKey(), '(' .. exact(nowMillis), ABOVE_ALL_TIMES) < limit
  end
  return isReader(token)
end

-- The fencing token of a reader that holds the lock, and what is left of its lease in ms.
local function reading(token)
  local ends = tonumber(redis.call('ZSCORE', readersKey(), token) or 0)
  if ends > nowMillis then
    return tonumber(redis.call('ZSCORE', readersKey(), '#' .. token)), ends - nowMillis
  end
end

-- The reader whose lease ends first, or nil, and what is left of that lease in ms.
local function shortest()
  local first = redis.call('ZRANGEBYSCORE', readersKey(), '(' .. exact(nowMillis), ABOVE_ALL_TIMES, 'WITHSCORES',
    'LIMIT', 0, 1)
  return first[1], exact((first[2] or nowMillis) - nowMillis)
end

-- What holds the lock, for messages: the ticket and its first fencing token, or nothing. Of
-- several readers it is `reader`.
local function named(owner, first, reader)
  if owner ~= '~' then
    return owner, exact(first)
  end
  if reader then
    return reader, exact(redis.call('ZSCORE', readersKey(), '#' .. reader) or 0)
  end
end

-- Lets a reader in; settle() must follow. Answers its fencing token. The removal comes first:
-- a server without memory accepts it as the first write, and then the others.
local function enter(token, ttl, last)
  local first = nextToken(last)
  redis.call('ZREM', readersKey(), token)
  redis.call('ZADD', readersKey(), exact(nowMillis + ttl), token, exact(first), '#' .. token)
  return first
end

-- How many readers enter or leave in one script at most, so that no script runs for long.
local PORTION = 50

-- Must follow when readers have entered or left: removes some of those whose lease has ended,
-- and lets the lock last as long as the longest lease of the others. Answers false, and
-- writes no value, if no reader is left.
local function settle(last)
  local ended = redis.call('ZRANGEBYSCORE', readersKey(), '-inf', exact(nowMillis), 'LIMIT', 0, PORTION)
  for i = 1, #ended do
    redis.call('ZREM', readersKey(), ended[i], '#' .. ended[i])
  end
  local longest = redis.call('ZREVRANGEBYSCORE', readersKey(), ABOVE_ALL_TIMES, '(' .. exact(nowMillis), 'WITHSCORES',
    'LIMIT', 0, 1)
  if not longest[1] then
    redis.call('DEL', readersKey())
    return false
  end
  local ttl = exact(longest[2] - nowMillis)
  redis.call('PSETEX', lockKey, ttl, '~' .. exact(last))
  redis.call('PEXPIRE', readersKey(), ttl)
  return true
end

-- Lets in readers that are alive from the head of the queue, PORTION at most, up to the first
-- ticket that may not enter. Each gets a message, except `requester`, whose lease is `requesterLease`.
-- All is written before the first message. In place of those whose JVM receives nothing the
-- next ones are called. If more readers may enter then, the answer of the script says so, and
-- its caller sends admit.lua; if it does not, the readers are let in when one of them asks
-- again. A user that may not publish gives their places back to them, if others hold, whose next
-- script lets them in. Answers whether any reader holds the lock now, and the last fencing token
-- given.
local function admit(last, requester, requesterLease)
  local given, left, deaf = last, PORTION, false
  repeat
    local called, token, place = {}, head()
    while token and left > 0 and mayEnter(token) do
      left = left - 1
      local grace, count, counted, gone, polls = noted(token)
      remove(token)
      if not gone then
        given = enter(token, (token == requester) and requesterLease or grace, given)
        called[#called + 1] = { token, given, grace, counted, polls, place, noteOf(grace, count, counted) }
      end
      token, place = head()
    end
    if not settle(given) then
      return false, last
    end
    deaf = false
    local others = redis.call('ZCOUNT', readersKey(), '(' .. exact(nowMillis), ABOVE_ALL_TIMES) > #called
    for i = 1, #called do
      local first, grace, counted, polls, note
      token, first, grace, counted, polls, place, note = unpack(called[i])
      local receivers = token ~= requester and publishGrant(token, first, first, grace)
      if receivers == 0 and counted then
        redis.call('ZREM', readersKey(), token, '#' .. token)
        deaf = true
      elseif receivers == nil and others then
        redis.call('ZREM', readersKey(), token, '#' .. token)
        redis.call('ZADD', queueKey, place, token, note, '#' .. token)
        redis.call('PEXPIRE', queueKey, QUEUE_TTL_MILLIS)
        settle(given)
      elseif receivers and polls then
        alertNext()
      end
    end
  until not deaf
  local token = left == 0 and head()
  more = token and mayEnter(token) or false
  return true, given
end

-- Makes the reader that owns the lock one of several. Its lease ends 2 ms later at most: the
-- clock is read after the TTL, since the server may pause between the two.
local function share(owner, first)
  local left = redis.call('PTTL', lockKey)
  local read = redis.call('TIME')
  -- First, as in enter(). The set may be left over.
  redis.call('DEL', readersKey())
  redis.call('ZADD', readersKey(), exact(read[1] * 1000 + read[2] / 1000 + left + 1), owner, exact(first), '#' .. owner)
  settle(first)
end

-- Lets waiting readers join those that hold the lock, up to the first ticket in the queue that
-- may not enter. Answers false if no reader holds the lock any more, and the last fencing token
-- given.
local function admitHead(last, requester, requesterLease)
  local token = head()
  if token and mayEnter(token) then
    return admit(last, requester, requesterLease)
  end
  return true, last
end

-- Checks that the ticket before `requester` is alive, if it may not enter: otherwise its death would
-- be detected only when the readers leave. If its JVM receives no message, the ticket is
-- removed. If it does, the ticket is asked by that message: from then on it is queued as
-- uncounted, so that an attempt has to confirm its place, and a JVM that does not know the
-- ticket cancels it. Answers as admitHead().
local function passOver(last, requester, requesterLease)
  local token = head()
  while token and token ~= requester and not mayEnter(token) do
    local grace, count, counted, gone = noted(token)
    if not gone and (not counted or publishGrant(token, 0, 0, 0) ~= 0) then
      if counted then
        redis.call('ZADD', queueKey, noteOf(grace, count, false), '#' .. token)
        seen(token, grace)
      end
      return true, last
    end
    remove(token)
    token = head()
  end
  return admitHead(last, requester, requesterLease)
end
