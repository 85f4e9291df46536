-- name: now
-- now() is the start of the transaction, and clock_timestamp() differs within a statement.
(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000)::bigint

-- name: attempt
-- An attempt that does not wait, or that the holder repeats, only reads the row of a held
-- lock: ON CONFLICT would lock the row, which is a write even if no column changes.
WITH held AS (
  SELECT owner, fence, expires_at FROM distlock_lock
  WHERE lock_key = :key AND expires_at > ${now} AND (:queue = 0 OR owner = :owner)
), taken AS (
  INSERT INTO distlock_lock AS l (lock_key, owner, fence, expires_at, wanted_at)
  SELECT CAST(:key AS bytea), CAST(:owner AS varchar), ${now} + :tokens - 1, ${now} + :lease, 0
  WHERE NOT EXISTS (SELECT 1 FROM held)
  ON CONFLICT (lock_key) DO UPDATE SET
    owner = CASE WHEN l.${free} THEN excluded.owner ELSE l.owner END,
    fence = CASE WHEN l.${free} THEN GREATEST(l.fence + :tokens, excluded.fence) ELSE l.fence END,
    expires_at = CASE WHEN l.${free} THEN excluded.expires_at ELSE l.expires_at END,
    wanted_at = CASE WHEN l.${free} THEN 0 WHEN :queue = 0 OR l.owner = excluded.owner THEN l.wanted_at ELSE ${now} END
  RETURNING owner, fence, expires_at
)
SELECT ${answer} FROM (SELECT * FROM taken UNION ALL SELECT * FROM held) answered

-- name: insert
INSERT INTO distlock_lock (lock_key, owner, fence, expires_at, wanted_at)
VALUES (:key, '', 0, ${now}, 0)
ON CONFLICT (lock_key) DO NOTHING

-- name: setLockTimeout
SET LOCAL lock_timeout = '3s'

-- name: clock
-- statement_timestamp() may be older than the wait for the row.
SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint

-- name: announce
INSERT INTO distlock_instance (id, key_prefix, application, host, pid, started_at, seen_at, tokens, ended_grant)
VALUES (:id, :prefix, :application, :host, :pid, :started, ${now}, :tokens, 0)
ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at

-- name: noteEnd
INSERT INTO distlock_instance (id, key_prefix, application, host, pid, started_at, seen_at, tokens, ended_grant)
VALUES (:id, :prefix, '', '', 0, 0, :until, 0, :grant)
ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, ended_grant = excluded.ended_grant
