-- KEYS: a lock, a queue and readers that no lock uses
-- ARGV: the channel of the inbox of this JVM, a text to publish there
-- Runs each command that the other scripts use.
-- Answers lines 'command: error', none if the user may run all of them
local lockKey, queueKey, readersKey = KEYS[1], KEYS[2], KEYS[3]
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
try('ZADD', queueKey, '1', 'a')
try('PEXPIRE', queueKey, '1000')
try('ZRANGE', queueKey, 0, 0)
try('ZRANK', queueKey, 'a')
try('ZREM', queueKey, 'a')
try('ZADD', readersKey, '1', 'a')
try('PEXPIRE', readersKey, '1000')
try('ZSCORE', readersKey, 'a')
try('ZRANGEBYSCORE', readersKey, '-inf', '0')
try('ZCOUNT', readersKey, '-inf', '0')
try('ZREVRANGEBYSCORE', readersKey, '1', '-inf')
try('ZREM', readersKey, 'a')
try('DEL', lockKey)
try('PUBLISH', ARGV[1], ARGV[2])
return table.concat(refused, '\n')
