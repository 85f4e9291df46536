package io.github.distlock.contract;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;

import io.github.distlock.HeldLock;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.BackendDescription;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The common part of all contract interfaces.
 */
interface ContractTests {

	StoreUnderTest store();

	/** The JVMs, threads and key of one test. */
	Stage stage();

	/** The key of the test. */
	default String key() {
		return stage().key();
	}

	default BackendNode first() {
		return stage().first();
	}

	default BackendNode second() {
		return stage().second();
	}

	default ContractNode one() {
		return stage().one();
	}

	default ContractNode two() {
		return stage().two();
	}

	/** A request for the key of the test. */
	default LockRequest request() {
		return LockRequest.of(key());
	}

	default LockRequest once() {
		return request().waitTime(Duration.ZERO);
	}

	/**
	 * Return a request that waits without a limit.
	 * @return the request for the key of the test
	 */
	default LockRequest patient() {
		return request().waitTime(LockRequest.FOREVER);
	}

	/**
	 * Start a caller of a node on another thread, and return when it waits.
	 * @param node the node
	 * @param request what it requests
	 * @return its lock, later
	 */
	default Future<HeldLock> waiter(ContractNode node, LockRequest request) {
		int before = node.waiting();
		Future<HeldLock> waiter = stage().inThread(() -> node.registry().acquire(request));
		await().until(() -> node.waiting() > before);
		return waiter;
	}

	/** Check that a node acquires the lock with a higher token than an earlier holder. */
	default void assertNextEnters(ContractNode node, HeldLock earlier) {
		try (HeldLock next = node.acquire(key())) {
			assertThat(next.isHeld()).isTrue();
			assertTokenFollows(next, earlier);
		}
	}

	/** Check the token of a later holder, unless the store has none. */
	default void assertTokenFollows(HeldLock next, HeldLock earlier) {
		assertThat(next.fencingToken()).matches(
				(token) -> store().locksAreTransactions() ? token == 0 : token > earlier.fencingToken(),
				"follows " + earlier.fencingToken());
	}

	/**
	 * Wait until another node has found the lock free and no command is under way.
	 */
	default void awaitFree() {
		two().acquire(key()).close();
		stage().awaitIdle();
	}

	/**
	 * The callers wait, each in a thread of its own, and get the lock in this order when
	 * the one before has closed it.
	 */
	default void assertEnterOneByOne(HeldLock held, List<Future<HeldLock>> callers) throws Exception {
		HeldLock last = held;
		for (Future<HeldLock> caller : callers) {
			assertThat(callers.subList(callers.indexOf(caller), callers.size())).noneMatch(Future::isDone);
			last.close();
			HeldLock next = stage().get(caller);
			assertThat(next.fencingToken()).isGreaterThan(last.fencingToken());
			last = next;
		}
		last.close();
		stage().awaitIdle();
	}

	default BackendDescription description() {
		return stage().description();
	}

	/**
	 * A lease that the watchdog renews in time although this JVM may have no processor
	 * for a second.
	 */
	default Duration watchedLease() {
		return store().shortLease().multipliedBy(5);
	}

	default ConditionFactory await() {
		return Awaitility.await().pollInterval(Duration.ofMillis(10)).atMost(store().patience());
	}

	default void assumeOrder() {
		assumeTrue(description().fair(), () -> "The store '" + description().name() + "' keeps no order across JVMs");
	}

	default void assumeReaders() {
		assumeTrue(description().modes().contains(LockMode.READ),
				() -> "The store '" + description().name() + "' knows no readers");
	}

	default void assumePermits() {
		assumeTrue(description().permits(), () -> "The store '" + description().name() + "' knows no permits");
	}

	default void assumeExpiry() {
		assumeTrue(description().expires(),
				() -> "In the store '" + description().name() + "' a lock lasts as long as the session of its holder");
	}

	default void assumeNoTransaction() {
		assumeFalse(store().locksAreTransactions(),
				() -> "A lock of the store '" + description().name() + "' is a transaction of one thread");
	}

	default void assumeLastingTokens() {
		assumeTrue(store().tokensSurviveLoss(),
				() -> "Tokens of the store '" + description().name() + "' start again after a loss of all data");
	}

	/**
	 * A test of the contract that clears the store or counts all its items. No other test
	 * of the class runs at the same time.
	 */
	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@Documented
	@interface WholeStore {

	}

}
