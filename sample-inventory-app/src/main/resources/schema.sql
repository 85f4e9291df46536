-- The database of the inventory nodes.
CREATE TABLE IF NOT EXISTS stock (
	sku VARCHAR(64) NOT NULL PRIMARY KEY,
	quantity BIGINT NOT NULL
);
-- One row for each unit that was sold. No unique constraint: it would hide the bug.
CREATE TABLE IF NOT EXISTS sales (
	sku VARCHAR(64) NOT NULL,
	serial_number BIGINT NOT NULL
);
-- For distlock.transaction.fence. These types are right for H2 and PostgreSQL.
CREATE TABLE IF NOT EXISTS distlock_fence (
	lock_key BYTEA NOT NULL PRIMARY KEY,
	token BIGINT NOT NULL,
	written_at TIMESTAMP NOT NULL
);
-- The database of the order service.
CREATE TABLE IF NOT EXISTS orders (
	sku VARCHAR(64) NOT NULL,
	serial_number BIGINT NOT NULL,
	node VARCHAR(200) NOT NULL
);
