package io.github.distlock.transaction;

import java.time.Duration;
import java.util.List;

import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockLostException;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Which reactive transactions commit under locks, with a real database.
 */
class ReactiveCommitGuardTests {

	private static final ConnectionFactory DATABASE = ConnectionFactories
		.get("r2dbc:h2:mem:///guarded?options=DB_CLOSE_DELAY=-1");

	private static final DatabaseClient CLIENT = DatabaseClient.create(DATABASE);

	static {
		execute("create table if not exists sales (what varchar)").block();
	}

	private final StubLock lock = new StubLock();

	private final ReactiveTransactionManager manager = (ReactiveTransactionManager) new CommitGuard(
			() -> new CommitTerms(true, Duration.ofMillis(10)))
		.postProcessAfterInitialization(new R2dbcTransactionManager(DATABASE), "transactions");

	@BeforeEach
	void forget() {
		execute("delete from sales").block();
	}

	private static Mono<Void> execute(String sql) {
		return CLIENT.sql(sql).then();
	}

	private static Mono<Void> sell(String what) {
		return execute("insert into sales values ('" + what + "')");
	}

	private <T> Mono<T> transaction(Mono<T> work, int propagation) {
		return TransactionalOperator.create(this.manager, new DefaultTransactionDefinition(propagation))
			.transactional(work);
	}

	private <T> Mono<T> transaction(Mono<T> work) {
		return transaction(work, TransactionDefinition.PROPAGATION_REQUIRED);
	}

	private <T> Mono<T> underLock(Mono<T> work) {
		return work.contextWrite((context) -> context.put(LockContext.CONTEXT_KEY, List.<HeldLock>of(this.lock)));
	}

	private Mono<Void> lose() {
		return Mono.<Void>fromRunnable(this.lock::lose).subscribeOn(Schedulers.parallel());
	}

	private static void assertSold(String... what) {
		assertThat(CLIENT.sql("select what from sales").mapValue(String.class).all().collectList().block())
			.containsExactly(what);
	}

	private static void assertLost(Mono<?> work) {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(work::block);
	}

	@Test
	void aTransactionUnderAHeldLockCommits() {
		underLock(transaction(sell("book"))).block();
		assertSold("book");
	}

	@Test
	void aTransactionUnderALostLockIsRolledBack() {
		assertLost(underLock(transaction(sell("book").then(lose()))));
		assertSold();
	}

	@Test
	void aTransactionWithLessThanTheMarginLeftIsRolledBack() {
		this.lock.left(Duration.ofMillis(9));
		assertLost(underLock(transaction(sell("book"))));
		assertSold();
	}

	@Test
	void theLockOfTheSubscribingThreadAppliesIfTheContextHasNone() {
		try (LockContext.Scope scope = LockContext.open(this.lock)) {
			assertThat(scope).isNotNull();
			Mono<Void> elsewhere = Mono.<Void>empty().publishOn(Schedulers.parallel());
			assertLost(transaction(elsewhere.then(sell("book")).then(lose())));
		}
		assertSold();
	}

	@Test
	void theLockIsCheckedAfterAllOtherWorkBeforeTheCommit() {
		TransactionSynchronization last = new TransactionSynchronization() {

			@Override
			public Mono<Void> beforeCompletion() {
				return lose();
			}

		};
		assertLost(underLock(transaction(sell("book").then(TransactionSynchronizationManager.forCurrentTransaction())
			.doOnNext((synchronizations) -> synchronizations.registerSynchronization(last)))));
		assertSold();
	}

	/** A nested one to its savepoint. */
	@ParameterizedTest
	@ValueSource(ints = { TransactionDefinition.PROPAGATION_REQUIRES_NEW, TransactionDefinition.PROPAGATION_NESTED })
	void aTransactionInsideIsRolledBackAndTheOuterOneIsNot(int propagation) {
		Mono<Void> inner = transaction(sell("inner").then(lose()), propagation);
		transaction(sell("outer").then(underLock(inner).onErrorComplete(LockLostException.class))).block();
		assertSold("outer");
	}

	@Test
	void aLockThatWasReleasedAfterAnInnerTransactionIsNotALoss() {
		Mono<Void> inner = underLock(transaction(sell("inner"))).then(lose());
		transaction(sell("outer").then(inner)).block();
		assertSold("outer", "inner");
	}

	@Test
	void aFailedTransactionKeepsItsOwnError() {
		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> underLock(
				transaction(sell("book").then(lose()).then(Mono.error(new IllegalStateException("mine")))))
			.block());
		assertSold();
	}

}
