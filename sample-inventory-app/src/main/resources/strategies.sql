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
