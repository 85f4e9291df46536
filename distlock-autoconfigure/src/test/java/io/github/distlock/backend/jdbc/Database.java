package io.github.distlock.backend.jdbc;

import java.util.function.Supplier;

/**
 * The databases that tests with parameters run on.
 */
enum Database {

	H2(TestDatabase::h2),

	POSTGRESQL(TestDatabase::postgres),

	MARIADB(TestDatabase::mariaDb);

	private final Supplier<TestDatabase> server;

	Database(Supplier<TestDatabase> server) {
		this.server = server;
	}

	/** Start it, unless it runs; skips the test if this machine has none. */
	TestDatabase open() {
		return this.server.get();
	}

}
