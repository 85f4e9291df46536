package io.github.distlock.benchmarks.servers.jdbc;

/**
 * The tables of other libraries, as their documentation gives them.
 */
final class PeerTables {

	private static final String SPRING_INTEGRATION = """
			CREATE TABLE INT_LOCK (
				LOCK_KEY CHAR(36) NOT NULL,
				REGION VARCHAR(100) NOT NULL,
				CLIENT_ID CHAR(36),
				CREATED_DATE TIMESTAMP NOT NULL,
				EXPIRED_AFTER TIMESTAMP NOT NULL,
				CONSTRAINT INT_LOCK_PK PRIMARY KEY (LOCK_KEY, REGION)
			)""";

	private static final String SHEDLOCK = """
			CREATE TABLE shedlock (
				name VARCHAR(64) NOT NULL,
				lock_until TIMESTAMP NOT NULL,
				locked_at TIMESTAMP NOT NULL,
				locked_by VARCHAR(255) NOT NULL,
				PRIMARY KEY (name)
			)""";

	private PeerTables() {
	}

	static void create(SqlConsole console) {
		console.run(SPRING_INTEGRATION);
		console.run(SHEDLOCK);
	}

}
