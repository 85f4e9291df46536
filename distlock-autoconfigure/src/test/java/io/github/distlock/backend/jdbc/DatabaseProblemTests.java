package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.LockBackendException;
import io.github.distlock.autoconfigure.DistlockAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockJdbcAutoConfiguration;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.installed.Installed;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.target.HotSwappableTargetSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

import static io.github.distlock.testing.FlushedLog.flushed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What the store says and does if a database is not set up as it should be. PostgreSQL is
 * changed in a schema of the test's own, or for a user of the test's own.
 */
@Tag(Installed.TAG)
@ExtendWith(OutputCaptureExtension.class)
class DatabaseProblemTests {

	private static final Duration SOON = Duration.ofSeconds(30);

	@AutoClose
	private final JdbcNodes nodes = new JdbcNodes();

	private final String id = "problem" + UUID.randomUUID().toString().substring(0, 8);

	private final String key = "problem-" + UUID.randomUUID();

	private final TestDatabase database = TestDatabase.postgres();

	private final JdbcTemplate owner = this.database.direct();

	@AfterEach
	void removeSchema() {
		this.owner.execute("DROP SCHEMA IF EXISTS " + this.id + " CASCADE");
	}

	@Test
	void anEmptyDatabaseIsOneWarningThatNamesTheTableOfTheLocks(CapturedOutput output) {
		this.owner.execute("CREATE SCHEMA " + this.id);
		JdbcNode node = this.nodes.lease(new HikariDataSource(schema()));
		assertThatExceptionOfType(StoreUnusableException.class).isThrownBy(node.store::ping)
			.withMessageContaining("The table distlock_lock is missing");
		assertThat(flushed(output)).containsOnlyOnce("The table distlock_lock is missing")
			.contains("run io/github/distlock/backend/jdbc/schema-postgresql.sql of the distlock jar, or set"
					+ " distlock.jdbc.initialize-schema=always. Until then no lock can be acquired");
	}

	@ParameterizedTest
	@EnumSource
	void aTableWithOtherColumnsIsNamed(Database server) {
		TestDatabase other = server.open();
		JdbcTemplate jdbc = other.direct();
		JdbcBackendSettings.TableNames tables = new JdbcBackendSettings.TableNames(null, this.id + "_");
		jdbc.execute("CREATE TABLE " + tables.lock() + " (lock_key INT PRIMARY KEY, owner INT)");
		try (HikariDataSource pool = other.pool(2); JdbcNode node = JdbcNode.lease(pool, tables)) {
			assertThatExceptionOfType(StoreUnusableException.class).isThrownBy(() -> node.attemptOnce(this.key))
				.withMessageContaining("The database refused the attempt")
				.withMessageContaining("the table " + tables.lock() + " has other columns")
				.withMessageContaining("schema-" + other.platform() + ".sql of the distlock jar")
				.withMessageNotContaining("grant");
		}
		finally {
			jdbc.execute("DROP TABLE " + tables.lock());
		}
	}

	@Test
	void aReadOnlyServerIsNamed() {
		HikariConfig settings = this.database.poolSettings(2);
		settings.setConnectionInitSql("SET default_transaction_read_only = on");
		JdbcNode node = this.nodes.lease(new HikariDataSource(settings));
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> node.attemptOnce(this.key))
			.withMessageContaining("the server is read-only");
	}

	@Test
	void aReadOnlyServerCostsFewConnections() {
		AtomicInteger opened = new AtomicInteger();
		HikariConfig settings = new HikariConfig();
		settings.setConnectionInitSql("SET default_transaction_read_only = on");
		settings.setMinimumIdle(0);
		settings
			.setDataSource(new UnknownPool(new DriverManagerDataSource(this.database.url(), this.database.user(), "")) {

				@Override
				public Connection getConnection() throws SQLException {
					opened.incrementAndGet();
					return super.getConnection();
				}

			});
		JdbcNode node = this.nodes.lease(new HikariDataSource(settings));
		long begin = System.nanoTime();
		for (int i = 0; i < 100; i++) {
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> node.attemptOnce(this.key));
		}
		int intervals = (int) ((System.nanoTime() - begin) / 500_000_000) + 1;
		// The pool has four connections, and that of the application one.
		assertThat(opened).hasValueLessThanOrEqualTo(4 * (intervals + 1) + 1);
	}

	@Test
	void aWrongUserOrDatabaseIsOneWarningAtTheStart(CapturedOutput output) {
		HikariConfig settings = this.database.poolSettings(2);
		settings.setJdbcUrl(this.database.url().replaceFirst("[?].*", ""));
		settings.setUsername("nobody");
		HikariConfig other = this.database.poolSettings(2);
		other.setJdbcUrl(this.database.url().replaceFirst("/postgres[?]", "/nowhere?"));
		for (HikariConfig wrong : List.of(settings, other)) {
			wrong.setInitializationFailTimeout(-1);
			try (HikariDataSource pool = new HikariDataSource(wrong); JdbcNode node = JdbcNode.impatient(pool)) {
				assertThatExceptionOfType(LockBackendException.class).isThrownBy(node.store::ping)
					.withMessageContaining(" refuses the login (")
					.withMessageContaining("does not exist): check user, password and database");
			}
		}
		assertThat(flushed(output).toString().split("Until then no lock can be acquired")).hasSize(3);
	}

	@Test
	void aDatabaseThatIsDownIsOneWarningAtTheStartWithoutAdviceForTheSizeOfThePool(CapturedOutput output) {
		HikariConfig settings = this.database.poolSettings(2);
		settings.setJdbcUrl("jdbc:postgresql://localhost:1/shop");
		settings.setInitializationFailTimeout(-1);
		this.nodes.closing(JdbcNode.impatient(this.nodes.closing(new HikariDataSource(settings))));
		assertThat(flushed(output))
			.containsOnlyOnce("PostgreSQL at jdbc:postgresql://localhost:1/shop cannot be reached (Connection to"
					+ " localhost:1 refused")
			.contains("check that it runs and is reachable. The check failed. Until then no lock can be acquired")
			.doesNotContain("pool-size");
	}

	@Test
	void aRefusedConnectionOfAnyPoolIsNoReasonToChangeThePool() {
		DataSource down = new DriverManagerDataSource("jdbc:postgresql://localhost:1/shop");
		JdbcNode node = this.nodes.closing(JdbcNode.lease(new UnknownPool(down)));
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> node.attemptOnce(this.key))
			.withMessageStartingWith("A database cannot be reached (Connection to localhost:1 refused")
			.withMessageNotContaining("lockDataSource");
	}

	@Test
	void aServerThatAcceptsNoMoreConnectionsIsNoReasonToEnlargeThePool() {
		this.owner.execute("CREATE ROLE " + this.id + " LOGIN CONNECTION LIMIT 0");
		HikariConfig settings = this.database.poolSettings(2);
		settings.setJdbcUrl(this.database.url().replaceFirst("[?].*", ""));
		settings.setUsername(this.id);
		settings.setInitializationFailTimeout(-1);
		HikariDataSource pool = this.nodes.closing(new HikariDataSource(settings));
		JdbcNode node = this.nodes.closing(JdbcNode.impatient(pool));
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(node.store::ping)
			.withMessageContaining(" accepts no more connections (FATAL: too many connections for role")
			.withMessageContaining("make the pools of the applications smaller")
			.withMessageNotContaining("pool-size");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			ADD CONSTRAINT few CHECK (owner = 'x') | violates check constraint
			ADD COLUMN more INT NOT NULL | violates not-null constraint
			ALTER COLUMN owner TYPE varchar(3) | value too long
			DROP COLUMN fence | column "fence" does not exist
			""")
	void aTableWithOtherConstraintsHasAnsweredInOneLine(String change, String cause) {
		makeTables();
		this.owner.execute("ALTER TABLE " + this.id + ".distlock_lock " + change);
		JdbcNode node = this.nodes.lease(new HikariDataSource(schema()));
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> node.attemptOnce(this.key))
			.withMessageStartingWith("The database refused the attempt for lock '" + this.key + "' (ERROR: ")
			.withMessageContaining(cause)
			.withMessageContaining("the table distlock_lock has other columns or constraints than this version")
			.withMessageNotContaining("\n");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			disk_full | The database refused the attempt | correct what the database names
			syntax_error | The database refused the attempt | /docs/compatibility.md lists
			undefined_function | The database refused the attempt | /docs/compatibility.md lists
			undefined_object | The database refused the attempt | /docs/compatibility.md lists
			duplicate_prepared_statement | The database refused the attempt | prepareThreshold=0
			invalid_sql_statement_name | The database refused the attempt | prepareThreshold=0
			insufficient_privilege | The database refused the attempt | grant the user SELECT, INSERT, UPDATE and DELETE
			lock_not_available | The database did not answer the attempt | distlock.jdbc.command-timeout
			""")
	void eachErrorOfTheServerHasARemedyThatFits(String error, String symptom, String remedy) {
		makeTables();
		this.owner.execute("CREATE FUNCTION " + this.id + ".fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE"
				+ " EXCEPTION 'as it is' USING ERRCODE = '" + error + "'; END $$");
		this.owner.execute("CREATE TRIGGER fail BEFORE INSERT ON " + this.id
				+ ".distlock_lock FOR EACH ROW EXECUTE FUNCTION " + this.id + ".fail()");
		JdbcNode node = this.nodes.lease(new HikariDataSource(schema()));
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> node.attemptOnce(this.key))
			.withMessageStartingWith(symptom)
			.withMessageContaining("(ERROR: as it is")
			.withMessageContaining(remedy)
			.withMessageNotContaining("Rename");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anH2ThatTakesAnEmptyTextForNullIsRefused(boolean lease) {
		HikariConfig settings = new HikariConfig();
		settings.setJdbcUrl("jdbc:h2:mem:" + this.id + ";MODE=Oracle;DB_CLOSE_DELAY=-1");
		HikariDataSource pool = this.nodes.closing(new HikariDataSource(settings));
		new ResourceDatabasePopulator(new ClassPathResource("io/github/distlock/backend/jdbc/schema-h2.sql"))
			.execute(pool);
		assertThatExceptionOfType(StoreUnusableException.class)
			.isThrownBy(() -> (lease ? JdbcNode.lease(pool) : JdbcNode.connection(pool)).close())
			.withMessageContaining(
					"takes an empty text for NULL, so no lock could be released. H2 does so in" + " MODE=Oracle");
	}

	@Test
	void aMariaDbThatTakesAnEmptyTextForNullIsRefused() {
		HikariConfig settings = TestDatabase.mariaDb().poolSettings(2);
		settings.setConnectionInitSql("SET SESSION sql_mode = CONCAT(@@sql_mode, ',EMPTY_STRING_IS_NULL')");
		HikariDataSource pool = this.nodes.closing(new HikariDataSource(settings));
		assertThatExceptionOfType(StoreUnusableException.class).isThrownBy(() -> JdbcNode.lease(pool).close())
			.withMessageContaining("EMPTY_STRING_IS_NULL");
	}

	@Test
	void anH2InMemoryIsOneWarningThatNamesOneThatJvmsShare(CapturedOutput output) {
		JdbcNode node = this.nodes.lease(TestDatabase.h2().pool(2));
		node.take(node.ticket(this.key));
		assertThat(flushed(output)).containsOnlyOnce("do not exclude other JVMs")
			.containsPattern("WARN.*Locks in H2 at jdbc:h2:mem:.*use jdbc:h2:file:[.]{3};AUTO_SERVER=TRUE");
	}

	@Test
	void aTableThatMayNotBeCreatedNamesTheReasonAndOneScript(CapturedOutput output) {
		this.owner.execute("CREATE SCHEMA " + this.id);
		this.owner.execute("CREATE ROLE " + this.id + " LOGIN");
		this.owner.execute("GRANT USAGE ON SCHEMA " + this.id + " TO " + this.id);
		application().run((started) -> {
			assertThat(started).hasNotFailed();
			assertThat(flushed(output))
				.containsPattern("The table " + this.id + "[.]distlock_lock is missing [(]ERROR: relation"
						+ ".*[)], and its creation at the start has failed [(].*permission denied" + " for schema "
						+ this.id + ".*[)]: run io/github/distlock/backend/jdbc/schema-postgresql[.]sql of the"
						+ " distlock jar as a user that may create it[.] Until then no lock can be acquired")
				.doesNotContain("set distlock.jdbc.initialize-schema=always");
		});
	}

	@Test
	void aPoolThatCannotBeCopiedIsAWarningThatSaysWhatThatCosts(CapturedOutput output) {
		HikariDataSource pool = this.nodes.closing(this.database.pool(2));
		JdbcNode node = this.nodes.closing(JdbcNode.lease(new UnknownPool(pool)));
		assertThat(flushed(output))
			.containsPattern("WARN.*UnknownPool.*callers inside transactions may come to a standstill"
					+ ".*@Bean\\(defaultCandidate = false\\).*distlock.jdbc.data-source");
	}

	@Test
	void aPoolThatIsReplacedByOneForAnotherDatabaseIsOneErrorAndTheLocksStay(CapturedOutput output) {
		HotSwappableTargetSource target = new HotSwappableTargetSource(this.database.pool(1));
		DataSource refreshed = ProxyFactory.getProxy(DataSource.class, target);
		HikariDataSource same = this.nodes.closing(this.database.pool(1));
		HikariDataSource other = this.nodes.closing(TestDatabase.h2().pool(1));
		JdbcNode node = this.nodes.closing(JdbcNode.lease(refreshed));
		node.take(node.ticket(this.key));
		((HikariDataSource) target.swap(same)).close();
		target.swap(other);
		await().atMost(SOON).until(() -> flushed(output).toString().contains("leads to H2"));
		assertThat(flushed(output)).containsOnlyOnce("leads to H2 at jdbc:h2:mem:")
			.containsPattern("ERROR.*the locks of this JVM stay in PostgreSQL at jdbc:postgresql:");
		assertThat(node.attemptOnce(this.key)).isInstanceOf(AttemptResult.Busy.class);
	}

	@Test
	void withoutTheRightToDeleteAWarningSaysThatRowsStay(CapturedOutput output) {
		makeTables();
		this.owner.execute("CREATE ROLE " + this.id + " LOGIN");
		this.owner.execute("GRANT USAGE ON SCHEMA " + this.id + " TO " + this.id);
		this.owner.execute("GRANT SELECT, INSERT, UPDATE ON " + this.id + ".distlock_lock TO " + this.id);
		this.owner.execute("INSERT INTO " + this.id + ".distlock_lock VALUES ('old', '', 1, 1, 0)");
		HikariConfig settings = schema();
		settings.setJdbcUrl(this.database.url().replaceFirst("[?].*", ""));
		settings.setUsername(this.id);
		JdbcNode node = this.nodes.lease(new HikariDataSource(settings));
		node.take(node.ticket(this.key));
		await().atMost(SOON).until(() -> flushed(output).toString().contains("rows of unused locks stay in the table"));
		assertThat(flushed(output))
			.contains("grant the user SELECT, INSERT, UPDATE and DELETE on distlock_lock. Until then rows of"
					+ " unused locks stay in the table");
	}

	@Test
	void existingTablesNeedNoRightToCreateThem() {
		makeTables();
		this.owner.execute("CREATE ROLE " + this.id + " LOGIN");
		this.owner.execute("GRANT USAGE ON SCHEMA " + this.id + " TO " + this.id);
		this.owner
			.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + this.id + " TO " + this.id);
		application().withPropertyValues("distlock.fail-fast=true")
			.run((started) -> assertThat(started).hasNotFailed());
	}

	@Test
	void aRightThatOnlyWaitingNeedsIsAWarningAtTheStart(CapturedOutput output) {
		makeTables();
		this.owner.execute("CREATE ROLE " + this.id + " LOGIN");
		this.owner.execute("GRANT USAGE ON SCHEMA " + this.id + " TO " + this.id);
		this.owner.execute("GRANT SELECT, INSERT, DELETE ON ALL TABLES IN SCHEMA " + this.id + " TO " + this.id);
		application().run((started) -> {
			assertThat(started).hasNotFailed();
			await().atMost(SOON)
				.untilAsserted(() -> assertThat(output)
					.containsPattern("WARN.*The database refused the check of the right UPDATE.*Calls that need what is"
							+ " refused will fail"));
		});
	}

	private ApplicationContextRunner application() {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, DistlockAutoConfiguration.class,
					DistlockJdbcAutoConfiguration.class))
			.withPropertyValues("spring.datasource.url=" + this.database.url().replaceFirst("[?].*", ""),
					"spring.datasource.username=" + this.id, "spring.datasource.hikari.schema=" + this.id,
					"distlock.backend=jdbc", "distlock.jdbc.command-timeout=5s", "distlock.jdbc.schema=" + this.id,
					"distlock.jdbc.initialize-schema=always");
	}

	private void makeTables() {
		this.owner.execute("CREATE SCHEMA " + this.id);
		this.owner.execute("CREATE TABLE " + this.id + ".distlock_lock (LIKE public.distlock_lock INCLUDING ALL)");
	}

	private HikariConfig schema() {
		HikariConfig settings = this.database.poolSettings(2);
		settings.setSchema(this.id);
		return settings;
	}

}
