CREATE TABLE IF NOT EXISTS stock (
	sku VARCHAR(64) NOT NULL PRIMARY KEY,
	quantity BIGINT NOT NULL
);
-- One row for each accepted order. No unique constraint: it would hide the bug that is to be seen.
CREATE TABLE IF NOT EXISTS sales (
	sku VARCHAR(64) NOT NULL,
	serial_number BIGINT NOT NULL
);
-- For the strategies 'distributed-lock' and 'segments': the fencing token of the last holder who wrote.
ALTER TABLE stock ADD COLUMN IF NOT EXISTS fence BIGINT DEFAULT 0 NOT NULL;
-- For the strategy 'optimistic'.
ALTER TABLE stock ADD COLUMN IF NOT EXISTS version BIGINT DEFAULT 0 NOT NULL;
-- For the strategy 'segments': the units first_serial + 1 to first_serial + quantity are left.
CREATE TABLE IF NOT EXISTS stock_segments (
	sku VARCHAR(64) NOT NULL,
	segment INT NOT NULL,
	first_serial BIGINT NOT NULL,
	quantity BIGINT NOT NULL,
	PRIMARY KEY (sku, segment)
);
ALTER TABLE stock_segments ADD COLUMN IF NOT EXISTS fence BIGINT DEFAULT 0 NOT NULL;
