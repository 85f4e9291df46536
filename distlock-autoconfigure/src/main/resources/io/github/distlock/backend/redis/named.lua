-- Runs a script. If the last argument begins with a character before ')', it is the name of this
-- command, and the answer ends with it: so a client detects the answer of another command.
local name = string.byte(ARGV[#ARGV] or ')') < 41 and table.remove(ARGV) or ''
local function run()
-- script
end
return run() .. name
