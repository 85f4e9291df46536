-- Handing the lock to those who wait; included after base.lua.

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

-- Who owns the lock, and the first and last token of its grant. Without an owner the last
-- token ever given is the last one.
local function read(word)
  if not word then
    return '', 0, 0
  end
  local owner, count, first = string.match(word, '^[-+](.*)|(%d+)|(%d+)$')
  if not owner then
    local last = tonumber(string.sub(word, 2))
    return '', last, last
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

-- Heard by the inboxes of this server or by none: an inbox that a demoted master has kept
-- would hear it from the replication, uncounted here, after the lock has gone to another.
local function tell(instance, message)
  local channel = string.match(lockKey, '^([^{]*)lock:{') .. 'inbox:' .. instance
  redis.set_repl(redis.REPL_NONE)
  local receivers = redis.call('PUBLISH', channel, message)
  redis.set_repl(redis.REPL_ALL)
  return receivers
end

-- Gives the lock to the longest waiting ticket that is alive, beginning with `entry`,
-- which has been popped. If that is `asker`, its lease is `askerLease` and no message is
-- sent: the reply tells it. Otherwise the lease is short, until the new owner has
-- confirmed. `abandoned` means that the lock has expired instead of being released.
-- Answers owner ('' if nobody waits), its first token (without an owner, the last token
-- ever given), and TTL. The pop comes first: it is what a server without
-- memory lets pass; publishes last, when the owner has been written.
local function grantNext(entry, last, asker, askerLease, abandoned)
  if entry and isClaim(entry) then
    local instance = string.sub(entry, 2)
    if abandoned and string.match(asker, '^(.*):') ~= instance then
      dropAll(instance)
    end
    entry = redis.call('LPOP', queueKey)
  end
  while entry do
    local token, grace, count, mark = string.match(entry, '^([^|]*)|(%d+)|(%d+)|(.*)$')
    grace = tonumber(grace)
    -- Three safety intervals, of at most half a grace each.
    local gone = mark ~= 'T' and tonumber(mark) + grace * 1.5 < nowMillis
    if not gone then
      -- Of these tokens one whom nobody hears uses none: they must not run ahead of the
      -- clock, by which the tokens go on after a lock has expired.
      local first = nextToken(last)
      if token == asker then
        own(token, count, first, askerLease)
        return token, first, askerLease
      end
      own(token, count, first, grace)
      local instance = string.match(token, '^(.*):')
      local message = table.concat({ token, exact(first), exact(first + count - 1), grace, now, lockKey }, '|')
      if tell(instance, message) > 0 or mark ~= 'T' then
        if string.find(token, ':F', 1, true) and redis.call('LLEN', queueKey) > 0 then
          redis.call('LPUSH', queueKey, '!' .. instance)
        end
        return token, first, grace
      end
    end
    entry = redis.call('LPOP', queueKey)
  end
  return '', last, 0
end
