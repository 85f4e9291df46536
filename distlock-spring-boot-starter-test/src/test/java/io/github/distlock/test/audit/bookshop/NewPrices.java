package io.github.distlock.test.audit.bookshop;

import java.sql.PreparedStatement;
import java.sql.SQLException;

import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.migration.Context;
import org.flywaydb.core.api.migration.JavaMigration;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * A migration in code, which needs no lock.
 */
@Component
class NewPrices implements JavaMigration {

	@Override
	public MigrationVersion getVersion() {
		return MigrationVersion.fromVersion("2");
	}

	@Override
	public String getDescription() {
		return "new prices";
	}

	@Override
	public @Nullable Integer getChecksum() {
		return null;
	}

	@Override
	public boolean canExecuteInTransaction() {
		return true;
	}

	@Override
	public void migrate(Context context) throws SQLException {
		try (PreparedStatement update = context.getConnection()
			.prepareStatement("UPDATE book SET copies = 4 WHERE id = 2")) {
			update.executeUpdate();
		}
	}

}
