-- KEYS: locks
-- ARGV: for each lock its token, the last token of its grant, the new lease in ms
-- Answers for each lock 1 renewed, 0 gone. The grant is named by its last token too, so
-- that a copy that arrives late lifts no later grant of the same ticket.
local answers = {}
for i = 1, #KEYS do
  local base = (i - 1) * 3
  local word = redis.call('GET', KEYS[i])
  if word and string.sub(word, 2) == ARGV[base + 1] .. '|' .. ARGV[base + 2] then
    answers[i] = redis.call('PEXPIRE', KEYS[i], ARGV[base + 3])
  else
    answers[i] = 0
  end
end
return answers
