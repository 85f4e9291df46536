-- name: now
-- The start of the statement, independent of the time zone of the session.
TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))

-- name: attempt
-- MySQL has no RETURNING: a second statement reads the row.
INSERT INTO distlock_lock (lock_key, owner, fence, expires_at, wanted_at)
VALUES (:key, :owner, ${now} + :tokens - 1, ${now} + :lease, 0)
ON DUPLICATE KEY UPDATE
  wanted_at = CASE WHEN ${free} THEN 0 WHEN :queue = 0 OR owner = :owner THEN wanted_at ELSE ${now} END,
  fence = CASE WHEN ${free} THEN GREATEST(fence + :tokens, ${now} + :tokens - 1) ELSE fence END,
  owner = CASE WHEN ${free} THEN :owner ELSE owner END,
  expires_at = CASE WHEN ${free} THEN ${now} + :lease ELSE expires_at END

-- name: insert
INSERT IGNORE INTO distlock_lock (lock_key, owner, fence, expires_at, wanted_at) VALUES (:key, '', 0, ${now}, 0)

-- name: limitSession
-- The mode connection waits for a row for three seconds in one statement.
SET SESSION lock_wait_timeout = :seconds, innodb_lock_wait_timeout = 3

-- name: limitRowWait
SET SESSION innodb_lock_wait_timeout = :seconds

-- name: await
${row} FOR UPDATE

-- name: showsessions
SELECT t.processlist_id, t.processlist_host, l.lock_status FROM performance_schema.data_locks l
JOIN performance_schema.threads t USING (thread_id)
WHERE l.object_name = 'distlock_lock' AND l.lock_data = '0x{hex}';

-- name: killsession
KILL <processlist_id>;
