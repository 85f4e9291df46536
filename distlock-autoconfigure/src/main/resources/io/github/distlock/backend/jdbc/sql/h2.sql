-- name: now
CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000000 AS BIGINT)

-- name: attempt
SELECT ${answer} FROM FINAL TABLE (
  MERGE INTO distlock_lock l USING (SELECT CAST(:key AS VARBINARY(768)) AS lock_key) s ON l.lock_key = s.lock_key
  WHEN MATCHED THEN UPDATE SET
    owner = CASE WHEN ${free} THEN :owner ELSE owner END,
    fence = CASE WHEN ${free} THEN GREATEST(fence + :tokens, ${now} + :tokens - 1) ELSE fence END,
    expires_at = CASE WHEN ${free} THEN ${now} + :lease ELSE expires_at END,
    wanted_at = CASE WHEN ${free} THEN 0 WHEN :queue = 0 OR owner = :owner THEN wanted_at ELSE ${now} END
  WHEN NOT MATCHED THEN INSERT (lock_key, owner, fence, expires_at, wanted_at)
    VALUES (s.lock_key, :owner, ${now} + :tokens - 1, ${now} + :lease, 0)
)

-- name: limitRowWait
SET LOCK_TIMEOUT :millis

-- name: insert
MERGE INTO distlock_lock l USING (SELECT CAST(:key AS VARBINARY(768)) AS lock_key) s ON l.lock_key = s.lock_key
WHEN NOT MATCHED THEN INSERT (lock_key, owner, fence, expires_at, wanted_at) VALUES (s.lock_key, '', 0, ${now}, 0)

-- name: showsessions
SELECT session_id, user_name, client_addr, session_start FROM information_schema.sessions
WHERE contains_uncommitted;

-- name: killsession
SELECT ABORT_SESSION(<session_id>);
