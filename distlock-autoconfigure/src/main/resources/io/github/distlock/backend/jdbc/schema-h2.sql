CREATE TABLE IF NOT EXISTS distlock_lock (
  lock_key   VARBINARY(768) NOT NULL PRIMARY KEY,
  owner      VARCHAR(255)   NOT NULL,
  fence      BIGINT         NOT NULL,
  expires_at BIGINT         NOT NULL,
  wanted_at  BIGINT         NOT NULL
);

CREATE TABLE IF NOT EXISTS distlock_instance (
  id          VARCHAR(255) NOT NULL PRIMARY KEY,
  key_prefix  VARBINARY(256) NOT NULL,
  application VARCHAR(255) NOT NULL,
  host        VARCHAR(255) NOT NULL,
  pid         BIGINT NOT NULL,
  started_at  BIGINT NOT NULL,
  seen_at     BIGINT NOT NULL,
  tokens      BIGINT NOT NULL,
  ended_grant BIGINT NOT NULL
);
