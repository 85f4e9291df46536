-- KEYS: lock, queue, and for readers and writers: readers
-- ARGV: token, lease in ms, and in one argument how to queue the ticket and the tokens per
--       grant. T = the receivers that PUBLISH counts can be trusted, S = the ticket counts
--       as alive by the time at which its instance was last seen, N = do not queue it. P, Q =
--       queue it as one that polls, if it may have a place: see mayPoll() in values.lua.
--       Readers have one token and send no number.
-- Answers 'first token': granted, for the whole lease
--         and the following, after a '+' if more readers are to be let in, see admit.lua:
--         'granted, first token, TTL': granted before, or as the first in the queue
--         'waiting, 0 if it is the first in the queue and more if not, TTL of the holder (the
--         shortest of several), now, 1 if queued only now'; for the first in the queue -1 if the
--         holder polls, and so may not be able to publish at its release
--         'busy, TTL of the holder (of several the longest, for a reader the shortest)'
--         the last two end with a ticket that holds the lock, and its first token, if known
-- include: first-bytes.lua
-- include: base.lua
local token, lease, count = ARGV[1], ARGV[2], string.sub(ARGV[3], 2)
local reader = count == ''
count = reader and '1' or count

local value = redis.call('GET', lockKey)
local queue = not value and redis.call('ZRANGE', queueKey, 0, 0)[1]
-- Free, or a tombstone whose token the clock has passed. Only digits are compared: Lua
-- collates strings by the server's locale, in which punctuation may count less than digits.
if not queue and (not value or string.byte(value) == TOMBSTONE and #value == #now + 1 and string.sub(value, 2) < now) then
  local owned = '-' .. token .. '|' .. count .. '|' .. now
  if redis.pcall('PSETEX', lockKey, lease, owned).err then
    -- A server without memory refuses it as the first write, but not as the second.
    redis.call('DEL', lockKey)
    redis.call('PSETEX', lockKey, lease, owned)
  end
  return now
end
-- include: append.lua
local mark = string.sub(ARGV[3], 1, 1)
-- Another exclusive ticket holds the lock, and this one is exclusive, too: then nothing is
-- granted, whatever waits, and a new ticket is queued behind all others.
local kind = value and string.byte(value)
if kind and kind ~= TOMBSTONE and kind ~= READERS and kind ~= POLLED and not reader and string.sub(value, 2, #token + 2) ~= token .. '|' then
  local owner, first = string.sub(value, 2, string.find(value, '|', 2, true) - 1), string.sub(value, -#now)
  if mark == 'N' then
    return 'busy,' .. redis.call('PTTL', lockKey) .. ',' .. owner .. ',' .. first
  end
  local position = mark == 'T' and append(token, lease, count)
  if position then
    if kind == OWNED then
      redis.call('SETRANGE', lockKey, '0', '+')
    end
    return 'waiting,' .. position .. ',' .. redis.call('PTTL', lockKey) .. ',' .. now .. ',1,' .. owner .. ',' .. first
  end
end
-- Included only here: the frequent cases above need none of these functions, and to create
-- them takes longer than the cases themselves.
-- include: grant.lua

local polls = mark == 'P' or mark == 'Q'
local owner, first, last = read(value)
if owner == token then
  local left = redis.call('PTTL', lockKey)
  -- Otherwise never refreshed: a stray copy must not lengthen anything.
  if polls and kind == POLLED and left <= POLL_GRACE_MILLIS then
    redis.call('PEXPIRE', lockKey, lease)
    left = lease
  end
  return answer('granted', exact(first), left)
end
if reader and isReader(owner) then
  share(owner, first)
  owner = '~'
end
if owner == '' then
  local ttl
  owner, first, ttl = grantNext(last, token, lease, not value)
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
-- Lets the ticket enter with the readers that hold the lock, unless another ticket waits.
-- Answers the reply if the ticket holds the lock now. With `again`, the ticket at the head of
-- the queue is checked for being alive.
local function holds(again)
  local mine, left = reading(token)
  if not mine then
    local lives
    lives, last = (again and passOver or admitHead)(last, token, lease)
    if not lives then
      -- The lease of the last reader has just ended, and none of the next readers is alive.
      owner, last = grantNext(last, token, lease)
      first = last
      if owner == '' then
        redis.call('DEL', readersKey())
        owner = '~'
      end
    end
    mine, left = reading(token)
  end
  if not mine and owner == '~' and not head() and mayEnter(token) then
    mine, left = enter(token, lease, last), lease
    settle(mine)
  end
  if mine and polls and tonumber(left) <= POLL_GRACE_MILLIS then
    redis.call('ZADD', readersKey(), exact(nowMillis + lease), token)
    settle(last)
    left = lease
  end
  return mine and answer('granted', exact(mine), left)
end
local granted = reader and owner == '~' and holds(false)
if granted then
  return granted
end
local position, new
if mark ~= 'N' then
  position, new = enqueue(token, lease, count, mark)
end
if not position then
  local soonest, left
  if owner == '~' then
    soonest, left = shortest()
  end
  return answer('busy', reader and left or redis.call('PTTL', lockKey), named(owner, first, soonest))
end
if position == 0 and kind == POLLED then
  position = -1
end
if owner ~= '~' and value and string.byte(value) == OWNED then
  redis.call('SETRANGE', lockKey, 0, '+')
end
if reader and owner == '~' and new == 0 and not more then
  granted = holds(true)
  if granted then
    return granted
  end
end
-- The shortest lease: no message tells of the end of a dead reader, so the next ticket asks
-- when that lease ends.
local soonest, left
if owner == '~' then
  soonest, left = shortest()
else
  left = redis.call('PTTL', lockKey)
end
return answer('waiting', position, left, now, new, named(owner, first, soonest))
