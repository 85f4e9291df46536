package io.github.distlock.backend.jdbc;

import java.util.function.Supplier;

/**
 * The databases of parameterized tests.
 */
enum Database {

	H2(TestDatabase::h2),

	POSTGRESQL(TestDatabase::postgres),

	MARIADB(TestDatabase::mariaDb);

	private final Supplier<TestDatabase> server;

	Database(Supplier<TestDatabase> server) {
		this.server = server;
	}

	/** Start the database unless it runs. Skips the test if it is not installed. */
	TestDatabase open() {
		return this.server.get();
	}

}
