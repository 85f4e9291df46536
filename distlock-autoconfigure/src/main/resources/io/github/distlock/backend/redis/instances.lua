-- KEYS: instances
-- Answers lines 'expiry in ms, entry' of the entries that have not expired, see announce.lua
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local entries = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. string.format('%.0f', now), '+inf', 'WITHSCORES')
local lines = {}
for i = 1, #entries, 2 do
  lines[#lines + 1] = entries[i + 1] .. ',' .. entries[i]
end
return table.concat(lines, '\n')
