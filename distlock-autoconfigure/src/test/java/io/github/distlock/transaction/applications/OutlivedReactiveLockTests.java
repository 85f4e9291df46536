package io.github.distlock.transaction.applications;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockLostException;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.reactive.TransactionalOperator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Reactive transactions that were subscribed to under a lock and that commit after the
 * lock was closed, with a real Redis and a real database.
 */
class OutlivedReactiveLockTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	@AutoClose
	private static final Shops shops = new Shops();

	private static final ConfigurableApplicationContext application = shops.open(List.of(ReactiveApplication.class));

	/** Completes when the outer lock has been closed. */
	private final Sinks.Empty<Void> closed = Sinks.empty();

	private final AtomicReference<CompletableFuture<Void>> later = new AtomicReference<>();

	@BeforeAll
	static void createTable() {
		client().sql("create table sales (what varchar)").then().block(PATIENCE);
	}

	@BeforeEach
	void empty() {
		client().sql("delete from sales").then().block(PATIENCE);
	}

	private static DatabaseClient client() {
		return application.getBean(DatabaseClient.class);
	}

	private static Iterable<String> sold() {
		return client().sql("select what from sales")
			.mapValue(String.class)
			.all()
			.collectList()
			.blockOptional(PATIENCE)
			.orElseThrow();
	}

	private void sellLater() {
		Mono<Void> sale = this.closed.asMono().then(client().sql("insert into sales values ('book')").then());
		this.later.set(application.getBean(TransactionalOperator.class).transactional(sale).toFuture());
	}

	private void checkThatItCommits() {
		this.closed.tryEmitEmpty();
		assertThat(this.later.get()).succeedsWithin(PATIENCE);
		assertThat(sold()).containsExactly("book");
	}

	private void checkThatItIsRolledBack() {
		this.closed.tryEmitEmpty();
		assertThat(this.later.get()).failsWithin(PATIENCE)
			.withThrowableThat()
			.withCauseInstanceOf(LockLostException.class)
			.withMessageMatching(".*Lock 'outer' \\(token \\d+\\) was lost before its transaction committed.*");
		assertThat(sold()).isEmpty();
	}

	@Test
	void aTransactionCommitsAfterTheLockOfABlockingMethodWasReleased() {
		application.getBean(Office.class).within(this::sellLater);
		checkThatItCommits();
	}

	@Test
	void aTransactionIsRolledBackAfterTheLockOfABlockingMethodWasLostAndClosed() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> application.getBean(Office.class).briefly(() -> {
				sellLater();
				Shops.outliveTheLease();
			}));
		checkThatItIsRolledBack();
	}

	@Test
	void aTransactionCommitsAfterTheLockOfAPublisherWasReleased() {
		application.getBean(Office.class).withinMono(this::sellLater).block(PATIENCE);
		checkThatItCommits();
	}

	@Test
	void aTransactionIsRolledBackAfterTheLockOfAPublisherWasLostAndClosed() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> application.getBean(Office.class).brieflyMono(() -> {
				sellLater();
				Shops.outliveTheLease();
			}).block(PATIENCE));
		checkThatItIsRolledBack();
	}

	static class Office extends OutlivedLockTests.Office {

		@DistributedLock("'outer'")
		Mono<Void> withinMono(Runnable work) {
			work.run();
			return Mono.empty();
		}

		@DistributedLock(key = "'outer'", leaseTime = "200ms")
		Mono<Void> brieflyMono(Runnable work) {
			work.run();
			return Mono.empty();
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration(
			exclude = { HibernateJpaAutoConfiguration.class, DataJpaRepositoriesAutoConfiguration.class })
	@Import(Office.class)
	static class ReactiveApplication {

		@Bean
		ConnectionFactory connections() {
			return ConnectionFactories.get("r2dbc:h2:mem:///outlived?options=DB_CLOSE_DELAY=-1");
		}

		@Bean
		ReactiveTransactionManager transactionManager(ConnectionFactory connections) {
			return new R2dbcTransactionManager(connections);
		}

		@Bean
		TransactionalOperator transactions(ReactiveTransactionManager manager) {
			return TransactionalOperator.create(manager);
		}

		@Bean
		DatabaseClient client(ConnectionFactory connections) {
			return DatabaseClient.create(connections);
		}

	}

}
