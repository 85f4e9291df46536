-- KEYS: locks
-- ARGV: for each lock its value without the first byte: token|count|first; and the new lease
--       in ms
-- Answers a digit for each lock: 1 renewed, 0 gone, 2 gone and held by another ticket,
-- or the key has another type
-- The value contains the first fencing token, so that a copy that arrives late does not extend
-- a later grant of the same ticket. A TTL is never shortened: several holders may follow each
-- other under one grant, and the renewal of one may arrive after the longer one of the next.
-- include: first-bytes.lua
-- include: read.lua
local answers = {}
for i = 1, #KEYS do
  local value, otherType = read('GET', KEYS[i])
  if value and string.sub(value, 2) == ARGV[i * 2 - 1] then
    answers[i] = 1
    if redis.call('PTTL', KEYS[i]) < tonumber(ARGV[i * 2]) then
      answers[i] = redis.call('PEXPIRE', KEYS[i], ARGV[i * 2])
    end
  else
    local owner = string.match(ARGV[i * 2 - 1], '^[^|]*|')
    local others = value and string.byte(value) ~= TOMBSTONE and string.sub(value, 2, #owner + 1) ~= owner
    answers[i] = (others or otherType) and 2 or 0
  end
end
return table.concat(answers)
