CREATE TABLE IF NOT EXISTS distlock_lock (
  lock_key   VARBINARY(768) NOT NULL PRIMARY KEY,
  owner      VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  fence      BIGINT         NOT NULL,
  expires_at BIGINT         NOT NULL,
  wanted_at  BIGINT         NOT NULL
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

CREATE TABLE IF NOT EXISTS distlock_instance (
  id          VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  key_prefix  VARBINARY(256) NOT NULL,
  application VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL,
  host        VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL,
  pid         BIGINT NOT NULL,
  started_at  BIGINT NOT NULL,
  seen_at     BIGINT NOT NULL,
  tokens      BIGINT NOT NULL,
  ended_grant BIGINT NOT NULL
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;
