-- KEYS: lock, queue, and for readers and writers: readers
-- ARGV: token, lease in ms, how to be queued and tokens per grant in one: T = the counts
--       of PUBLISH can be trusted, S = by when it was last seen, N = not at all. A reader
--       has one token and gives no number.
-- Answers 'first token': granted, for the whole lease
--         and after a '+' if readers are still to be let in, see admit.lua:
--         'granted, first token, TTL': granted before, or by being the first in the queue
--         'waiting, position in the queue, TTL of the holder, of several the shortest, now,
--         1 if queued only now'
--         'busy, TTL of the holder'
-- include: base.lua
local token, lease, count = ARGV[1], ARGV[2], string.sub(ARGV[3], 2)

local word = redis.call('GET', lockKey)
local queue = not word and redis.call('ZRANGE', queueKey, 0, 0)[1]
-- A tombstone of the past. Only its digits are compared: Lua collates strings by the
-- server's locale, in which punctuation may count less than digits.
if not queue and (not word or string.byte(word) == 124 and #word == #now + 1 and string.sub(word, 2) < now) then
  if count == '' then
    -- A server without memory would refuse the others as the first write.
    redis.call('DEL', KEYS[3])
    redis.call('ZADD', KEYS[3], string.format('%.0f', string.sub(now, 1, -4) + lease), token, now, '#' .. token)
    redis.call('PEXPIRE', KEYS[3], lease)
    redis.call('PSETEX', lockKey, lease, '~' .. now)
    return now
  end
  local owned = '-' .. token .. '|' .. count .. '|' .. now
  if redis.pcall('PSETEX', lockKey, lease, owned).err then
    -- A server without memory refuses it as the first write, but not as the second.
    redis.call('DEL', lockKey)
    redis.call('PSETEX', lockKey, lease, owned)
  end
  return now
end
-- include: grant.lua

local mark, reader = string.sub(ARGV[3], 1, 1), count == ''
if reader then
  count = '1'
end

local owner, first, last = read(word)
if owner == token then
  -- Never refreshed: a stray copy must not lengthen anything.
  return answer('granted', exact(first), redis.call('PTTL', lockKey))
end
if owner == '' then
  local ttl
  owner, first, ttl = grantNext(last, token, lease, not word)
  if owner == '' and reader then
    redis.call('DEL', readersKey())
    owner = '~'
  elseif owner == '' then
    first = nextToken(first)
    own(token, count, first, lease)
    owner, ttl = token, lease
  end
  if owner == token then
    return answer('granted', exact(first), ttl)
  end
  last = first
end
-- Whether we are one of the readers now, with which we enter unless a ticket waits.
local function holds(again)
  local mine, left = reading(token)
  if not mine then
    local lives
    lives, last = (again and passOver or admitHead)(last, token, lease)
    if not lives then
      -- The last reader has ended in this moment, and none of the next is alive.
      owner, last = grantNext(last, token, lease)
      if owner == '' then
        redis.call('DEL', readersKey())
        owner = '~'
      end
    end
    mine, left = reading(token)
  end
  if not mine and owner == '~' and not head() then
    mine, left = enter(token, lease, last), lease
    settle(mine)
  end
  return mine and answer('granted', exact(mine), left)
end
local granted = reader and owner == '~' and holds(false)
if granted then
  return granted
end
if mark == 'N' then
  return answer('busy', redis.call('PTTL', lockKey))
end
local position, new = enqueue(token, lease, count, mark)
if new == 1 and word and string.byte(word) == 45 then
  redis.call('SETRANGE', lockKey, 0, '+')
end
if reader and owner == '~' and new == 0 and not more then
  granted = holds(true)
  if granted then
    return granted
  end
end
-- Of a dead reader the others know nothing: the next ticket asks when its lease ends.
return answer('waiting', position, (owner == '~') and shortest() or redis.call('PTTL', lockKey), now, new)
