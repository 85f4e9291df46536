-- KEYS: a lock and a queue that nobody else uses
-- ARGV: our own inbox channel, what to publish there
-- Runs each command that the other scripts use.
-- Answers lines 'command: error', none if all is well.
local lockKey, queueKey = KEYS[1], KEYS[2]
local refused = {}
local function try(command, ...)
  local answer = redis.pcall(command, ...)
  if type(answer) == 'table' and answer.err then
    refused[#refused + 1] = command .. ': ' .. answer.err
  end
end
try('TIME')
try('PSETEX', lockKey, '1000', 'rights')
try('GET', lockKey)
try('SETRANGE', lockKey, 0, '+')
try('PTTL', lockKey)
try('PEXPIRE', lockKey, '1000')
try('LPUSH', queueKey, 'a')
try('RPUSH', queueKey, 'b')
try('LSET', queueKey, 0, 'a')
try('LINDEX', queueKey, 0)
try('LLEN', queueKey)
try('LPOS', queueKey, 'a')
try('LRANGE', queueKey, 0, -1)
try('LREM', queueKey, 0, 'b')
try('LPOP', queueKey)
try('DEL', lockKey)
try('PUBLISH', ARGV[1], ARGV[2])
return table.concat(refused, '\n')
