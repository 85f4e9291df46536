package io.github.distlock.backend.jdbc;

import java.util.List;
import java.util.UUID;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.StoreAdministration.EndResult;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.UnsupportedStoreOperationException;
import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Locks do not depend on the table of instances: an application that was updated may not
 * have it, or may not be allowed to use it.
 */
@Tag(Installed.TAG)
@ExtendWith(OutputCaptureExtension.class)
class InstanceTableTests {

	private static final String WARNING = "The table distlock_instance cannot be used";

	private final String key = "instance-" + UUID.randomUUID();

	@ParameterizedTest
	@EnumSource
	void withoutRightsOnTheTableLocksWorkAndOneWarningNamesTheRemedy(Database server, CapturedOutput output) {
		TestDatabase database = server.open();
		JdbcTemplate administrator = database.direct();
		String user = "u" + UUID.randomUUID().toString().replace("-", "").substring(0, 12);
		administrator.execute("CREATE USER " + user
				+ " PASSWORD ''".replace("PASSWORD", (server == Database.MARIADB) ? "IDENTIFIED BY" : "PASSWORD"));
		if (server == Database.POSTGRESQL) {
			administrator.execute("GRANT USAGE ON SCHEMA public TO " + user);
		}
		administrator.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON distlock_lock TO " + user);
		HikariConfig settings = database.poolSettings(4);
		// Some URLs have parameters that name another user, or need another one.
		settings.setJdbcUrl(database.url().split("[?;]")[0]);
		settings.setUsername(user);
		try (HikariDataSource pool = new HikariDataSource(settings)) {
			useWithoutTheTable(pool, output);
		}
	}

	@Test
	void withoutTheTableLocksWorkAndOneWarningNamesTheRemedy(CapturedOutput output) {
		HikariConfig settings = TestDatabase.h2().poolSettings(4);
		settings.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID());
		try (HikariDataSource pool = new HikariDataSource(settings)) {
			new JdbcTemplate(pool).execute("CREATE TABLE distlock_lock (lock_key VARBINARY(768) NOT NULL PRIMARY KEY,"
					+ " owner VARCHAR(255) NOT NULL, fence BIGINT NOT NULL, expires_at BIGINT NOT NULL,"
					+ " wanted_at BIGINT NOT NULL)");
			useWithoutTheTable(pool, output);
		}
	}

	private void useWithoutTheTable(HikariDataSource pool, CapturedOutput output) {
		try (JdbcNode node = JdbcNode.announced(pool, "distlock:", false)) {
			node.administration().announce();
			node.administration().announce();
			assertThat(output.toString().split(WARNING, -1)).hasSize(2);
			assertThat(output).contains("io/github/distlock/backend/jdbc/schema-")
				.contains("distlock.jdbc.initialize-schema=always")
				.contains("SELECT, INSERT, UPDATE and DELETE");
			assertThat(node.administration().instances()).isEqualTo(List.of());
			Ticket ticket = node.ticket(this.key);
			Grant grant = node.take(ticket);
			assertThat(node.administration().inspect(this.key).holders()).hasSize(1);
			assertThat(node.administration().end(this.key, grant.firstToken())).isEqualTo(EndResult.ENDED);
			assertThat(node.release(ticket)).isFalse();
			assertThat(node.ended).isEmpty();
			assertThatThrownBy(() -> node.administration().endAll("dead"))
				.isInstanceOf(UnsupportedStoreOperationException.class)
				.hasMessageContaining("distlock_instance");
			node.administration().withdraw();
		}
	}

	@ParameterizedTest
	@EnumSource
	void aGrantIsEndedByAnApplicationThatFindsOutThenThatItHasNoTable(Database server, CapturedOutput output) {
		TestDatabase database = server.open();
		try (HikariDataSource pool = database.pool(4); JdbcNode node = JdbcNode.lease(pool)) {
			JdbcTemplate administrator = database.direct();
			Grant grant = node.take(node.ticket(this.key));
			administrator.execute("ALTER TABLE distlock_instance RENAME TO distlock_hidden");
			try {
				assertThat(node.administration().end(this.key, grant.firstToken())).isEqualTo(EndResult.ENDED);
			}
			finally {
				administrator.execute("ALTER TABLE distlock_hidden RENAME TO distlock_instance");
			}
			assertThat(output).contains(WARNING);
		}
	}

}
