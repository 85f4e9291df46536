-- ARGV: a cursor, the pattern of the names of locks, the id of an instance
-- One step of a search for the claims of an instance.
-- Answers {the next cursor, names of locks}
local step = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', '500')
local answer, claim = { step[1] }, '+' .. ARGV[3] .. ':'
for i = 1, #step[2] do
  local word = redis.pcall('GET', step[2][i])
  if type(word) == 'string' and string.sub(word, 1, #claim) == claim then
    answer[#answer + 1] = step[2][i]
  end
end
return answer
