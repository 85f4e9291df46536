-- KEYS: lock, queue, and for readers and writers: readers
-- ARGV: token, last used fencing token, and if somebody comes next: its token, its lease
--       in ms, how it is queued and tokens per grant, as in an attempt
--       A next that is a reader keeps the lock, ahead of all who wait.
-- Answers 'gone'
--         'gone, first token, TTL': not held, but the next holds it as a reader, since
--         this was sent before
--         'ok': released
--         'granted, first token, TTL': released, and granted to the next
--         'waiting, position in the queue, TTL of the holder, now, 1': released, the next
--         waits
--         'unqueued': released, the next was not queued
--         and each after a '+' if readers are still to be let in, see admit.lua
local token, used, next = ARGV[1], ARGV[2], ARGV[3]

local word = redis.call('GET', KEYS[1])
if not word or string.byte(word) ~= 126 and string.sub(word, 2, #token + 2) ~= token .. '|' then
  return 'gone'
end
if string.byte(word) == 45 and not next and #used == 16 and string.sub(word, -16) <= used then
  -- What the grant covered and nobody used is given back.
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
return answer('waiting', position, ttl, now, 1)
