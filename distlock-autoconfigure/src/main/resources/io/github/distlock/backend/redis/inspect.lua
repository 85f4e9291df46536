-- KEYS: lock, queue, readers
-- Writes nothing.
-- Answers lines: for each holder 'token,first token,what is left of its lease in ms', then
--         for each waiting ticket its token, in their order; 1000 of each at most
-- include: first-bytes.lua
-- include: base.lua
-- include: values.lua
-- include: readers.lua
local lines = {}
local owner, first = read(redis.call('GET', lockKey))
if owner == '~' then
  local readers = redis.call('ZRANGEBYSCORE', readersKey(), '(' .. exact(nowMillis), ABOVE_ALL_TIMES, 'LIMIT', 0, 1000)
  for i = 1, #readers do
    local given, left = reading(readers[i])
    lines[#lines + 1] = table.concat({ readers[i], exact(given), exact(left) }, ',')
  end
elseif owner ~= '' then
  lines[1] = table.concat({ owner, exact(first), redis.call('PTTL', lockKey) }, ',')
end
-- From place 1 on: before it there may be a claim.
local waiting = redis.call('ZRANGEBYSCORE', queueKey, '1', '(' .. exact(NOTES), 'LIMIT', 0, 1000)
for i = 1, #waiting do
  lines[#lines + 1] = waiting[i]
end
return table.concat(lines, '\n')
