-- First bytes of the lock's value ('-', '*', '~' and '|', see base.lua), and of the members of the
-- queue that are no tickets: a claim ('!'), notes ('#' and '@', see values.lua). To compare a
-- byte is faster than to compare strings.
local OWNED, POLLED, READERS, TOMBSTONE, CLAIM, NOTE, SEEN = 45, 42, 126, 124, 33, 35, 64
-- The mark of a counted ticket, 'T', see attempt.lua.
local COUNTED = 84
