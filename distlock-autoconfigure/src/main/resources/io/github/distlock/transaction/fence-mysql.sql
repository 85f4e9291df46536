CREATE TABLE IF NOT EXISTS distlock_fence (
  lock_key   VARBINARY(1024) NOT NULL PRIMARY KEY,
  token      BIGINT          NOT NULL,
  written_at DATETIME        NOT NULL
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;
