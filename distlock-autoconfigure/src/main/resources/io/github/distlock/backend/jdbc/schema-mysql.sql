CREATE TABLE IF NOT EXISTS distlock_lock (
  lock_key   VARBINARY(768) NOT NULL PRIMARY KEY,
  owner      VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  fence      BIGINT         NOT NULL,
  expires_at BIGINT         NOT NULL,
  wanted_at  BIGINT         NOT NULL
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;
