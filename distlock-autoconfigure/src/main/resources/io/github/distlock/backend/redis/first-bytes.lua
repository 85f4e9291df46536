-- First bytes of the lock's word ('-', '~' and '|', see base.lua) and of a claim in the
-- queue ('!', see words.lua). To compare a byte is faster than to compare strings.
local OWNED, READERS, TOMBSTONE, CLAIM = 45, 126, 124, 33
