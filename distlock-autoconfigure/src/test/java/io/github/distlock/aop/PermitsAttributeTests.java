package io.github.distlock.aop;

import java.time.Duration;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import io.github.distlock.aop.LockedApplication.Work;
import io.github.distlock.registry.BackendLockRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * The attribute {@code permits}, from the annotation to what a refused caller gets.
 */
class PermitsAttributeTests {

	@ParameterizedTest
	@CsvSource({ "1, 1", "20, 20", "' 7 ', 7", "10000, 10000", "007, 7" })
	void aNumberOfPermitsReachesTheRegistryAndTheCallIsAReader(String value, int expected) {
		LockRequest request = LockedApplication.of(Limited.class).with("slots", value).request();
		assertThat(request.permits()).isEqualTo(expected);
		assertThat(request.mode()).isEqualTo(LockMode.READ);
	}

	@Test
	void withoutTheAttributeThereIsNoLimit() {
		LockRequest request = LockedApplication.of(Limited.class).with("slots", "").request();
		assertThat(request.permits()).isNull();
		assertThat(request.mode()).isEqualTo(LockMode.EXCLUSIVE);
	}

	@Test
	void ofTwoAnnotationsForOneLockTheSmallerNumberCountsAndAWriterNeedsAll() {
		assertThat(LockedApplication.of(Twice.class).request().permits()).isEqualTo(3);
		LockRequest writer = LockedApplication.of(PermitAndWriter.class).request();
		assertThat(writer.permits()).isNull();
		assertThat(writer.mode()).isEqualTo(LockMode.WRITE);
	}

	@Test
	void eachOfSeveralKeysHasThePermits() {
		try (AnnotationConfigApplicationContext started = LockedApplication.of(SeveralKeys.class).start()) {
			started.getBean(SeveralKeys.class).run();
			assertThat(started.getBean(InMemoryLocks.class).requests).hasSize(2)
				.allSatisfy((request) -> assertThat(request.permits()).isEqualTo(4));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "-1", "many", "1.5", "10001" })
	void aValueThatIsNoNumberOfPermitsIsRefused(String value) {
		assertThatException().isThrownBy(() -> LockedApplication.of(Limited.class).with("slots", value).start().close())
			.satisfies((ex) -> assertThat(ex).hasRootCauseInstanceOf(LockDefinitionException.class)
				.hasStackTraceContaining(value)
				.hasStackTraceContaining("1 to 10000"));
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, -1, 10_001 })
	void aRequestWithAnotherNumberIsRefused(int number) {
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> LockRequest.of("order-1").permits(number))
			.withMessage("The number of permits of lock 'order-1' is " + number + ": use 1 to 10000, or no permits");
	}

	@Test
	void theNumberIsKeptByAllOtherChangesOfARequest() {
		LockRequest request = LockRequest.of("k")
			.permits(3)
			.key("other")
			.name("name")
			.waitTime(Duration.ZERO)
			.leaseTime(Duration.ofSeconds(1))
			.minHold(Duration.ofMillis(1))
			.maxWaiting(7)
			.mode(LockMode.EXCLUSIVE)
			.fair(true);
		assertThat(request.permits()).isEqualTo(3);
		assertThat(request.mode()).isEqualTo(LockMode.READ);
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> request.mode(LockMode.WRITE));
	}

	@Test
	void aCallBeyondThePermitsIsRefusedAndTheExceptionNamesThem() {
		try (AnnotationConfigApplicationContext started = LockedApplication
			.of(Reports.class, LocalStoreApplication.class)
			.start()) {
			BackendLockRegistry locks = started.getBean(BackendLockRegistry.class);
			Reports reports = started.getBean(Reports.class);
			HeldLock one = locks.acquireAsync(LockRequest.of("report").permits(2)).join();
			assertThat(reports.create()).isEqualTo("created");
			locks.acquireAsync(LockRequest.of("report").permits(2)).join();
			LockNotAcquiredException problem = catchThrowableOfType(LockNotAcquiredException.class, reports::create);
			assertThat(problem.reason()).isEqualTo(LockOutcome.TIMEOUT);
			assertThat(problem).hasMessageContaining("with 2 permits").hasMessageContaining("use more permits");
			assertThat(problem.retryAfter()).isPositive();
			one.close();
			assertThat(reports.create()).isEqualTo("created");
		}
	}

	@Test
	void aCallKeepsItsPlaceForTheMinimumHoldTime() {
		try (AnnotationConfigApplicationContext started = LockedApplication.of(LocalStoreApplication.class).start()) {
			BackendLockRegistry locks = started.getBean(BackendLockRegistry.class);
			LockRequest once = LockRequest.of("report").waitTime(Duration.ZERO);
			locks.acquire(once.permits(1).minHold(Duration.ofSeconds(20))).close();
			assertThat(locks.tryAcquire(once.permits(1))).isEmpty();
			assertThat(locks.tryAcquire(once.permits(2))).isPresent();
		}
	}

	static class Limited extends Work {

		@Override
		@DistributedLock(key = "'k'", permits = "${slots}")
		public void run() {
		}

	}

	@DistributedLock(key = "'k'", permits = "5")
	@DistributedLock(key = "'k'", permits = "3")
	static class Twice extends Work {

	}

	@DistributedLock(key = "'k'", permits = "5")
	@DistributedLock(key = "'k'", mode = LockMode.WRITE)
	static class PermitAndWriter extends Work {

	}

	@DistributedLock(key = "{'a', 'b'}", permits = "4")
	static class SeveralKeys extends Work {

	}

	static class Reports {

		@DistributedLock(key = "'report'", permits = "2", waitTime = "0")
		String create() {
			return "created";
		}

	}

}
