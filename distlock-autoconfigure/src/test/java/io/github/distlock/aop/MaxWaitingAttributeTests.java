package io.github.distlock.aop;

import java.time.Duration;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import io.github.distlock.aop.LockedApplication.Work;
import io.github.distlock.registry.BackendLockRegistry;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * The attribute {@code maxWaiting}, from the annotation to what a refused caller gets.
 */
class MaxWaitingAttributeTests {

	@AutoClose
	private static final AnnotationConfigApplicationContext context = LockedApplication
		.of(HotMethods.class, LocalStoreApplication.class)
		.start();

	private static final BackendLockRegistry locks = context.getBean(BackendLockRegistry.class);

	private static final HotMethods hot = context.getBean(HotMethods.class);

	/** One caller holds the lock, and another one waits. */
	@BeforeAll
	static void makeHot() {
		locks.acquireAsync(LockRequest.of("hot")).join();
		locks.acquireAsync(LockRequest.of("hot").waitTime(LockRequest.FOREVER));
		await().until(() -> locks.snapshot().waiting().size() == 1);
	}

	@ParameterizedTest
	@CsvSource({ "1, 1", "20, 20", "' 7 ', 7", "999999999, 999999999", "007, 7" })
	void aNumberOfCallersReachesTheRegistry(String value, int expected) {
		assertThat(LockedApplication.of(Limited.class).with("most", value).request().maxWaiting()).isEqualTo(expected);
	}

	@Test
	void withoutTheAttributeTheRegistryDecides() {
		assertThat(LockedApplication.of(Limited.class).with("most", "").request().maxWaiting()).isNull();
	}

	@Test
	void ofTwoAnnotationsForOneLockTheSmallerNumberCounts() {
		assertThat(LockedApplication.of(Twice.class).request().maxWaiting()).isEqualTo(5);
		assertThat(LockedApplication.of(TwiceOnceLimited.class).request().maxWaiting()).isEqualTo(5);
	}

	@Test
	void eachOfSeveralKeysHasTheLimit() {
		try (AnnotationConfigApplicationContext started = LockedApplication.of(SeveralKeys.class).start()) {
			started.getBean(SeveralKeys.class).run();
			assertThat(started.getBean(InMemoryLocks.class).requests).hasSize(2)
				.allSatisfy((request) -> assertThat(request.maxWaiting()).isEqualTo(4));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "-1", "many", "1.5", "1e3", "5ms", "0x10", "1 000", "9999999999", "٣" })
	void aValueThatIsNoNumberOfCallersIsRefused(String value) {
		assertThatException().isThrownBy(() -> LockedApplication.of(Limited.class).with("most", value).start().close())
			.satisfies((ex) -> assertThat(ex).hasRootCauseInstanceOf(LockDefinitionException.class)
				.hasStackTraceContaining(
						"@DistributedLock(maxWaiting = \"" + value + "\") on " + Limited.class.getName()
								+ ".run() is not a number of callers from 1 to 999999999: write one, or"
								+ " waitTime = \"0\" to let no call wait; \"\" takes distlock.max-waiting"));
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, -1, Integer.MIN_VALUE })
	void aRequestThatLetsNoCallerWaitIsRefused(int number) {
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> LockRequest.of("order-1").maxWaiting(number))
			.withMessage("The number of callers that may wait for lock 'order-1' is " + number
					+ ": use 1 or more, or no wait time to let no caller wait");
	}

	@Test
	void theNumberIsKeptByAllOtherChangesOfARequest() {
		LockRequest request = LockRequest.of("k")
			.maxWaiting(3)
			.key("other")
			.name("name")
			.waitTime(Duration.ZERO)
			.leaseTime(Duration.ofSeconds(1))
			.minHold(Duration.ofMillis(1))
			.fair(true);
		assertThat(request.maxWaiting()).isEqualTo(3);
	}

	@Test
	void aCallThatIsRefusedThrows() {
		LockNotAcquiredException problem = catchThrowableOfType(LockNotAcquiredException.class, hot::plain);
		assertThat(problem.reason()).isEqualTo(LockOutcome.TOO_MANY_WAITING);
		assertThat(problem.lockName()).isEqualTo("HotMethods.plain");
	}

	static class Limited extends Work {

		@Override
		@DistributedLock(key = "'k'", maxWaiting = "${most}")
		public void run() {
		}

	}

	@DistributedLock(key = "'k'", maxWaiting = "50")
	@DistributedLock(key = "'k'", maxWaiting = "5")
	static class Twice extends Work {

	}

	@DistributedLock(key = "'k'")
	@DistributedLock(key = "'k'", maxWaiting = "5")
	static class TwiceOnceLimited extends Work {

	}

	@DistributedLock(key = "{'a', 'b'}", maxWaiting = "4")
	static class SeveralKeys extends Work {

	}

	static class HotMethods {

		@DistributedLock(key = "'hot'", maxWaiting = "1")
		public String plain() {
			return "done";
		}

	}

}
