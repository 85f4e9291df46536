-- Reads and raises the floor, see quorum.lua. Needs the number now, in microseconds.
-- Doubles are exact for microseconds until the year 2255, but tostring rounds them.
local function exact(number)
  return string.format('%.0f', number)
end

local function readFloor()
  return tonumber(redis.call('GET', floorKey) or '0')
end

local function raiseFloor(token)
  if token > readFloor() then
    redis.call('SET', floorKey, exact(token), 'PX', exact(math.max(0, token - now) / 1000 + 10000))
  end
end
