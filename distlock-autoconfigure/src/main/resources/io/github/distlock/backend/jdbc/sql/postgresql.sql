-- name: now
-- Not now(), the start of the transaction; and unlike clock_timestamp() it is the same
-- wherever one statement asks.
(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000)::bigint

-- name: attempt
INSERT INTO distlock_lock AS l (lock_key, owner, fence, expires_at, wanted_at)
VALUES (:key, :owner, ${now} + :tokens - 1, ${now} + :lease, 0)
ON CONFLICT (lock_key) DO UPDATE SET
  owner = CASE WHEN l.${free} THEN excluded.owner ELSE l.owner END,
  fence = CASE WHEN l.${free} THEN GREATEST(l.fence + :tokens, excluded.fence) ELSE l.fence END,
  expires_at = CASE WHEN l.${free} THEN excluded.expires_at ELSE l.expires_at END,
  wanted_at = CASE WHEN l.${free} THEN 0 WHEN :queue = 0 OR l.owner = excluded.owner THEN l.wanted_at ELSE ${now} END
RETURNING ${answer}

-- name: make
INSERT INTO distlock_lock (lock_key, owner, fence, expires_at, wanted_at)
VALUES (:key, '', 0, ${now}, 0)
ON CONFLICT (lock_key) DO NOTHING

-- name: patience
SET LOCAL lock_timeout = '3s'

-- name: clock
-- The lock was waited for in an earlier statement.
SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint
