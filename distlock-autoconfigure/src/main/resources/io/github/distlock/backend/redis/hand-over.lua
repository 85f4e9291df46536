-- First letters of the number in a token, see base.lua.
local FAIR, READ, LIMIT = 70, 82, 48

-- Grants the lock to the longest waiting ticket, as grantNext() in grant.lua does, if that
-- ticket is exclusive, counted and not `requester`, and its JVM receives the message. Its first
-- token is `now`, so the clock must have passed the last token that was used. Answers its name
-- and its TTL; '' if no ticket waits; and nil if grantNext() has to find the next ticket. The
-- one that was tried then is no longer queued, and what the lock says means nothing.
-- `usual` is the count that most tickets have. Included after base.lua.
local function handOver(usual, requester)
  local claim, after
  local head = redis.call('ZRANGE', queueKey, '0', '0')[1]
  local kind = head and string.byte(head) or SEEN
  if kind == SEEN then
    return ''
  end
  if kind == CLAIM then
    claim = head
    head, after = unpack(redis.call('ZRANGE', queueKey, '1', '2'))
  end
  -- Without a head, the tickets behind the claim have left.
  local note = head and redis.call('ZSCORE', queueKey, '#' .. head)
  if not note or head == requester then
    return nil
  end
  note = note - 1e12
  -- The last one: there may be others in the name of the instance.
  local colon = string.find(head, ':[^:]*$')
  local letter, second = string.byte(head, colon + 1, colon + 2)
  if note % 2 == 0 or letter == READ or letter == FAIR and (second == READ or second == LIMIT) then
    return nil
  end
  local count, grace = usual, '5000'
  if note ~= count * 20000 + 10001 then
    count = string.format('%d', (note - note % 20000) / 20000)
    grace = string.format('%d', (note % 20000 - 1) / 2)
  end
  -- First: a server without memory accepts only the removal as the first write.
  if claim then
    redis.call('ZREM', queueKey, head, '#' .. head, claim)
  else
    redis.call('ZREM', queueKey, head, '#' .. head)
  end
  redis.call('PSETEX', lockKey, grace, '+' .. head .. '|' .. count .. '|' .. now)
  local instance = string.sub(head, 1, colon - 1)
  local channel = string.sub(lockKey, 1, string.find(lockKey, 'lock:{', 1, true) - 1) .. 'inbox:' .. instance
  local micros = time[2] + count - 1
  local last = (micros < 1e6) and time[1] .. string.format('%06d', micros) or string.format('%.0f', now + count - 1)
  -- Not replicated, as in publish() in values.lua.
  redis.set_repl(redis.REPL_NONE)
  local receivers = redis.pcall('PUBLISH', channel,
    head .. '|' .. now .. '|' .. last .. '|' .. grace .. '|' .. now .. '|' .. lockKey)
  redis.set_repl(redis.REPL_ALL)
  if receivers == 0 then
    return nil
  end
  if letter == FAIR then
    after = after or redis.call('ZRANGE', queueKey, '0', '0')[1]
    if after and string.byte(after) ~= NOTE and string.byte(after) ~= SEEN then
      redis.call('ZADD', queueKey, '0', '!' .. instance)
    end
  end
  return head, grace
end
