-- Reading and writing what base.lua describes; included after it.

local nowMicros = tonumber(now)
local nowMillis = math.floor(nowMicros / 1000)

-- Much longer than a safety interval, each of which sets it anew.
local QUEUE_TTL_MILLIS = '10000'

-- Doubles are exact for microseconds until the year 2255, but tostring rounds them.
local function exact(number)
  return string.format('%.0f', number)
end

local function answer(...)
  return table.concat({ ... }, ',')
end

-- The next fencing tokens: higher than the last, and never behind the clock, so that they
-- rise even when the last one has been forgotten. Answers the first.
local function nextToken(last)
  return math.max(last + 1, nowMicros)
end

local function own(owner, count, first, ttl)
  redis.call('PSETEX', lockKey, ttl, '+' .. owner .. '|' .. count .. '|' .. exact(first))
end

-- The lock is free: nothing of it stays but the last token, until the clock has certainly
-- passed it.
local function bury(last)
  redis.call('PSETEX', lockKey, exact(math.max(0, last - nowMicros) / 1000 + 10000), '|' .. exact(last))
end

-- Who owns the lock, '~' for readers, and the first and last token of its grant. Without an
-- owner of its own the last token ever given is the last one.
local function read(word)
  if not word then
    return '', 0, 0
  end
  local owner, count, first = string.match(word, '^[-+](.*)|(%d+)|(%d+)$')
  if not owner then
    local last = tonumber(string.sub(word, 2))
    return (string.byte(word) == 126) and '~' or '', last, last
  end
  return owner, tonumber(first), first + count - 1
end

-- How a ticket is queued. No message is worth waiting longer for than 5 s.
local function entryOf(token, lease, count, mark)
  local grace = exact(math.min(5000, lease))
  return table.concat({ token, grace, count, (mark == 'T') and mark or exact(nowMillis) }, '|')
end

local function isClaim(entry)
  return string.byte(entry) == 33
end

-- A place in the queue: token, grace, count, whether receivers can be counted, and whether
-- it has not been seen for three safety intervals, of at most half a grace each.
local function place(entry)
  local token, grace, count, mark = string.match(entry, '^([^|]*)|(%d+)|(%d+)|(.*)$')
  grace = tonumber(grace)
  return token, grace, count, mark == 'T', mark ~= 'T' and tonumber(mark) + grace * 1.5 < nowMillis
end

-- An instance let the time of a grant pass: none of its tickets is waited for. If it
-- lives, they will ask again.
local function dropAll(instance)
  local entries = redis.call('LRANGE', queueKey, 0, -1)
  for i = 1, #entries do
    if string.sub(entries[i], 1, #instance + 1) == instance .. ':' then
      redis.call('LREM', queueKey, 0, entries[i])
    end
  end
end

-- Tells a ticket of its grant; one without a TTL has passed: who still waits asks again,
-- and a JVM that does not know the ticket gives it back. Answers how many heard it: the
-- inboxes of this server or none, since an inbox that a demoted master has kept would hear
-- it from the replication, uncounted here, after the lock has gone to another.
local function tell(token, first, last, ttl)
  local channel = string.match(lockKey, '^([^{]*)lock:{') .. 'inbox:' .. string.match(token, '^(.*):')
  local message = table.concat({ token, exact(first), exact(last), exact(ttl), now, lockKey }, '|')
  redis.set_repl(redis.REPL_NONE)
  local receivers = redis.call('PUBLISH', channel, message)
  redis.set_repl(redis.REPL_ALL)
  return receivers
end
