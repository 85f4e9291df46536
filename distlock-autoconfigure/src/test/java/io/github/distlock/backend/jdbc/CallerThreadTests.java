package io.github.distlock.backend.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.distlock.LockBackendException;
import io.github.distlock.backend.AttemptResult;
import io.github.distlock.backend.Grant;
import io.github.distlock.backend.Ticket;
import io.github.distlock.contract.Answers;
import io.github.distlock.installed.Installed;
import io.github.distlock.thread.LockThreads;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * Which thread sends a command of the mode {@code lease}. Another session locks the row,
 * so that the command waits in the database meanwhile.
 */
@Tag(Installed.TAG)
class CallerThreadTests {

	private static final Duration SOON = Duration.ofSeconds(20);

	@AutoClose
	private final JdbcNodes nodes = new JdbcNodes();

	private final String key = "caller-" + UUID.randomUUID();

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void theThreadOfTheCallerSendsToAPlainPool(Database server) throws Exception {
		HikariDataSource pool = this.nodes.closing(server.open().pool(4));
		assertThat(callerSends(server, pool, Thread::new, null)).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void theThreadOfTheCallerSendsAlsoBehindAProxyOrInATransactionButNotToAnotherSource(Source source)
			throws Exception {
		HikariDataSource pool = this.nodes.closing(TestDatabase.postgres().pool(4));
		DataSource dataSource = source.before(pool);
		TransactionTemplate transaction = source.sends ? new TransactionTemplate(new JdbcTransactionManager(pool))
				: null;
		assertThat(callerSends(Database.POSTGRESQL, dataSource, Thread::new, transaction)).isEqualTo(source.sends);
		if (!source.sends && source != Source.ROUTING_BY_TENANT) {
			ReflectionTestUtils.invokeMethod(dataSource, "close");
		}
	}

	@Test
	void theThreadOfTheCallerDoesNotUseAnotherSocket() {
		assertThat(maySend("jdbc:postgresql://localhost/locks")).isTrue();
		assertThat(maySend("jdbc:postgresql:///locks?socketFactory=org.example.UnixSocketFactory")).isFalse();
		assertThat(maySend("jdbc:mariadb:///locks?localSocket=/run/mysqld.sock")).isFalse();
		assertThat(maySend("jdbc:mariadb:///locks?pipe=locks")).isFalse();
		assertThat(maySend("jdbc:h2:file:./locks")).isFalse();
	}

	private static boolean maySend(String url) {
		try (HikariDataSource pool = new HikariDataSource()) {
			pool.setJdbcUrl(url);
			try (LockPool locks = new LockPool(pool, JdbcUnderTest.SETTINGS, 3, 3, "lease")) {
				return locks.isPlain();
			}
		}
	}

	@Test
	@EnabledForJreRange(min = JRE.JAVA_21)
	void aVirtualThreadDoesNotSend() throws Exception {
		HikariDataSource pool = this.nodes.closing(TestDatabase.postgres().pool(4));
		assertThat(callerSends(Database.POSTGRESQL, pool, LockThreads.numbered("caller-").virtual(), null)).isFalse();
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void anInterruptNeitherEndsTheConnectionNorIsLost(Database server) throws Exception {
		TestDatabase database = server.open();
		JdbcNode node = this.nodes.lease(database.pool(4));
		BlockedRow row = this.nodes.closing(new BlockedRow(database, node, this.key));
		AtomicBoolean interruptedBefore = new AtomicBoolean();
		AtomicBoolean interrupted = new AtomicBoolean();
		CompletableFuture<AttemptResult> result = new CompletableFuture<>();
		Thread caller = new Thread(() -> {
			Thread.currentThread().interrupt();
			node.take(node.ticket(this.key + "-other"));
			interruptedBefore.set(Thread.interrupted());
			result.complete(node.attempt(node.ticket(this.key)));
			interrupted.set(Thread.currentThread().isInterrupted());
		});
		caller.start();
		await().atMost(SOON).until(() -> isInDriver(caller));
		Long session = await().atMost(SOON).until(() -> session(server, database), Objects::nonNull);
		caller.interrupt();
		row.free();
		assertThat(result.get(20, TimeUnit.SECONDS)).isInstanceOf(Grant.class);
		caller.join();
		assertThat(interruptedBefore).isTrue();
		assertThat(interrupted).isTrue();
		assertThat(sessions(server, database)).contains(session);
	}

	@ParameterizedTest
	@EnumSource(names = { "POSTGRESQL", "MARIADB" })
	void aStatementThatWaitsForALockedRowFailsInTime(Database server) throws Exception {
		TestDatabase database = server.open();
		JdbcNode node = this.nodes.lease(database.pool(4));
		BlockedRow row = this.nodes.closing(new BlockedRow(database, node, this.key));
		// The server ends the wait before the command times out.
		Ticket late = node.ticket(this.key);
		assertThatThrownBy(() -> node.attempt(late)).isInstanceOf(LockBackendException.class);
		Long session = session(server, database);
		row.free();
		if (server == Database.POSTGRESQL) {
			assertThat(session).as("session that waits").isNull();
		}
		else {
			// The server executes it as soon as it can.
			await().atMost(SOON).until(() -> session(server, database) == null);
			Answers.of(node.store.cancel(late));
		}
		node.take(node.ticket(this.key));
	}

	/** Whether the thread of a caller sends an attempt that has to wait for the row. */
	private boolean callerSends(Database server, DataSource dataSource, ThreadFactory threads,
			@Nullable TransactionTemplate transaction) throws Exception {
		JdbcNode node = this.nodes.closing(JdbcNode.lease(dataSource));
		BlockedRow row = this.nodes.closing(new BlockedRow(server.open(), node, this.key));
		CompletableFuture<AttemptResult> result = new CompletableFuture<>();
		Ticket ticket = node.ticket(this.key);
		Thread caller = threads.newThread(() -> result.complete(
				(transaction != null) ? transaction.execute((status) -> node.attempt(ticket)) : node.attempt(ticket)));
		caller.start();
		await().atMost(SOON)
			.until(() -> session(server, server.open()) != null
					&& (Thread.getAllStackTraces().keySet().stream().anyMatch(this::isSending) || isInDriver(caller)));
		boolean sends = isInDriver(caller);
		row.free();
		assertThat(result.get(20, TimeUnit.SECONDS)).isInstanceOf(Grant.class);
		return sends;
	}

	private boolean isSending(Thread thread) {
		return thread.getName().matches("distlock-jdbc-\\d+") && isInDriver(thread);
	}

	private static boolean isInDriver(Thread thread) {
		return Stream.of(thread.getStackTrace())
			.anyMatch((frame) -> frame.getClassName().equals(LockConnection.class.getName())
					&& frame.getMethodName().equals("query"))
				&& Stream.of(thread.getStackTrace())
					.anyMatch((frame) -> frame.getMethodName().startsWith("socketRead")
							|| frame.getClassName().startsWith("sun.nio.ch."));
	}

	/** The session in which the attempt waits. */
	private static @Nullable Long session(Database server, TestDatabase database) {
		List<Long> sessions = database.direct()
			.queryForList((server == Database.POSTGRESQL)
					? "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'WITH held%'"
					: "SELECT id FROM information_schema.processlist WHERE info LIKE 'INSERT INTO distlock_lock%'",
					Long.class);
		return sessions.isEmpty() ? null : sessions.get(0);
	}

	private static List<Long> sessions(Database server, TestDatabase database) {
		return database.direct()
			.queryForList((server == Database.POSTGRESQL) ? "SELECT pid FROM pg_stat_activity"
					: "SELECT id FROM information_schema.processlist", Long.class);
	}

	/** What an application may put around its pool, or use in place of one. */
	enum Source {

		NONE(true, (pool) -> pool),

		TRANSACTION_AWARE(true, TransactionAwareDataSourceProxy::new),

		LAZY(true, LazyConnectionDataSourceProxy::new),

		DELEGATING(true, DelegatingDataSource::new),

		ROUTING_WITH_A_DEFAULT(true, (pool) -> routing(Map.of(), pool)),

		ROUTING_BY_TENANT(false, (pool) -> routing(Map.of("tenant", pool), null)),

		/** The pools that Spring Boot makes besides Hikari. */
		TOMCAT(false, (pool) -> other(pool, "org.apache.tomcat.jdbc.pool.DataSource")),

		DBCP(false, (pool) -> other(pool, "org.apache.commons.dbcp2.BasicDataSource")),

		ANOTHER_SOURCE_BEHIND_THE_POOL(false, (pool) -> {
			HikariConfig settings = new HikariConfig();
			settings.setDataSource(new DriverManagerDataSource(pool.getJdbcUrl(), pool.getUsername(), ""));
			settings.setMaximumPoolSize(4);
			return new HikariDataSource(settings);
		});

		private final boolean sends;

		private final Function<HikariDataSource, DataSource> source;

		Source(boolean sends, Function<HikariDataSource, DataSource> source) {
			this.sends = sends;
			this.source = source;
		}

		private DataSource before(HikariDataSource pool) {
			return this.source.apply(pool);
		}

		private static DataSource other(HikariDataSource pool, String type) {
			return DataSourceBuilder.derivedFrom(pool)
				.type(ClassUtils.resolveClassName(type, null).asSubclass(DataSource.class))
				.build();
		}

	}

	/** A tenant is always known. */
	private static DataSource routing(Map<Object, Object> targets, @Nullable DataSource defaultTarget) {
		AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {

			@Override
			protected Object determineCurrentLookupKey() {
				return "tenant";
			}

		};
		routing.setTargetDataSources(targets);
		if (defaultTarget != null) {
			routing.setDefaultTargetDataSource(defaultTarget);
		}
		routing.afterPropertiesSet();
		return routing;
	}

	/** A free row that another session has locked. */
	private static final class BlockedRow implements AutoCloseable {

		private final Connection session;

		BlockedRow(TestDatabase database, JdbcNode node, String key) throws SQLException {
			Ticket ticket = node.hold(key);
			assertThat(node.release(ticket)).isTrue();
			this.session = new DriverManagerDataSource(database.url(), database.user(), "").getConnection();
			this.session.setAutoCommit(false);
			try (PreparedStatement statement = this.session
				.prepareStatement("SELECT fence FROM distlock_lock WHERE lock_key = ? FOR UPDATE")) {
				statement.setBytes(1, LeaseModeTests.bytes(key));
				assertThat(statement.executeQuery().next()).isTrue();
			}
		}

		void free() throws SQLException {
			this.session.rollback();
		}

		@Override
		public void close() throws SQLException {
			this.session.close();
		}

	}

}
