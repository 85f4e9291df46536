-- The database of the inventory nodes. 'fence' is the fencing token of the last write.
CREATE TABLE IF NOT EXISTS stock (
	sku VARCHAR(64) NOT NULL PRIMARY KEY,
	quantity BIGINT NOT NULL,
	fence BIGINT DEFAULT 0 NOT NULL
);
-- One row for each unit that was sold. No unique constraint: it would hide the bug.
CREATE TABLE IF NOT EXISTS sales (
	sku VARCHAR(64) NOT NULL,
	serial_number BIGINT NOT NULL
);
-- The database of the order service.
CREATE TABLE IF NOT EXISTS orders (
	sku VARCHAR(64) NOT NULL,
	serial_number BIGINT NOT NULL,
	node VARCHAR(200) NOT NULL
);
