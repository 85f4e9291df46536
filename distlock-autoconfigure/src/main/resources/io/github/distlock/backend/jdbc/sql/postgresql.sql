-- name: now
-- now() is the start of the transaction, and clock_timestamp() differs within a statement.
(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000)::bigint

-- name: bounded
-- Until the end of the statement. The server would wait for a locked row without limit, also
-- after the client has gone.
set_config('lock_timeout', :wait, true) <> ''

-- name: limited
-- Until the end of the transaction, which may be on a connection of the application.
set_config('idle_in_transaction_session_timeout', '5s', true) <> ''

-- name: limitSession
-- Behind a pooler, whose clients share sessions, the driver has another number.
SELECT set_config('statement_timeout', :millis, false) WHERE pg_backend_pid() = :session

-- name: mark
-- Marks the session as one of a mode, for the table and the prefix of keys, and returns whether
-- there is one of the other mode. A CASE evaluates its condition first, so of two sessions that
-- are marked at the same time at least one finds the other. Behind a pooler there is no mark.
SELECT CASE WHEN pg_advisory_lock_shared(hashtext('distlock ' || :mode), ${marked})::text IS NOT NULL THEN EXISTS (
  SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted AND ${here}
    AND classid::bigint::bit(32) = hashtext('distlock ' || CASE :mode WHEN 'lease' THEN 'connection' ELSE 'lease' END)::bit(32)
    AND objid::bigint::bit(32) = ${marked}::bit(32)
) END
WHERE pg_backend_pid() = :session

-- name: marked
hashtext('distlock_lock'::regclass::oid::text || ' ' || :prefix)

-- name: here
database = (SELECT oid FROM pg_database WHERE datname = current_database())

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

-- name: table
-- Schema and name of the table, as the server finds it.
SELECT unnest(ARRAY[nspname, relname])::text FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE pg_class.oid = 'distlock_lock'::regclass

-- name: take
-- Takes the advisory lock of a key if it is free, until the end of the transaction. Writes
-- nothing. A CASE evaluates its conditions in this order. So a server in recovery takes no lock:
-- NOTIFY fails there, as a write does. And the clock is read after the grant. Without a grant
-- there is no row, and the last condition tells the number to the statement that waits. OFFSET 0
-- keeps the planner from evaluating the CASE twice. A shared lock shows the token to other sessions.
-- Short, since the server prepares also the parts that it does not evaluate. The driver leaves the
-- SELECT open, and with it a snapshot, for which VACUUM and CREATE INDEX CONCURRENTLY would wait:
-- CLOSE ALL ends it in the same round trip.
SELECT token, pg_try_advisory_xact_lock_shared(token) FROM (
  SELECT CASE
    WHEN pg_is_in_recovery() THEN pg_notify('distlock', '')::text::bigint
    WHEN pg_try_advisory_xact_lock(:number) THEN (EXTRACT(EPOCH FROM clock_timestamp()) * 1000000)::bigint
    WHEN set_config('distlock.number', :number::text, true) IS NULL THEN 0
  END AS token OFFSET 0
) attempt
WHERE token > 0;
CLOSE ALL

-- name: settings
-- Settings of the session, and whether they outlive the transaction: not behind a pooler, where
-- other clients use the session, too. From its last statement on, the server lets a session that
-- holds or waits live for the lease. Not every server can watch the connection of its client.
SELECT lasting, set_config('idle_in_transaction_session_timeout', :lease, NOT lasting),
  set_config('application_name', right(:self, 63), NOT lasting),
  CASE WHEN current_setting('transaction_timeout', true) <> '0'
    THEN set_config('transaction_timeout', '0', NOT lasting) END,
  CASE WHEN current_setting('client_connection_check_interval', true) = '0' AND version() LIKE '%linux%'
    THEN set_config('client_connection_check_interval', '5s', NOT lasting) END
FROM (SELECT pg_backend_pid() = :session AS lasting) own

-- name: await
-- Waits for the lock, and then takes it: it has the lock already, or the wait was in vain. All in
-- one round trip. A time-out or a cancellation that the block handles is no error in the log of
-- the server, and the transaction goes on.
SET LOCAL statement_timeout = '15s';
DO $$
BEGIN
  PERFORM set_config('lock_timeout', '10s', true);
  PERFORM pg_advisory_xact_lock(current_setting('distlock.number')::bigint);
EXCEPTION WHEN lock_not_available OR query_canceled THEN
  NULL;
END
$$;
${take}

-- name: ofkey
-- The sessions that hold the number of a key, or wait for it.
pg_locks l LEFT JOIN pg_stat_activity a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.mode = 'ExclusiveLock' AND ${here}
  AND (l.classid::bigint << 32 | l.objid::bigint) = :number

-- name: token
(SELECT max(t.classid::bigint << 32 | t.objid::bigint) FROM pg_locks t
  WHERE t.pid = l.pid AND t.locktype = 'advisory' AND t.objsubid = 1 AND t.mode = 'ShareLock')

-- name: sessions
SELECT l.granted, COALESCE(${token}, 0), COALESCE(NULLIF(a.application_name, ''), 'session ' || l.pid)
FROM ${ofkey}
ORDER BY a.query_start

-- name: endSession
-- Waits for up to a second until the session that was ended has gone. Both functions have a
-- parameter of the round, since the result of others would be kept.
WITH RECURSIVE ended AS (
  SELECT l.pid, pg_terminate_backend(l.pid) AS done
  FROM ${ofkey} AND l.granted AND ${token} = :token
), rest(pid, round) AS (
  SELECT pid, 0 FROM ended WHERE done
  UNION ALL
  SELECT rest.pid, round + 1 FROM rest, LATERAL pg_sleep(0.01 + 0 * round),
    LATERAL pg_stat_get_activity(CASE WHEN pg_stat_clear_snapshot()::text IS NULL THEN 0 ELSE rest.pid END)
  WHERE round < 100
)
SELECT count(*) > 0 FROM rest
