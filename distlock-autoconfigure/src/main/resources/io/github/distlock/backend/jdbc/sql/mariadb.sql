-- name: limitSession
SET SESSION lock_wait_timeout = :seconds, innodb_lock_wait_timeout = :seconds

-- name: limitRowWait
SET SESSION innodb_lock_wait_timeout = :seconds

-- name: limitIdle
-- The server ends a session whose client has stopped inside of a transaction.
SET @distlock_idle = @@SESSION.idle_transaction_timeout, SESSION idle_transaction_timeout = 5

-- name: restoreIdle
SET SESSION idle_transaction_timeout = @distlock_idle

-- name: now
-- The start of the statement, independent of the time zone of the session.
TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))

-- name: attempt
INSERT INTO distlock_lock (lock_key, owner, fence, expires_at, wanted_at)
VALUES (:key, :owner, ${now} + :tokens - 1, ${now} + :lease, 0)
ON DUPLICATE KEY UPDATE
  wanted_at = CASE WHEN ${free} THEN 0 WHEN :queue = 0 OR owner = :owner THEN wanted_at ELSE ${now} END,
  fence = CASE WHEN ${free} THEN GREATEST(fence + :tokens, ${now} + :tokens - 1) ELSE fence END,
  owner = CASE WHEN ${free} THEN :owner ELSE owner END,
  expires_at = CASE WHEN ${free} THEN ${now} + :lease ELSE expires_at END
RETURNING ${answer}

-- name: insert
INSERT IGNORE INTO distlock_lock (lock_key, owner, fence, expires_at, wanted_at) VALUES (:key, '', 0, ${now}, 0)

-- name: await
${row} FOR UPDATE WAIT 3

-- name: showsessions
SELECT trx_mysql_thread_id, trx_started, trx_state, trx_rows_locked FROM information_schema.innodb_trx;

-- name: killsession
KILL <trx_mysql_thread_id>;
