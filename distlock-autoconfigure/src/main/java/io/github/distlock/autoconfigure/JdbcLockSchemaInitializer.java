package io.github.distlock.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import javax.sql.DataSource;

import io.github.distlock.backend.jdbc.JdbcBackendSettings.TableNames;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.jdbc.init.PlatformPlaceholderDatabaseDriverResolver;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Creates the table of the locks with the script for the database.
 */
class JdbcLockSchemaInitializer extends DataSourceScriptDatabaseInitializer {

	private static final Log logger = LogFactory.getLog(JdbcLockSchemaInitializer.class);

	private static final String SCHEMA = "classpath:io/github/distlock/backend/jdbc/schema-@@platform@@.sql";

	private final TableNames tables;

	JdbcLockSchemaInitializer(DataSource dataSource, DatabaseInitializationMode mode, TableNames tables) {
		super(dataSource, settings(dataSource, mode));
		this.tables = tables;
	}

	/** Run the scripts with the name of the table. */
	@Override
	protected void runScripts(Scripts scripts) {
		List<Resource> named = new ArrayList<>();
		for (Resource script : scripts) {
			named.add(new ByteArrayResource(this.tables.applyTo(text(script)).getBytes(StandardCharsets.UTF_8)));
		}
		try {
			super.runScripts(new Scripts(named).separator(scripts.getSeparator()).encoding(StandardCharsets.UTF_8));
		}
		catch (DataAccessException ex) {
			if (!tableExists()) {
				throw ex;
			}
			logger.info("The table of the locks exists, and the user may not create it: " + ex.getMessage());
		}
	}

	private boolean tableExists() {
		try {
			JdbcTemplate jdbc = new JdbcTemplate(Objects.requireNonNull(getDataSource()));
			jdbc.queryForList("SELECT 1 FROM " + this.tables.lock() + " WHERE 1 = 0");
			return true;
		}
		catch (DataAccessException ex) {
			return false;
		}
	}

	private static String text(Resource script) {
		try {
			return script.getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static DatabaseInitializationSettings settings(DataSource dataSource, DatabaseInitializationMode mode) {
		DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
		settings.setMode(mode);
		settings.setSchemaLocations(locations(dataSource, mode));
		return settings;
	}

	/**
	 * Return the script for the database. Finding it needs a connection, because its name
	 * contains the name of the database. With {@code embedded}, the default, a database
	 * that cannot be reached is not embedded, and the application starts without it.
	 */
	private static List<String> locations(DataSource dataSource, DatabaseInitializationMode mode) {
		boolean initialize = switch (mode) {
			case ALWAYS -> true;
			case EMBEDDED -> isEmbedded(dataSource);
			case NEVER -> false;
		};
		return initialize ? new PlatformPlaceholderDatabaseDriverResolver().resolveAll(dataSource, SCHEMA) : List.of();
	}

	private static boolean isEmbedded(DataSource dataSource) {
		try {
			return EmbeddedDatabaseConnection.isEmbedded(dataSource);
		}
		catch (RuntimeException ex) {
			// An embedded database can always be reached.
			return false;
		}
	}

}
