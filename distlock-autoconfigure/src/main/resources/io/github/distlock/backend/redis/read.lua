-- Reads a key for one of several locks. A key of another type is the lock of no ticket: answers
-- false and true. It must not end the script for the other locks.
local function read(...)
  local value = redis.pcall(...)
  if type(value) ~= 'table' then
    return value, false
  end
  if string.find(value.err, 'WRONGTYPE', 1, true) then
    return false, true
  end
  return redis.call(...), false
end
