CREATE TABLE IF NOT EXISTS distlock_fence (
  lock_key   BYTEA     NOT NULL PRIMARY KEY,
  token      BIGINT    NOT NULL,
  written_at TIMESTAMP WITH TIME ZONE NOT NULL
) WITH (fillfactor = 70);
