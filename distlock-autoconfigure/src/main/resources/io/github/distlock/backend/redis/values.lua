-- Functions that read and write the lock and the queue, as base.lua describes them. Included
-- after first-bytes.lua and base.lua.

local nowMicros = tonumber(now)
local nowMillis = math.floor(nowMicros / 1000)

-- Much longer than the interval at which waiting tickets ask, each of which sets it again.
local QUEUE_TTL_MILLIS = '10000'

-- Doubles are exact for microseconds until the year 2255, but tostring rounds them.
local function exact(number)
  return string.format('%.0f', number)
end

-- Whether more readers at the head of the queue are to be let in, by admit.lua.
local more = false

local function answer(...)
  return (more and '+' or '') .. table.concat({ ... }, ',')
end

-- The first of the next fencing tokens: higher than the last one, and never behind the clock,
-- so that tokens rise even after the last one has been forgotten.
local function nextToken(last)
  return math.max(last + 1, nowMicros)
end

local function own(owner, count, first, ttl, polls)
  redis.call('PSETEX', lockKey, ttl, (polls and '*' or '+') .. owner .. '|' .. count .. '|' .. exact(first))
end

-- Frees the lock: only a tombstone with the last token stays, until the clock has certainly
-- passed that token.
local function bury(last)
  redis.call('PSETEX', lockKey, exact(math.max(0, last - nowMicros) / 1000 + 10000), '|' .. exact(last))
end

-- The owner of the lock, and the first and last token of its grant. The owner is '' if the
-- lock is free and '~' for readers; then both tokens are the last one ever given.
local function read(value)
  if not value then
    return '', 0, 0
  end
  local owner, count, first = string.match(value, '^[-+*](.*)|(%d+)|(%d+)$')
  if not owner then
    local last = tonumber(string.sub(value, 2))
    return (string.byte(value) == READERS) and '~' or '', last, last
  end
  return owner, tonumber(first), first + count - 1
end

-- Scores of notes. That of '#token' is NOTES + count * 20000 + grace in ms * 2, and 1 more
-- if the ticket is counted; that of '@instance' is INSTANCES + server time in ms.
local NOTES, INSTANCES = 1e12, 1e13

local function instanceOf(token)
  return string.match(token, '^(.*):')
end

local function isClaim(member)
  return string.byte(member) == CLAIM
end

-- The first in the queue: the ticket that waits longest, or the claim before it, or nil; and its
-- place.
local function head()
  local first = redis.call('ZRANGE', queueKey, 0, 0, 'WITHSCORES')
  return first[2] and tonumber(first[2]) < NOTES and first[1] or nil, first[2]
end

-- Takes a ticket or a claim out of the queue. Answers whether it was there.
local function remove(token)
  return redis.call('ZREM', queueKey, token, '#' .. token) > 0
end

-- Notes that the instance of an uncounted ticket is alive. It will be seen again before three
-- of this ticket's retry intervals have passed, each of half a grace at most.
local function seen(token, grace)
  redis.call('ZADD', queueKey, 'GT', exact(INSTANCES + nowMillis + grace * 1.5), '@' .. instanceOf(token))
end

local function noteOf(grace, count, counted)
  return exact(NOTES + count * 20000 + grace * 2 + (counted and 1 or 0))
end

-- The grace of a ticket that polls: longer than the intervals at which it asks. For so long others
-- wait in vain if its JVM has just died.
local POLL_GRACE_MILLIS = 500

-- How a ticket is queued: grace, count, whether receivers can be counted, whether its instance
-- has not been seen for too long, and whether it polls.
local function noted(token)
  local note = redis.call('ZSCORE', queueKey, '#' .. token) - NOTES
  local counted = note % 2 == 1
  local gone = not counted and redis.call('ZSCORE', queueKey, '@' .. instanceOf(token)) - INSTANCES < nowMillis
  local grace = math.floor(note % 20000 / 2)
  return grace, math.floor(note / 20000), counted, gone, not counted and grace == POLL_GRACE_MILLIS
end

-- The ticket that has waited for the shortest time, or a claim, or nil, and its place.
local function tail()
  return unpack(redis.call('ZREVRANGEBYSCORE', queueKey, '(' .. exact(NOTES), '-inf', 'WITHSCORES', 'LIMIT', 0, 1))
end

-- Whether a ticket that polls may have a place: each of its turns lasts until it asks again. So
-- no two such turns follow each other. And if no ticket waits, it may have a place only if the
-- same JVM always holds the lock (Q): JVMs that all poll need no places.
local function mayPoll(token, mark)
  local last = tail()
  if not last or isClaim(last) then
    return mark == 'Q'
  end
  local _, _, _, gone, polls = noted(last)
  return gone or not polls or redis.call('ZSCORE', queueKey, token)
end

-- Queues a ticket, or changes how it is queued: a ticket has one place at most, and a script
-- may run twice. Answers how many tickets wait before it, and 1 if it is new; nil if it polls and
-- may not have a place, or the server has no memory for one. The grace, within which a grant by
-- message must be confirmed, is 5 s at most.
local function enqueue(token, lease, count, mark)
  local grace, place, new = math.min(5000, lease), redis.call('ZSCORE', queueKey, token), 0
  local add = redis.call
  if mark == 'P' or mark == 'Q' then
    if not mayPoll(token, mark) then
      return nil
    end
    grace, add = POLL_GRACE_MILLIS, redis.pcall
  end
  if not place then
    local _, last = tail()
    place, new = exact((last or 0) + 1), 1
  end
  if type(add('ZADD', queueKey, place, token, noteOf(grace, count, mark == 'T'), '#' .. token)) == 'table' then
    return nil
  end
  if mark ~= 'T' then
    seen(token, grace)
  end
  redis.call('PEXPIRE', queueKey, QUEUE_TTL_MILLIS)
  local position = redis.call('ZRANK', queueKey, token)
  if position > 0 and isClaim(head()) then
    position = position - 1
  end
  return position, new
end

-- An instance did not confirm a grant in time: drops all its tickets. If it is alive, they
-- will ask again. Only this function reads the whole queue.
local function dropAll(instance)
  local tokens = redis.call('ZRANGEBYSCORE', queueKey, '-inf', '(' .. exact(NOTES))
  for i = 1, #tokens do
    if string.sub(tokens[i], 1, #instance + 1) == instance .. ':' then
      remove(tokens[i])
    end
  end
end

-- Publishes a message to the inbox of the ticket's JVM. Answers the number of receivers; nil if
-- the user that runs the script may not publish, so that the ticket has to ask. The
-- message is not replicated: an inbox that is subscribed to a replica would receive it
-- uncounted, after the lock has gone to another ticket.
local function publish(token, message)
  local channel = string.match(lockKey, '^([^{]*)lock:{') .. 'inbox:' .. instanceOf(token)
  redis.set_repl(redis.REPL_NONE)
  local receivers = redis.pcall('PUBLISH', channel, message)
  redis.set_repl(redis.REPL_ALL)
  return type(receivers) == 'number' and receivers or nil
end

-- Publishes a grant. A grant without a TTL has passed: a ticket that still waits asks again,
-- and a JVM that does not know the ticket gives the lock back.
local function publishGrant(token, first, last, ttl)
  return publish(token, table.concat({ token, exact(first), exact(last), exact(ttl), now, lockKey }, '|'))
end

-- A ticket that polls was granted the lock, and its JVM may have died: the next one asks, and
-- again when that grant ends.
local function alertNext()
  local token = head()
  if token and not isClaim(token) then
    publishGrant(token, 0, 0, 0)
  end
end
