-- KEYS: for each lock: lock, readers
-- ARGV: the id of an instance
-- Answers a list: for each grant that this instance holds 'number of the lock,first token'
-- include: first-bytes.lua
local instance, grants = ARGV[1] .. ':', {}
for i = 1, #KEYS / 2 do
  local word = redis.call('GET', KEYS[i * 2 - 1])
  if word and string.byte(word) == READERS then
    -- The scores of '#token' are fencing tokens, above all times.
    local tokens = redis.call('ZRANGEBYSCORE', KEYS[i * 2], '1e14', '+inf', 'WITHSCORES')
    for j = 1, #tokens, 2 do
      if string.sub(tokens[j], 2, #instance + 1) == instance then
        grants[#grants + 1] = (i - 1) .. ',' .. string.format('%.0f', tokens[j + 1])
      end
    end
  elseif word and string.byte(word) ~= TOMBSTONE and string.sub(word, 2, #instance + 1) == instance then
    grants[#grants + 1] = (i - 1) .. ',' .. string.match(word, '(%d+)$')
  end
end
return grants
