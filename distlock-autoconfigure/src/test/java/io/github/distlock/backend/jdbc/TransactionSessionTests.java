package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.LockKeyPrefix;
import io.github.distlock.LockListener;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.LockKeys;
import io.github.distlock.backend.jdbc.TransactionShop.Sales;
import io.github.distlock.testing.ChildJvm;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

/**
 * Locks of the store {@code transaction} as sessions of PostgreSQL have them.
 */
class TransactionSessionTests {

	private static final Duration SOON = Duration.ofSeconds(60);

	private static @Nullable TransactionShop shared;

	private final TestDatabase database = TestDatabase.postgres();

	private final String key = "session-" + UUID.randomUUID();

	private final List<AutoCloseable> open = new ArrayList<>();

	@AfterEach
	void close() throws Exception {
		for (AutoCloseable each : this.open) {
			each.close();
		}
	}

	/** The application of most tests. */
	private TransactionShop shop() {
		if (shared == null) {
			shared = newShop(this.database.poolSettings(4), new ArrayList<>());
		}
		return shared;
	}

	@AfterAll
	static void closeShared() {
		Objects.requireNonNull(shared).close();
		shared = null;
	}

	private TransactionShop shop(String... properties) {
		return shop(this.database.poolSettings(4), new ArrayList<>(List.of(properties)));
	}

	private TransactionShop shop(HikariConfig settings, List<String> properties) {
		TransactionShop shop = newShop(settings, properties);
		this.open.add(shop);
		return shop;
	}

	private static TransactionShop newShop(HikariConfig settings, List<String> properties) {
		properties.add("distlock.backend=transaction");
		return new TransactionShop(new HikariDataSource(settings), properties, (context) -> {
			context.register(Sales.class);
			context.registerBean(Attempts.class);
		});
	}

	private ChildJvm holder() {
		ChildJvm holder = ChildJvm.start(TransactionShop.class, this.database.platform(), this.database.url(),
				this.database.user(), this.key);
		this.open.add(holder);
		holder.expect("held");
		return holder;
	}

	/** A session that holds the number of the key. */
	private Connection session(String key) throws SQLException {
		Connection session = DriverManager.getConnection(this.database.url(), this.database.user(), "");
		this.open.add(session);
		session.setAutoCommit(false);
		session.createStatement()
			.execute("SELECT pg_advisory_xact_lock(" + LockKeys.number("public", "distlock_lock", "distlock:", key)
					+ ")");
		return session;
	}

	private List<Integer> holders(String schema) {
		long number = LockKeys.number(schema, "distlock_lock", "distlock:", this.key);
		return this.database.direct()
			.queryForList("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted"
					+ " AND (classid::bigint << 32 | objid::bigint) = ?", Integer.class, number);
	}

	private int waiting() {
		return Objects.requireNonNull(this.database.direct()
			.queryForObject(
					"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND"
							+ " (classid::bigint << 32 | objid::bigint) = ?",
					Integer.class, LockKeys.number("public", "distlock_lock", "distlock:", this.key)));
	}

	@Test
	void theNumberOfAKeyDoesNotDependOnTheSchemaOfTheFirstTransaction() {
		TransactionShop shop = shop();
		shop.template.executeWithoutResult((status) -> {
			shop.jdbc.execute("SET LOCAL search_path = pg_catalog");
			shop.sales.once(this.key, () -> assertThat(holders("public")).isNotEmpty());
		});
	}

	@Test
	void aHolderThatIsKilledIsSucceededAtOnce() {
		TransactionShop shop = shop();
		ChildJvm holder = holder();
		CompletableFuture<String> next = CompletableFuture.supplyAsync(() -> shop.sales.waiting(this.key, () -> "ran"),
				(task) -> new Thread(task).start());
		await().atMost(SOON).until(() -> waiting() == 1);
		holder.kill();
		assertThat(next.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo("ran");
	}

	@Test
	void aHolderThatIsStoppedKeepsTheKeyUntilTheDatabaseEndsItsSession() {
		TransactionShop shop = shop();
		ChildJvm holder = holder();
		holder.pause();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> shop.sales.once(this.key, () -> {
		})).withMessageContaining("a transaction of another application instance");
		this.database.direct().execute("SELECT pg_terminate_backend(" + holders("public").get(0) + ")");
		assertThat(shop.sales.waiting(this.key, () -> "ran")).isEqualTo("ran");
	}

	@Test
	void theNumberIsThatOfTheModeConnectionAlsoBeforeTheTableIsMade() {
		shop().sales.waiting(this.key, () -> assertThat(holders("public")).hasSize(1));
		String schema = "later" + this.key.substring(8, 16);
		this.database.direct().execute("CREATE SCHEMA " + schema);
		HikariConfig settings = this.database.poolSettings(2);
		settings.setSchema(schema);
		shop(settings, new ArrayList<>()).sales.waiting(this.key, () -> assertThat(holders(schema)).hasSize(1));
		shop("distlock.jdbc.schema=" + schema).sales.waiting(this.key, () -> assertThat(holders(schema)).hasSize(1));
	}

	@Test
	void theLimitOfTheSessionIsRestoredAfterAWait() throws SQLException {
		TransactionShop shop = shop();
		Connection other = session(this.key);
		shop.template.executeWithoutResult((status) -> {
			shop.jdbc.execute("SET LOCAL lock_timeout = '59s'");
			assertThat(shop.sales.skipped(this.key, () -> "ran")).isNull();
			assertThat(shop.jdbc.queryForObject("SHOW lock_timeout", String.class)).isEqualTo("59s");
			CompletableFuture.runAsync(() -> {
				await().atMost(SOON).until(() -> waiting() == 1);
				assertThatNoException().isThrownBy(other::rollback);
			}, (task) -> new Thread(task).start());
			assertThat(shop.sales.waiting(this.key, () -> shop.jdbc.queryForObject("SHOW lock_timeout", String.class)))
				.isEqualTo("59s");
		});
	}

	@Test
	void listenersLearnOfARefusalByTheDatabase() throws SQLException {
		TransactionShop shop = shop();
		List<LockOutcome> outcomes = shop.context.getBean(Attempts.class).outcomes;
		outcomes.clear();
		session(this.key);
		assertThat(shop.sales.skipped(this.key, () -> "ran")).isNull();
		assertThat(shop.sales.replaced(this.key, () -> "ran")).isEqualTo("otherwise");
		LockRequest once = LockRequest.of(this.key).waitTime(Duration.ZERO);
		shop.template.executeWithoutResult((status) -> assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> shop.registry.execute(once, () -> "ran")));
		assertThat(outcomes).containsExactly(LockOutcome.ACQUIRED, LockOutcome.SKIPPED, LockOutcome.ACQUIRED,
				LockOutcome.TIMEOUT, LockOutcome.ACQUIRED, LockOutcome.TIMEOUT);
	}

	@Test
	void listenersLearnOfARefusalByTheDatabaseWithTheRequestAndTheKeyOfTheStore() throws SQLException {
		List<String> attempts = new CopyOnWriteArrayList<>();
		TransactionShop shop = new TransactionShop(this.database.pool(2), List.of("distlock.backend=transaction"),
				(context) -> {
					context.register(Sales.class);
					context.registerBean(LockKeyPrefix.class, () -> (key) -> "tenant");
					context.registerBean(LockListener.class, () -> new LockListener() {

						@Override
						public void onAttempted(Attempted event, LockRequest request) {
							attempts.add(event.outcome() + " " + event.key() + " " + request.key());
						}

					});
				});
		this.open.add(shop);
		String whole = "tenant" + LockKeyPrefix.SEPARATOR + this.key;
		session(whole);
		assertThat(shop.sales.skipped(this.key, () -> "ran")).isNull();
		LockRequest once = LockRequest.of(this.key).waitTime(Duration.ZERO);
		shop.template.executeWithoutResult((status) -> assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> shop.registry.execute(once, () -> "ran")));
		String keys = " " + whole + " " + whole;
		assertThat(attempts).containsExactly("ACQUIRED" + keys, "SKIPPED" + keys, "ACQUIRED" + keys, "TIMEOUT" + keys);
	}

	/** With the fence, a lock without a token is not in its table. */
	@ParameterizedTest
	@ValueSource(strings = { "distlock.transaction.commit-guard=false", "distlock.transaction.fence=true" })
	void guardAndFenceChangeNothing(String property) {
		TransactionShop shop = shop(property, "distlock.jdbc.initialize-schema=always");
		shop.sales.waiting(this.key, () -> assertThat(holders("public")).hasSize(1));
		assertThat(holders("public")).isEmpty();
		JdbcTemplate direct = this.database.direct();
		if (property.contains("fence")) {
			assertThat(direct.queryForObject(
					"SELECT count(*) FROM distlock_fence WHERE convert_from(lock_key, 'UTF8')" + " LIKE ?",
					Integer.class, "%" + this.key))
				.isZero();
		}
	}

	static final class Attempts implements LockListener {

		private final List<LockOutcome> outcomes = new CopyOnWriteArrayList<>();

		@Override
		public void onAttempted(Attempted event) {
			this.outcomes.add(event.outcome());
		}

	}

}
