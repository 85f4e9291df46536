-- KEYS: lock, queue, and for readers and writers: readers
-- ARGV: token, lease in ms, how to be queued and tokens per grant in one: T = the counts
--       of PUBLISH can be trusted, S = by when it was last seen, N = not at all. A reader
--       has one token and gives no number.
-- Answers 'first token': granted, for the whole lease
--         'granted, first token, TTL': granted before, or by being the first in the queue
--         'waiting, position in the queue, TTL of the holder, of several the shortest, now,
--         1 if queued only now'
--         'busy, TTL of the holder'
-- include: base.lua
local token, lease, count = ARGV[1], ARGV[2], string.sub(ARGV[3], 2)

local word = redis.call('GET', lockKey)
local entry
if not word then
  entry = redis.call('LPOP', queueKey)
end
-- A tombstone of the past. Only its digits are compared: Lua collates strings by the
-- server's locale, in which punctuation may count less than digits.
if not entry and (not word or string.byte(word) == 124 and #word == #now + 1 and string.sub(word, 2) < now) then
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

-- At most one entry of a ticket, in whichever form it was queued: a script may run twice.
-- Where entries live on being seen, one ticket of an instance speaks for all of them.
local function enqueue()
  local wanted = entryOf(token, lease, count, mark)
  local position = redis.call('LPOS', queueKey, wanted)
  if position then
    return position, 0
  end
  local mine, instance = token .. '|', string.match(token, '^(.*:)')
  local entries = redis.call('LRANGE', queueKey, 0, -1)
  for i = 1, #entries do
    local other = entries[i]
    if string.sub(other, 1, #mine) == mine then
      redis.call('LSET', queueKey, i - 1, wanted)
      position = i - 1
    elseif mark == 'S' and string.sub(other, 1, #instance) == instance and string.sub(other, -2) ~= '|T' then
      redis.call('LSET', queueKey, i - 1, string.match(other, '^(.*|)') .. exact(nowMillis))
    end
  end
  if position then
    return position, 0
  end
  position = redis.call('RPUSH', queueKey, wanted) - 1
  if word and string.byte(word) == 45 then
    redis.call('SETRANGE', lockKey, 0, '+')
  end
  return position, 1
end

local owner, first, last = read(word)
if owner == token then
  -- Never refreshed: a stray copy must not lengthen anything.
  return answer('granted', exact(first), redis.call('PTTL', lockKey))
end
if owner == '' then
  local ttl
  owner, first, ttl = grantNext(entry, last, token, lease, not word)
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
-- Whether we are one of the readers now, with whom we enter unless somebody waits.
local function holds(looksAgain)
  local mine, left = reading(token)
  if not mine then
    last = (looksAgain and passOver or admitHead)(last, token, lease)
    mine, left = reading(token)
  end
  if not mine and redis.call('LLEN', queueKey) == 0 then
    mine, left = enter(token, lease, last), lease
    settle(mine)
  end
  return mine and answer('granted', exact(mine), left)
end
local granted = reader and owner == '~' and holds(false)
if granted then
  return granted
end
local remaining = redis.call('PTTL', lockKey)
if mark == 'N' then
  return answer('busy', remaining)
end
local position, new = enqueue()
redis.call('PEXPIRE', queueKey, QUEUE_TTL_MILLIS)
if reader and owner == '~' and new == 0 then
  granted = holds(true)
  if granted then
    return granted
  end
end
if owner == '~' then
  -- Of a dead reader the others know nothing: whoever is next looks when its lease ends.
  remaining = shortest()
end
if position > 0 and isClaim(redis.call('LINDEX', queueKey, 0)) then
  position = position - 1
end
return answer('waiting', position, remaining, now, new)
