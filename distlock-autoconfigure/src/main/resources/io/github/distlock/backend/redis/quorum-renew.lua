-- KEYS: locks
-- ARGV: for each lock its claim and the new lease in ms
-- Answers for each lock '1' renewed, '0' gone, separated by commas. A TTL is never shortened.
-- include: read.lua
local answers = {}
for i = 1, #KEYS do
  local value, claim = read('GET', KEYS[i]), ARGV[i * 2 - 1]
  if value and string.sub(value, 1, #claim + 2) == '+' .. claim .. '|' then
    answers[i] = 1
    if redis.call('PTTL', KEYS[i]) < tonumber(ARGV[i * 2]) then
      answers[i] = redis.call('PEXPIRE', KEYS[i], ARGV[i * 2])
    end
  else
    answers[i] = 0
  end
end
return table.concat(answers, ',')
