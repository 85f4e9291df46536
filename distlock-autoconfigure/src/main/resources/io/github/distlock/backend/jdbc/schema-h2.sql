CREATE TABLE IF NOT EXISTS distlock_lock (
  lock_key   VARBINARY(768) NOT NULL PRIMARY KEY,
  owner      VARCHAR(255)   NOT NULL,
  fence      BIGINT         NOT NULL,
  expires_at BIGINT         NOT NULL,
  wanted_at  BIGINT         NOT NULL
);
