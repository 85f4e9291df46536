package io.github.distlock.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import javax.sql.DataSource;

import io.github.distlock.backend.StoreCalls;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import io.github.distlock.thread.LockThreads;

import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.jdbc.init.PlatformPlaceholderDatabaseDriverResolver;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.dao.DataAccessException;
import org.springframework.util.StringUtils;
import org.springframework.util.function.ThrowingSupplier;

/**
 * Creates the table of the locks, or of the fence, with the script for the database.
 */
class JdbcLockSchemaInitializer extends DataSourceScriptDatabaseInitializer {

	/** Where the scripts of the locks are, and those of the fence. */
	static final String LOCK = "backend/jdbc/schema";

	static final String FENCE = "transaction/fence";

	private final DatabaseInitializationMode mode;

	private final TableNames tables;

	private final String scripts;

	private volatile String failure = "";

	JdbcLockSchemaInitializer(DataSource dataSource, DatabaseInitializationMode mode, TableNames tables,
			String scripts) {
		super(dataSource, settings(mode, scripts));
		this.mode = mode;
		this.tables = tables;
		this.scripts = scripts;
	}

	private static DatabaseInitializationSettings settings(DatabaseInitializationMode mode, String scripts) {
		DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
		settings.setMode(mode);
		settings.setSchemaLocations(Stream.of("h2", "mariadb", "mysql", "postgresql")
			.map((platform) -> "classpath:io/github/distlock/" + scripts + "-" + platform + ".sql")
			.toList());
		return settings;
	}

	/** Return why the creation of the table has failed, empty if it has not. */
	String failure() {
		return this.failure;
	}

	/**
	 * Not on the thread of the start: a pool whose database accepts connections and does
	 * not answer would hold it without limit. If only an embedded database was to get the
	 * table, the store reports what is missing.
	 */
	@Override
	public boolean initializeDatabase() {
		FutureTask<Boolean> initialization = new FutureTask<>(super::initializeDatabase);
		LockThreads.named("distlock-schema").newThread(initialization).start();
		try {
			Duration limit = Duration.ofSeconds((this.mode == DatabaseInitializationMode.ALWAYS) ? 60 : 10);
			return StoreCalls.awaitUninterruptibly(initialization, limit, TimeSource.SYSTEM);
		}
		catch (TimeoutException | ExecutionException ex) {
			if (this.mode == DatabaseInitializationMode.ALWAYS) {
				String cause = (ex instanceof TimeoutException) ? "The database has not answered for a minute"
						: StoreCalls.oneLine(NestedExceptionUtils.getMostSpecificCause(ex).toString());
				throw new StartUpException(cause + ". The script " + this.scripts + "-<database>.sql did not run.",
						"Check the database, or set distlock.jdbc.initialize-schema=never.", null, ex);
			}
			return false;
		}
	}

	/**
	 * Run the script for the database with the name of the table. Finding it needs a
	 * connection, so it is not done before the mode is known. It may fail: the table may
	 * exist, and the user may not have the right to create one.
	 */
	@Override
	protected void runScripts(Scripts scripts) {
		String name = new PlatformPlaceholderDatabaseDriverResolver()
			.resolveAll(Objects.requireNonNull(getDataSource()),
					StringUtils.getFilename(this.scripts) + "-@@platform@@.sql")
			.get(0);
		for (Resource script : scripts) {
			if (name.equals(script.getFilename())) {
				String text = ThrowingSupplier.of(() -> script.getContentAsString(StandardCharsets.UTF_8)).get();
				byte[] named = this.tables.applyTo(text).getBytes(StandardCharsets.UTF_8);
				try {
					super.runScripts(
							new Scripts(List.of(new ByteArrayResource(named))).encoding(StandardCharsets.UTF_8));
				}
				catch (DataAccessException ex) {
					this.failure = ", and its creation at the start has failed ("
							+ StoreCalls.oneLine(NestedExceptionUtils.getMostSpecificCause(ex).toString()) + ")";
				}
			}
		}
	}

}
