-- Functions that pass the lock on to waiting tickets. Included after base.lua.
-- include: values.lua
-- include: readers.lua

-- Grants the lock to the longest waiting ticket that is alive. If that is `requester`, its lease
-- is `requesterLease` and no message is sent, since the reply contains the grant. Otherwise the lease is
-- short, until the new owner has confirmed. `abandoned` means that the lock has expired
-- instead of being released. Answers the owner ('' if no ticket waits, '~' if readers were
-- let in), its first token (without an owner the last token ever given), and the TTL.
-- Removes the ticket from the queue first, since a server without memory accepts only that
-- as the first write, and publishes last, when the owner has been written.
local function grantNext(last, requester, requesterLease, abandoned)
  local token = head()
  if token and isClaim(token) then
    local instance = string.sub(token, 2)
    remove(token)
    if abandoned and instanceOf(requester) ~= instance then
      dropAll(instance)
    end
    token = head()
  end
  while token do
    if isReader(token) then
      -- First: if this is refused, as while the slot moves, no reader has lost its place.
      redis.call('DEL', readersKey())
      local lives, given = admit(last, requester, requesterLease)
      if lives then
        return '~', given, redis.call('PTTL', lockKey)
      end
    else
      local grace, count, counted, gone, polls = noted(token)
      remove(token)
      -- A ticket that no JVM hears of uses no token: tokens must not run ahead of the clock,
      -- from which they continue after a lock has expired.
      local first = nextToken(last)
      if token == requester and not gone then
        own(token, count, first, requesterLease, polls)
        return token, first, requesterLease
      end
      if not gone then
        own(token, count, first, grace, polls)
        if publishGrant(token, first, first + count - 1, grace) ~= 0 or not counted then
          if polls then
            alertNext()
          end
          if string.find(token, ':F', 1, true) and head() then
            redis.call('ZADD', queueKey, '0', '!' .. instanceOf(token))
          end
          return token, first, grace
        end
      end
    end
    token = head()
  end
  return '', last, 0
end

-- Passes on a lock that was released.
local function pass(last)
  local owner, final = grantNext(last)
  if owner == '' then
    bury(final)
  end
end

-- Lets waiting readers join those that hold the lock. If the lease of the last reader has
-- just ended, and no other reader is alive, the lock is passed on.
local function join(last)
  local lives, given = admitHead(last)
  if not lives then
    pass(given)
  end
end

-- Must follow when a reader has left: lets in those that may enter now; the last reader
-- passes the lock on.
local function succeed(last)
  if settle(last) then
    join(last)
  else
    pass(last)
  end
end

-- Releases the lock of a reader. Answers whether it held the lock.
local function leave(token, last)
  local held = reading(token)
  if redis.call('ZREM', readersKey(), token, '#' .. token) > 0 then
    succeed(last)
  end
  return held ~= nil
end

-- Removes a ticket from the queue. Readers that waited behind it enter if readers hold the
-- lock now, whichever ticket held it when the script began. Answers whether the ticket was
-- there.
local function forget(token)
  if not remove(token) then
    return false
  end
  local owner, _, last = read(redis.call('GET', lockKey))
  if owner == '~' then
    join(last)
  end
  return true
end
