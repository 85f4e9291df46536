package io.github.distlock.benchmarks.servers.jdbc;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

import io.github.distlock.benchmarks.jvms.ParentWatch;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;

/**
 * A small JVM around a PostgreSQL server, so that it does not stay behind when the
 * launcher ends, even by SIGKILL. Says how to connect when it is ready.
 */
final class PostgresqlKeeper {

	private PostgresqlKeeper() {
	}

	public static void main(String[] args) throws IOException {
		PrintStream out = System.out;
		Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir", ".")));
		EmbeddedPostgres server = EmbeddedPostgres.builder()
			.setServerConfig("max_connections", "600")
			// No disk, which would be measured in place of the locks.
			.setServerConfig("fsync", "off")
			.setServerConfig("shared_preload_libraries", "pg_stat_statements")
			.setErrorRedirector(ProcessBuilder.Redirect.DISCARD)
			.setOutputRedirector(ProcessBuilder.Redirect.DISCARD)
			.start();
		out.println(server.getJdbcUrl("postgres", "postgres").replaceAll("\\?.*", "") + "|postgres|");
		ParentWatch.awaitEnd(System.in);
		server.close();
		System.exit(0);
	}

}
