-- Signals the longest waiting ticket whose JVM receives the message that the lock is free
-- here. It is not granted the lock, since one node cannot grant it.
local function wakeNext()
  local ticket = redis.call('LPOP', queueKey)
  local time = ticket and redis.call('TIME')
  local now = time and time[1] .. string.sub('00000' .. time[2], -6)
  while ticket do
    local channel = string.match(lockKey, '^([^{]*)lock:{') .. 'inbox:' .. string.match(ticket, '^(.*):')
    if redis.call('PUBLISH', channel, ticket .. '|0|0|0|' .. now .. '|' .. lockKey) > 0 then
      return 1
    end
    ticket = redis.call('LPOP', queueKey)
  end
  return 0
end
