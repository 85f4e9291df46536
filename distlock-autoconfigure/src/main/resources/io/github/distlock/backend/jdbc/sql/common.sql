-- Statements for all databases. ${name} is replaced by the section of that name, :name is
-- a parameter. All times are microseconds since 1970 by the clock of the database.
--
-- In an UPDATE of MySQL and MariaDB an expression sees the new values of the columns that
-- were assigned before it, elsewhere the old ones. Every SET list gives the same result in
-- both cases; keep its order.

-- name: free
expires_at <= ${now}

-- name: answer
owner, fence, expires_at - ${now}, ${now}

-- name: read
SELECT ${answer} FROM distlock_lock WHERE lock_key = :key

-- name: used
-- The last token that was used, or the last one of the grant if that is not known.
CASE WHEN :used BETWEEN fence - :tokens + 1 AND fence THEN :used ELSE fence END

-- name: passes
-- Whether the next ticket of the same JVM gets the lock at once. Not if another JVM has
-- failed to get it recently: other JVMs only poll, and would never find the lock free.
:next <> '' AND wanted_at <= ${now} - :recent

-- name: bounded
-- Whether the time limit is set for the wait for a row that another session has locked. Elsewhere the server has one.
1 = 1

-- name: limited
-- Whether the time limit of the transaction is set: the server ends it if its client has stopped.
1 = 1

-- name: release
UPDATE distlock_lock SET
  fence = CASE WHEN ${passes} THEN GREATEST(${used} + :tokens, ${now} + :tokens - 1) ELSE ${used} END,
  expires_at = CASE WHEN ${passes} THEN ${now} + :lease ELSE ${now} END,
  owner = CASE WHEN ${passes} THEN :next ELSE '' END,
  wanted_at = 0
WHERE lock_key = :key AND owner = :owner AND expires_at > ${now} AND ${bounded}

-- name: renew
UPDATE distlock_lock SET expires_at = GREATEST(expires_at, ${now} + :lease)
WHERE lock_key = :key AND owner = :owner AND fence = :fence AND expires_at > ${now} AND ${bounded}

-- name: holds
SELECT expires_at - ${now} FROM distlock_lock
WHERE lock_key = :key AND owner = :owner AND fence = :fence AND expires_at > ${now}

-- name: stale
-- Rows that can be deleted: unused for ten seconds, and the clock has passed the last token
-- by ten seconds, so that later tokens, which start at the clock, are higher.
SELECT lock_key FROM distlock_lock
WHERE expires_at < ${now} - 10000000 AND fence < ${now} - 10000000 AND ${limited}
LIMIT 500 FOR UPDATE SKIP LOCKED

-- name: delete
DELETE FROM distlock_lock WHERE lock_key = :key

-- name: emptyIsNull
SELECT '' IS NULL

-- name: probe
SELECT lock_key, owner, fence, expires_at, wanted_at FROM distlock_lock WHERE lock_key = :key

-- name: row
-- The token of the next grant. A row with a lease of the other mode counts as locked.
SELECT GREATEST(fence + 1, ${now}) FROM distlock_lock WHERE lock_key = :key AND (owner = '' OR ${free})

-- name: take
${row} FOR UPDATE SKIP LOCKED

-- name: freeRow
UPDATE distlock_lock SET fence = :fence, owner = '', expires_at = ${now}, wanted_at = 0 WHERE lock_key = :key

-- name: endGrant
-- The fence stays at the last token of the grant, so the next grant begins above it.
UPDATE distlock_lock SET expires_at = ${now}, owner = '', wanted_at = 0
WHERE lock_key = :key AND owner = :owner AND fence = :fence AND expires_at > ${now} AND ${limited}

-- name: noteEnd
-- A row of its own says that an operator has ended a grant, and the last token of that grant,
-- until the clock has passed the end of its lease. The row means a free lock, so the clean-up
-- deletes it.
UPDATE distlock_lock SET fence = :until, wanted_at = :ended WHERE lock_key = :key

-- name: ended
SELECT wanted_at FROM distlock_lock WHERE lock_key = :key
