package io.github.distlock.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import javax.sql.DataSource;

import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;

import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.jdbc.init.PlatformPlaceholderDatabaseDriverResolver;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;

/**
 * Creates the table of the locks with the script for the database.
 */
class JdbcLockSchemaInitializer extends DataSourceScriptDatabaseInitializer {

	private static final String SCHEMA = "classpath:io/github/distlock/backend/jdbc/schema-@@platform@@.sql";

	private final DatabaseInitializationSettings settings;

	private final TableNames tables;

	JdbcLockSchemaInitializer(DataSource dataSource, DatabaseInitializationMode mode, TableNames tables) {
		this(dataSource, new DatabaseInitializationSettings(), tables);
		this.settings.setMode(mode);
		// The table may exist, and the user may not have the right to create one.
		this.settings.setContinueOnError(true);
	}

	private JdbcLockSchemaInitializer(DataSource dataSource, DatabaseInitializationSettings settings,
			TableNames tables) {
		super(dataSource, settings);
		this.settings = settings;
		this.tables = tables;
	}

	/**
	 * Find the script for the database and run it. Finding it needs a connection, because
	 * its name contains the name of the database. With {@code embedded}, the default, a
	 * database that cannot be reached is not embedded, and the application starts without
	 * it.
	 */
	@Override
	public boolean initializeDatabase() {
		boolean enabled = switch (this.settings.getMode()) {
			case ALWAYS -> true;
			case EMBEDDED -> isEmbeddedDatabase();
			case NEVER -> false;
		};
		if (enabled) {
			DataSource dataSource = Objects.requireNonNull(getDataSource());
			this.settings
				.setSchemaLocations(new PlatformPlaceholderDatabaseDriverResolver().resolveAll(dataSource, SCHEMA));
		}
		return enabled && super.initializeDatabase();
	}

	/** Run the scripts with the name of the table. */
	@Override
	protected void runScripts(Scripts scripts) {
		List<Resource> named = new ArrayList<>();
		for (Resource script : scripts) {
			named.add(new ByteArrayResource(this.tables.applyTo(text(script)).getBytes(StandardCharsets.UTF_8)));
		}
		super.runScripts(new Scripts(named).continueOnError(scripts.isContinueOnError())
			.separator(scripts.getSeparator())
			.encoding(StandardCharsets.UTF_8));
	}

	private static String text(Resource script) {
		try {
			return script.getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
