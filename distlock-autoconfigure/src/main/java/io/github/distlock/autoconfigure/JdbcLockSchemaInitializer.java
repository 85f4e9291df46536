package io.github.distlock.autoconfigure;

import java.util.List;

import javax.sql.DataSource;

import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.jdbc.init.PlatformPlaceholderDatabaseDriverResolver;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;

/**
 * Makes the table of the locks, by the script of the database.
 */
class JdbcLockSchemaInitializer extends DataSourceScriptDatabaseInitializer {

	private static final String SCHEMA = "classpath:io/github/distlock/backend/jdbc/schema-@@platform@@.sql";

	JdbcLockSchemaInitializer(DataSource dataSource, DatabaseInitializationMode mode) {
		super(dataSource, settings(dataSource, mode));
	}

	private static DatabaseInitializationSettings settings(DataSource dataSource, DatabaseInitializationMode mode) {
		DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
		settings.setMode(mode);
		// The name of the platform is asked of the database, which may be away.
		settings.setSchemaLocations((mode != DatabaseInitializationMode.NEVER)
				? new PlatformPlaceholderDatabaseDriverResolver().resolveAll(dataSource, SCHEMA) : List.of());
		return settings;
	}

}
