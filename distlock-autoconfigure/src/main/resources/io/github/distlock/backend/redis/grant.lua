-- Handing the lock to those who wait; included after base.lua.
-- include: words.lua
-- include: readers.lua

-- Gives the lock to the longest waiting ticket that is alive, beginning with `entry`,
-- which has been popped. If that is `asker`, its lease is `askerLease` and no message is
-- sent: the reply tells it. Otherwise the lease is short, until the new owner has
-- confirmed. `abandoned` means that the lock has expired instead of being released.
-- Answers owner ('' if nobody waits, '~' if readers were let in), its first token (without
-- an owner of its own the last token ever given), and TTL. The pop comes first: it is what
-- a server without memory lets pass; publishes last, when the owner has been written.
local function grantNext(entry, last, asker, askerLease, abandoned)
  if entry and isClaim(entry) then
    local instance = string.sub(entry, 2)
    if abandoned and string.match(asker, '^(.*):') ~= instance then
      dropAll(instance)
    end
    entry = redis.call('LPOP', queueKey)
  end
  while entry do
    local token, grace, count, counted, gone = place(entry)
    if isReader(token) then
      if type(redis.pcall('DEL', readersKey())) == 'table' then
        -- Not to be had, as while the slot moves: nobody loses his place by that.
        redis.call('LPUSH', queueKey, entry)
        redis.call('DEL', readersKey())
      end
      local lives, given = admit(entry, last, asker, askerLease)
      if lives then
        return '~', given, redis.call('PTTL', lockKey)
      end
    elseif not gone then
      -- Of these tokens one whom nobody hears uses none: they must not run ahead of the
      -- clock, by which the tokens go on after a lock has expired.
      local first = nextToken(last)
      if token == asker then
        own(token, count, first, askerLease)
        return token, first, askerLease
      end
      own(token, count, first, grace)
      if tell(token, first, first + count - 1, grace) > 0 or not counted then
        if string.find(token, ':F', 1, true) and redis.call('LLEN', queueKey) > 0 then
          redis.call('LPUSH', queueKey, '!' .. string.match(token, '^(.*):'))
        end
        return token, first, grace
      end
    end
    entry = redis.call('LPOP', queueKey)
  end
  return '', last, 0
end

-- The lock is given back.
local function pass(last)
  local owner, final = grantNext(redis.call('LPOP', queueKey), last)
  if owner == '' then
    bury(final)
  end
end

-- A reader leaves, and the last one passes the lock on. Answers whether it held the lock.
local function leave(token, last)
  local held = reading(token)
  if redis.call('ZREM', readersKey(), token, '#' .. token) > 0 and not settle(last) then
    pass(last)
  end
  return held ~= nil
end

-- Takes a ticket out of the queue, where readers may have waited behind it: they enter if
-- readers hold the lock now, whoever held it when the script began. Answers whether the
-- ticket was there.
local function forget(token)
  local mine = token .. '|'
  local entries = redis.call('LRANGE', queueKey, 0, -1)
  for i = 1, #entries do
    if string.sub(entries[i], 1, #mine) == mine then
      redis.call('LREM', queueKey, 0, entries[i])
      local owner, _, last = read(redis.call('GET', lockKey))
      if owner == '~' then
        admitHead(last)
      end
      return true
    end
  end
  return false
end
