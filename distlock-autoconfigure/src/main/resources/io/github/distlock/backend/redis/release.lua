-- KEYS: lock, queue, and for readers and writers: readers
-- ARGV: token, last used fencing token, and if a ticket follows: its token, its lease in ms,
--       and how to queue it with the tokens per grant, as in attempt.lua
--       A reader that follows a writer gets the lock ahead of all waiting tickets.
-- Answers 'gone': not held
--         'gone, first token, TTL': not held, but the following ticket holds the lock as a
--         reader, since this command was executed before
--         'ok': released
--         'granted, first token, TTL': released, and granted to the following ticket
--         'waiting, position in the queue, TTL of the holder, now, 1, ticket that holds the
--         lock, its first token': released, and the following ticket is queued
--         'unqueued': released, and the following ticket is not queued
--         each after a '+' if more readers are to be let in, see admit.lua
-- include: first-bytes.lua
local token, used, next = ARGV[1], ARGV[2], ARGV[3]

local word = redis.call('GET', KEYS[1])
if not word or string.byte(word) ~= READERS and string.sub(word, 2, #token + 2) ~= token .. '|' then
  return 'gone'
end
if string.byte(word) == OWNED and not next and #used == 16 and string.sub(word, -16) <= used then
  -- The tombstone has the last used token: the unused ones of the grant are given back.
  if redis.pcall('PSETEX', KEYS[1], '10000', '|' .. used).err then
    -- A server without memory refuses it as the first write, but not as the second.
    redis.call('DEL', KEYS[1])
    redis.call('PSETEX', KEYS[1], '10000', '|' .. used)
  end
  return 'ok'
end
-- include: base.lua
-- include: grant.lua

local owner, begun, last = read(word)
if owner == '~' then
  if leave(token, last) then
    return answer('ok')
  end
  forget(token)
  local first, left = reading(next or '')
  if first then
    return answer('gone', exact(first), left)
  end
  return answer('gone')
end
if tonumber(used) >= begun then
  last = math.min(last, used)
end
local lease, how = ARGV[4], ARGV[5]
local first, ttl
if next and isReader(next) then
  redis.call('DEL', readersKey())
  first = enter(next, lease, last)
  settle(first)
  admitHead(first)
  return answer('granted', exact(first), lease)
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
