-- KEYS: lock, queue, and for readers and writers: readers
-- ARGV: token, last used fencing token, and if a ticket follows: its token, its lease in ms,
--       and how to queue it with the tokens per grant, as in attempt.lua. Readers have no
--       follower and are none.
-- Answers 'gone': not held
--         'ok': released
--         'granted, first token, TTL': released, and granted to the following ticket
--         'waiting, 0 if it is the first in the queue and more if not, TTL of the holder, now,
--         1, ticket that holds the lock, its first token': released, and the following ticket is
--         queued
--         'unqueued': released, and the following ticket is not queued
--         each after a '+' if more readers are to be let in, see admit.lua
-- include: first-bytes.lua
local token, used, next = ARGV[1], ARGV[2], ARGV[3]

local value = redis.call('GET', KEYS[1])
local kind = value and string.byte(value)
if not value or kind ~= READERS and string.sub(value, 2, #token + 2) ~= token .. '|' then
  return 'gone'
end
if kind == OWNED and not next and #used == 16 and string.sub(value, -16) <= used then
  -- The tombstone has the last used token: the unused ones of the grant are given back.
  if redis.pcall('PSETEX', KEYS[1], '10000', '|' .. used).err then
    -- A server without memory refuses it as the first write, but not as the second.
    redis.call('DEL', KEYS[1])
    redis.call('PSETEX', KEYS[1], '10000', '|' .. used)
  end
  return 'ok'
end
-- include: base.lua
-- include: append.lua
-- include: hand-over.lua
local lease, how = ARGV[4], ARGV[5]
local owner, first, ttl
-- The frequent case: an exclusive ticket is followed by an exclusive ticket or by none, it has
-- used a token of its own grant, and the clock has passed that token, so that the next one is
-- the clock's.
if kind ~= READERS and #used == #now and string.sub(value, -#used) <= used and used < now then
  owner, ttl = handOver(string.sub(value, #token + 3, -#used - 2), next)
  first = now
  if owner == '' then
    -- No ticket is in the queue, so the value may say so.
    ttl = next and lease or '10000'
    value = next and '-' .. next .. '|' .. string.sub(how, 2) .. '|' .. now or '|' .. used
    if redis.pcall('PSETEX', lockKey, ttl, value).err then
      redis.call('DEL', lockKey)
      redis.call('PSETEX', lockKey, ttl, value)
    end
    return next and 'granted,' .. now .. ',' .. ttl or 'ok'
  end
  if owner and not next then
    return 'ok'
  end
  local position = owner and string.byte(how) == COUNTED and append(next, lease, string.sub(how, 2))
  if position then
    return 'waiting,' .. position .. ',' .. ttl .. ',' .. now .. ',1,' .. owner .. ',' .. now
  end
end
-- Included only here: the frequent cases above need none of these functions, and to create
-- them takes longer than the cases themselves.
-- include: grant.lua

if not owner then
  local begun, last
  owner, begun, last = read(value)
  if owner == '~' then
    if leave(token, last) then
      return answer('ok')
    end
    forget(token)
    return answer('gone')
  end
  if tonumber(used) >= begun then
    last = math.min(last, used)
  end
  owner, first, ttl = grantNext(last, next, lease)
  if owner == '' then
    if not next then
      bury(first)
      return 'ok'
    end
    owner, first, ttl = next, nextToken(first), lease
    own(next, string.sub(how, 2), first, lease)
  end
end
if not next then
  return answer('ok')
end
if owner == next then
  return answer('granted', exact(first), ttl)
end
local mark = string.sub(how, 1, 1)
if mark == 'N' then
  return answer('unqueued')
end
local position = enqueue(next, lease, string.sub(how, 2), mark)
return answer('waiting', position, ttl, now, 1, named(owner, first, owner == '~' and shortest()))
