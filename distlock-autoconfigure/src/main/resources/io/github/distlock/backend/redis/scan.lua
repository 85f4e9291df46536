-- ARGV: a cursor, a pattern, how many keys to look at
-- Answers {the next cursor, the keys that match}
return redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3])
