-- KEYS: instances
-- ARGV: the entry of an instance
-- Answers 1 if it was there
return redis.call('ZREM', KEYS[1], ARGV[1])
