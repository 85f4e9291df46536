-- name: now
-- now() is the start of the transaction, and clock_timestamp() differs within a statement.
(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000)::bigint

-- name: bounded
-- Until the end of the statement. The server would wait for a locked row without limit, also
-- after the client has gone.
set_config('lock_timeout', :wait, true) <> ''

-- name: limitSession
-- Behind a pooler, whose clients share sessions, the driver has another number.
SELECT set_config('statement_timeout', :millis, false) WHERE pg_backend_pid() = :session

-- name: attempt
-- An attempt that does not wait, or that the holder repeats, only reads the row of a held
-- lock: ON CONFLICT would lock the row, which is a write even if no column changes.
WITH held AS (
  SELECT owner, fence, expires_at FROM distlock_lock
  WHERE lock_key = :key AND expires_at > ${now} AND (:queue = 0 OR owner = :owner)
), taken AS (
  INSERT INTO distlock_lock AS l (lock_key, owner, fence, expires_at, wanted_at)
  SELECT CAST(:key AS bytea), CAST(:owner AS varchar), ${now} + :tokens - 1, ${now} + :lease, 0
  WHERE NOT EXISTS (SELECT 1 FROM held) AND ${bounded}
  ON CONFLICT (lock_key) DO UPDATE SET
    owner = CASE WHEN l.${free} THEN excluded.owner ELSE l.owner END,
    fence = CASE WHEN l.${free} THEN GREATEST(l.fence + :tokens, excluded.fence) ELSE l.fence END,
    expires_at = CASE WHEN l.${free} THEN excluded.expires_at ELSE l.expires_at END,
    wanted_at = CASE WHEN l.${free} THEN 0 WHEN :queue = 0 OR l.owner = excluded.owner THEN l.wanted_at ELSE ${now} END
  RETURNING owner, fence, expires_at
)
SELECT ${answer} FROM (SELECT * FROM taken UNION ALL SELECT * FROM held) answered

-- name: releaseAndNotify
-- Like release. It notifies other JVMs if one of them has failed to get the lock recently. So
-- wanted_at keeps its value until the next grant. Returns a row if the lock was held.
WITH released AS (
  UPDATE distlock_lock SET
    fence = CASE WHEN ${passes} THEN GREATEST(${used} + :tokens, ${now} + :tokens - 1) ELSE ${used} END,
    expires_at = CASE WHEN ${passes} THEN ${now} + :lease ELSE ${now} END,
    owner = CASE WHEN ${passes} THEN :next ELSE '' END
  WHERE lock_key = :key AND owner = :owner AND expires_at > ${now} AND ${bounded}
  RETURNING owner, wanted_at
)
SELECT CASE WHEN owner = '' AND wanted_at > ${now} - :recent
  THEN pg_notify('distlock', encode(CAST(:key AS bytea), 'hex') || ' ' || :self) END
FROM released

-- name: listen
LISTEN distlock

-- name: insert
INSERT INTO distlock_lock (lock_key, owner, fence, expires_at, wanted_at)
VALUES (:key, '', 0, ${now}, 0)
ON CONFLICT (lock_key) DO NOTHING

-- name: await
${row} AND set_config('lock_timeout', '3s', true) <> '' FOR UPDATE

-- name: row
-- The name tells operators which ticket the session has, until the end of the transaction.
SELECT ${answer}, set_config('application_name', 'lock ' || :ticket, true) FROM distlock_lock WHERE lock_key = :key

-- name: clock
-- statement_timestamp() may be older than the wait for the row.
SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint

-- name: showsessions
SELECT pid, usename, client_addr, application_name, xact_start FROM pg_stat_activity
JOIN distlock_lock ON backend_xid = distlock_lock.xmax WHERE lock_key = convert_to('{key}', 'UTF8');

-- name: killsession
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
JOIN distlock_lock ON backend_xid = distlock_lock.xmax WHERE lock_key = convert_to('{key}', 'UTF8');
