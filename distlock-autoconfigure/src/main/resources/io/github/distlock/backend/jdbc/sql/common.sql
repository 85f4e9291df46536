-- What all databases say alike. ${name} stands for another statement of the same store,
-- :name for a parameter. Times are microseconds since 1970 of the database's clock.
--
-- Assignments are written so that it does not matter whether an expression sees the old
-- values of the columns to its left or the new ones: MySQL and MariaDB take the new.

-- name: free
expires_at <= ${now}

-- name: answer
owner, fence, expires_at - ${now}

-- name: read
SELECT ${answer} FROM distlock_lock WHERE lock_key = :key

-- name: used
-- The last token that was used; of a grant that nobody used, all.
CASE WHEN :used BETWEEN fence - :tokens + 1 AND fence THEN :used ELSE fence END

-- name: passes
-- Whether the next ticket of the same JVM has the lock at once. Not if others have asked
-- for it in vain lately: they only look from time to time and would never find it free.
:next <> '' AND wanted_at <= ${now} - :company

-- name: release
UPDATE distlock_lock SET
  fence = CASE WHEN ${passes} THEN GREATEST(${used} + :tokens, ${now} + :tokens - 1) ELSE ${used} END,
  expires_at = CASE WHEN ${passes} THEN ${now} + :lease ELSE ${now} END,
  owner = CASE WHEN ${passes} THEN :next ELSE '' END,
  wanted_at = 0
WHERE lock_key = :key AND owner = :owner AND expires_at > ${now}

-- name: renew
UPDATE distlock_lock SET expires_at = GREATEST(expires_at, ${now} + :lease)
WHERE lock_key = :key AND owner = :owner AND fence = :fence AND expires_at > ${now}

-- name: holds
SELECT expires_at - ${now} FROM distlock_lock
WHERE lock_key = :key AND owner = :owner AND fence = :fence AND expires_at > ${now}

-- name: stale
-- A row is forgotten when nobody has used it for ten seconds and the clock has passed its
-- last token by as much: tokens then go on from the clock.
SELECT lock_key FROM distlock_lock WHERE expires_at < ${now} - 10000000 AND fence < ${now} - 10000000
LIMIT 500 FOR UPDATE SKIP LOCKED

-- name: delete
DELETE FROM distlock_lock WHERE lock_key = :key

-- name: any
SELECT 1 FROM distlock_lock LIMIT 1

-- name: probe
SELECT lock_key, owner, fence, expires_at, wanted_at FROM distlock_lock WHERE lock_key = :key

-- name: row
SELECT ${answer}, ${now} FROM distlock_lock WHERE lock_key = :key

-- name: take
${row} FOR UPDATE SKIP LOCKED

-- name: await
${row} FOR UPDATE

-- name: clock
SELECT ${now}

-- name: idle
SELECT CASE WHEN expires_at < ${now} - 10000000 THEN 1 ELSE 0 END FROM distlock_lock WHERE lock_key = :key

-- name: settle
UPDATE distlock_lock SET fence = :fence, owner = '', expires_at = ${now}, wanted_at = 0 WHERE lock_key = :key
