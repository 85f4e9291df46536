package io.github.distlock.backend.jdbc;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.github.distlock.LockBackendException;
import io.github.distlock.autoconfigure.DistlockAutoConfiguration;
import io.github.distlock.autoconfigure.DistlockJdbcAutoConfiguration;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.RenewalResult;
import io.github.distlock.backend.StoreInspection.EndResult;
import io.github.distlock.backend.StoreUnusableException;
import io.github.distlock.backend.Ticket;
import io.github.distlock.backend.jdbc.JdbcExceptionTranslator.DatabaseText;
import io.github.distlock.installed.Installed;
import io.github.distlock.testing.DocumentedRights;
import org.jspecify.annotations.Nullable;
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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static io.github.distlock.testing.FlushedLog.flushed;

/**
 * What the store says and does if a database is not set up as it should be, and for a
 * user that has only the documented rights, or lacks one of them; how it names a
 * database, and messages of drivers without the credentials of their URLs. PostgreSQL is
 * changed in a schema of the test's own, or for a user of the test's own.
 */
@Tag(Installed.TAG)
@ExtendWith(OutputCaptureExtension.class)
class DatabaseProblemTests {

	private static final List<String> RIGHTS = DocumentedRights.table();

	private static final Duration SOON = Duration.ofSeconds(30);

	@AutoClose
	private final JdbcNodes nodes = new JdbcNodes();

	private final String id = "problem" + UUID.randomUUID().toString().substring(0, 8);

	private final String key = "problem-" + UUID.randomUUID();

	private final String prefix = UUID.randomUUID() + ":";

	private final TestDatabase database = TestDatabase.postgres();

	private final JdbcTemplate owner = this.database.direct();

	@AfterEach
	void removeSchema() {
		this.owner.execute("DROP SCHEMA IF EXISTS " + this.id + " CASCADE");
	}

	@Test
	void anEmptyDatabaseIsOneWarningThatNamesTheTableOfTheLocks(CapturedOutput output) {
		this.owner.execute("CREATE SCHEMA " + this.id);
		JdbcNode node = this.nodes.lease(schemaPool());
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
	void aReadOnlyServerIsNamedAndCostsFewConnections() {
		AtomicInteger opened = new AtomicInteger();
		HikariConfig settings = new HikariConfig();
		settings.setConnectionInitSql("SET default_transaction_read_only = on");
		settings.setMinimumIdle(0);
		settings.setDataSource(new UnknownPool(() -> {
			opened.incrementAndGet();
			return Objects.requireNonNull(this.owner.getDataSource()).getConnection();
		}, null));
		JdbcNode node = this.nodes.lease(new HikariDataSource(settings));
		long begin = System.nanoTime();
		for (int i = 0; i < 100; i++) {
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> node.attemptOnce(this.key))
				.withMessageContaining("the server is read-only");
		}
		int intervals = (int) ((System.nanoTime() - begin) / 500_000_000) + 1;
		// The pool has four connections, and that of the application one.
		assertThat(opened).hasValueLessThanOrEqualTo(4 * (intervals + 1) + 1);
	}

	@Test
	void aWrongUserOrDatabaseIsOneWarningAtTheStart(CapturedOutput output) {
		HikariConfig settings = this.database.as("nobody").poolSettings(2);
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
		HikariDataSource pool = new TestDatabase("postgresql", "jdbc:postgresql://localhost:1/shop", "").pool(2,
				(settings) -> settings.setInitializationFailTimeout(-1));
		this.nodes.closing(JdbcNode.impatient(this.nodes.closing(pool)));
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
		HikariDataSource pool = this.database.as(this.id)
			.pool(2, (settings) -> settings.setInitializationFailTimeout(-1));
		JdbcNode node = this.nodes.closing(JdbcNode.impatient(this.nodes.closing(pool)));
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
		JdbcNode node = this.nodes.lease(schemaPool());
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
		JdbcNode node = this.nodes.lease(schemaPool());
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> node.attemptOnce(this.key))
			.withMessageStartingWith(symptom)
			.withMessageContaining("(ERROR: as it is")
			.withMessageContaining(remedy)
			.withMessageNotContaining("Rename");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void anH2ThatTakesAnEmptyTextForNullIsRefused(boolean lease) {
		HikariDataSource pool = this.nodes
			.closing(new TestDatabase("h2", "jdbc:h2:mem:" + this.id + ";MODE=Oracle;DB_CLOSE_DELAY=-1", "").pool(9));
		new ResourceDatabasePopulator(new ClassPathResource("io/github/distlock/backend/jdbc/schema-h2.sql"))
			.execute(pool);
		assertThatExceptionOfType(StoreUnusableException.class)
			.isThrownBy(() -> (lease ? JdbcNode.lease(pool) : JdbcNode.connection(pool)).close())
			.withMessageContaining(
					"takes an empty text for NULL, so no lock could be released. H2 does so in" + " MODE=Oracle");
	}

	@Test
	void aMariaDbThatTakesAnEmptyTextForNullIsRefused() {
		HikariDataSource pool = this.nodes.closing(TestDatabase.mariaDb()
			.pool(2, (settings) -> settings
				.setConnectionInitSql("SET SESSION sql_mode = CONCAT(@@sql_mode, ',EMPTY_STRING_IS_NULL')")));
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
		makeUser();
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
		makeUser();
		this.owner.execute("GRANT SELECT, INSERT, UPDATE ON " + this.id + ".distlock_lock TO " + this.id);
		this.owner.execute("INSERT INTO " + this.id + ".distlock_lock VALUES ('old', '', 1, 1, 0)");
		JdbcNode node = this.nodes.lease(this.database.as(this.id).pool(2, (settings) -> settings.setSchema(this.id)));
		node.take(node.ticket(this.key));
		await().atMost(SOON).until(() -> flushed(output).toString().contains("rows of unused locks stay in the table"));
		assertThat(flushed(output))
			.contains("grant the user SELECT, INSERT, UPDATE and DELETE on distlock_lock. Until then rows of"
					+ " unused locks stay in the table");
	}

	@Test
	void existingTablesNeedNoRightToCreateThem() {
		makeTables();
		makeUser();
		this.owner
			.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " + this.id + " TO " + this.id);
		application().withPropertyValues("distlock.fail-fast=true")
			.run((started) -> assertThat(started).hasNotFailed());
	}

	@Test
	void aRightThatOnlyWaitingNeedsIsAWarningAtTheStart(CapturedOutput output) {
		makeTables();
		makeUser();
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

	private void makeUser() {
		this.owner.execute("CREATE ROLE " + this.id + " LOGIN");
		this.owner.execute("GRANT USAGE ON SCHEMA " + this.id + " TO " + this.id);
	}

	private void makeTables() {
		this.owner.execute("CREATE SCHEMA " + this.id);
		this.owner.execute("CREATE TABLE " + this.id + ".distlock_lock (LIKE public.distlock_lock INCLUDING ALL)");
	}

	private HikariDataSource schemaPool() {
		return this.database.pool(2, (settings) -> settings.setSchema(this.id));
	}

	@ParameterizedTest
	@MethodSource
	void theDocumentedRightsAreSufficientForBothModes(Database server, boolean connection) {
		HikariDataSource pool = pool(server.open(), RIGHTS);
		JdbcNode holder = node(pool, connection);
		JdbcNode other = node(pool, connection);
		holder.store.verify();
		assertThat(server.open()
			.direct()
			.queryForList("SELECT lock_key FROM distlock_lock WHERE lock_key = ?", byte[].class,
					("\0" + holder.self.id()).getBytes(StandardCharsets.UTF_8)))
			.as("rows that the check has left")
			.isEmpty();
		Ticket ticket = holder.ticket("k");
		Grant grant = holder.take(ticket);
		Ticket waiting = other.ticket("k");
		assertThat(other.attempt(waiting)).isInstanceOf(AttemptResult.Queued.class);
		assertThat(holder.release(ticket)).isTrue();
		if (connection) {
			await().atMost(SOON).until(() -> other.has(waiting));
		}
		assertThat(other.take(waiting).firstToken()).isGreaterThan(grant.firstToken());
		if (connection) {
			assertThat(other.release(waiting)).isTrue();
			return;
		}
		long token = other.inspection().inspect("k").holders().get(0).grantToken();
		assertThat(holder.inspection().end("k", token)).isEqualTo(EndResult.ENDED);
	}

	static Stream<Arguments> theDocumentedRightsAreSufficientForBothModes() {
		return Stream.of(Database.values())
			.flatMap((server) -> Stream.of(false, true).map((connection) -> Arguments.of(server, connection)));
	}

	@ParameterizedTest
	@CsvSource({ "POSTGRESQL, false", "POSTGRESQL, true", "MARIADB, false", "MARIADB, true" })
	void theDocumentedRightsAreSufficientAfterTheDatabaseHasEndedAllSessions(Database server, boolean connection) {
		HikariDataSource pool = pool(server.open(), RIGHTS);
		JdbcNode holder = node(pool, connection);
		JdbcNode other = node(pool, connection);
		Ticket ticket = holder.ticket("k");
		Grant grant = holder.take(ticket);
		Ticket waiting = other.queue("k");
		server.open().endSessions(pool.getUsername());
		if (connection) {
			await().atMost(SOON).until(() -> holder.doubted.contains(ticket));
		}
		else {
			assertThat(holder.renew(ticket, grant)).isInstanceOf(RenewalResult.Extended.class);
			assertThat(holder.release(ticket)).isTrue();
		}
		await().atMost(SOON).ignoreExceptions().until(() -> other.has(waiting));
		// Its session may have got the lock from the holder's, and was ended after it.
		assertThat(other.release(waiting) || connection).isTrue();
		Ticket again = other.ticket("k");
		other.take(again);
		assertThat(other.release(again)).isTrue();
		holder.store.verify();
	}

	@ParameterizedTest
	@MethodSource
	void eachMissingRightIsNamedAtTheStart(Database server, String missing) {
		List<String> lesser = RIGHTS.stream().filter((right) -> !right.equals(missing)).toList();
		HikariDataSource pool = pool(server.open(), lesser);
		JdbcNode node = node(pool, false);
		assertThatExceptionOfType(LockBackendException.class).isThrownBy(node.store::verify)
			.withMessageContaining("The database refused the check")
			.withMessageContaining(missing.equals("SELECT") ? "check (" : "the right " + missing)
			.withMessageContaining("grant the user SELECT, INSERT, UPDATE and DELETE on distlock_lock");
	}

	static Stream<Arguments> eachMissingRightIsNamedAtTheStart() {
		return Stream.of(Database.values())
			.flatMap((server) -> RIGHTS.stream().map((right) -> Arguments.of(server, right)));
	}

	private JdbcNode node(HikariDataSource pool, boolean connected) {
		return this.nodes.closing(JdbcNode.named(pool, this.prefix, connected));
	}

	/** A pool of a new user with these rights on the table. */
	private HikariDataSource pool(TestDatabase database, List<String> rights) {
		return this.nodes.closing(database.granting(rights).pool(8));
	}

	@ParameterizedTest
	@ValueSource(strings = { "jdbc:postgresql://app:hidden@db1:5432/shop", "jdbc:postgresql://db1/shop?password=hidden",
			"jdbc:postgresql://app:hi@hidden@db1/shop", "jdbc:mysql://app:x?/hidden@db1/shop",
			"jdbc:mysql://address=(host=db1)(password=hidden)/shop", "jdbc:mysql://(host=db1,password=hidden)/shop",
			"jdbc:mariadb://app:a/hidden@db1/shop", "jdbc:h2:tcp://db1/~/shop;PASSWORD=a@hidden",
			"jdbc:h2:mem:shop;USER=sa;PASSWORD=hidden", "jdbc:mysql://app:p;hidden@db1/shop" })
	void noPartOfAPasswordIsInTheName(String url) {
		assertThat(DatabaseText.location(null, url)).doesNotContain("hidden");
	}

	@ParameterizedTest
	@CsvSource({ ", jdbc:postgresql://app:x@db1:5432/shop?ssl=true, PostgreSQL at jdbc:postgresql://db1:5432/shop",
			", jdbc:mariadb://db1/shop, MariaDB at jdbc:mariadb://db1/shop",
			", jdbc:h2:mem:shop;MODE=MySQL, H2 at jdbc:h2:mem:shop", "H2, , H2", ", , a database" })
	void theNameHasProductHostAndDatabase(@Nullable JdbcDialect dialect, @Nullable String url, String name) {
		assertThat(DatabaseText.location(dialect, url)).isEqualTo(name);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					Connection to db:5432 refused. Check that it runs | Connection to db:5432 refused. Check that it runs
					FATAL: password authentication failed for user "shop" | FATAL: password authentication failed for user "shop"
					Access denied for user 'shop'@'127.0.0.1' (using password: YES) | Access denied for user 'shop'@'127.0.0.1' (using password: YES)
					not a URL: jdbc:postgresql://shop:secret@db/x | not a URL: ...@db/x
					caused by: shop:secret@127.0.0.1 | caused by: ...@127.0.0.1
					Incorrect port value : secret@127.0.0.1 | Incorrect port value : ...@127.0.0.1
					no: jdbc:oracle:thin:shop/secret@db | no: ...@db
					no: jdbc:mysql://db/x?user=shop&password=secret&ssl=true | no: jdbc:mysql://db/x?user=...&password=...&ssl=true
					no: jdbc:h2:tcp:x;USER=shop;PASSWORD=secret | no: jdbc:h2:tcp:x;USER=...;PASSWORD=...
					""")
	void credentialsAreReplacedAndOtherTextIsKept(String message, String shown) {
		assertThat(DatabaseText.mask(message)).isEqualTo(shown);
	}

}
