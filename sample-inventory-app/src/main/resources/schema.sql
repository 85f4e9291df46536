CREATE TABLE IF NOT EXISTS stock (
	sku VARCHAR(64) NOT NULL PRIMARY KEY,
	quantity BIGINT NOT NULL
);
-- One row for each accepted order. No unique constraint: it would hide the bug that is to be seen.
CREATE TABLE IF NOT EXISTS sales (
	sku VARCHAR(64) NOT NULL,
	serial_number BIGINT NOT NULL
);
