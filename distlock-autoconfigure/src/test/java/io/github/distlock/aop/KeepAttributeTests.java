package io.github.distlock.aop;

import java.time.Duration;
import java.util.List;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The attribute {@code keep}, from the annotation to the request.
 */
class KeepAttributeTests {

	private static LockRequest requestOf(Class<? extends Work> bean, String keep) {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(bean).with("keep", keep).start()) {
			context.getBean(bean).run();
			return context.getBean(InMemoryLocks.class).requests.get(0);
		}
	}

	@ParameterizedTest
	@CsvSource({ "1ms, PT0.001S", "5ms, PT0.005S", "PT1S, PT1S", "0, PT0S", "' 20ms ', PT0.02S" })
	void aTimeToKeepTheLockReachesTheRegistry(String value, Duration expected) {
		assertThat(requestOf(Kept.class, value).keep()).isEqualTo(expected);
	}

	@Test
	void withoutTheAttributeTheRegistryDecides() {
		assertThat(requestOf(Kept.class, "").keep()).isNull();
	}

	@ParameterizedTest
	@CsvSource({ "5, has no unit", "-1, has no unit", "999us, use 1ms to 1s", "1001ms, use 1ms to 1s",
			"soon, is not a duration" })
	void aMalformedTimeIsRefused(String value, String problem) {
		LockedApplication.of(Kept.class).with("keep", value).assertRefused(problem);
	}

	@Test
	void aLockThatIsNeverKeptIsRefused() {
		for (Class<?> type : List.of(WithLeaseTime.class, WithMinHold.class, Fair.class, Read.class, Write.class)) {
			LockedApplication.of(type)
				.assertRefused("cannot be kept for PT0.005S after its release",
						"only for an exclusive lock without leaseTime, minHold and fair");
		}
	}

	@Test
	void aLockThatIsNotToBeKeptCanHaveALeaseTime() {
		assertThat(requestOf(NotKept.class, "").leaseTime()).hasSeconds(10);
	}

	@Test
	void aLockIsNotKeptIfOneOfTwoAnnotationsForItForbidsThat() {
		LockRequest request = requestOf(TwiceWithLeaseTimeAndNotKept.class, "");
		assertThat(request.keep()).isZero();
		assertThat(request.leaseTime()).hasSeconds(10);
	}

	@Test
	void aRequestForALockThatIsNeverKeptIsRefused() {
		LockRequest kept = LockRequest.of("order-1").keep(Duration.ofMillis(5));
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> kept.leaseTime(Duration.ofSeconds(1)))
			.withMessage(
					"Lock 'order-1' cannot be kept for PT0.005S after its release: use 1ms to 1s, or 0 to never keep "
							+ "it, and only for an exclusive lock without leaseTime, minHold and fair");
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> kept.fair(true));
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> kept.mode(LockMode.READ));
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> kept.minHold(Duration.ofSeconds(1)));
		assertThatExceptionOfType(LockDefinitionException.class).isThrownBy(() -> kept.keep(Duration.ofMillis(1001)))
			.withMessageContaining("PT1.001S after its release: use 1ms to 1s, or 0 to never keep it");
	}

	@Test
	void ofTwoAnnotationsForOneLockTheShorterTimeCounts() {
		assertThat(requestOf(Twice.class, "").keep()).isEqualTo(Duration.ofMillis(5));
	}

	@Test
	void aLockIsNotKeptIfAnotherAnnotationForItForbidsThat() {
		LockRequest request = requestOf(TwiceWithLeaseTime.class, "");
		assertThat(request.keep()).isNull();
		assertThat(request.leaseTime()).hasSeconds(10);
	}

	abstract static class Work {

		abstract void run();

	}

	static class Kept extends Work {

		@Override
		@DistributedLock(key = "'k'", keep = "${keep}")
		public void run() {
		}

	}

	static class WithLeaseTime {

		@DistributedLock(key = "'k'", keep = "5ms", leaseTime = "10s")
		public void run() {
		}

	}

	static class WithMinHold {

		@DistributedLock(key = "'k'", keep = "5ms", minHold = "1s")
		public void run() {
		}

	}

	static class Fair {

		@DistributedLock(key = "'k'", keep = "5ms", fair = true)
		public void run() {
		}

	}

	static class Read {

		@DistributedLock(key = "'k'", keep = "5ms", mode = LockMode.READ)
		public void run() {
		}

	}

	static class Write {

		@DistributedLock(key = "'k'", keep = "5ms", mode = LockMode.WRITE)
		public void run() {
		}

	}

	static class NotKept extends Work {

		@Override
		@DistributedLock(key = "'k'", keep = "0", leaseTime = "10s")
		public void run() {
		}

	}

	static class Twice extends Work {

		@Override
		@DistributedLock(key = "'k'", keep = "50ms")
		@DistributedLock(key = "'k'", keep = "5ms")
		public void run() {
		}

	}

	static class TwiceWithLeaseTimeAndNotKept extends Work {

		@Override
		@DistributedLock(key = "'k'", keep = "0")
		@DistributedLock(key = "'k'", leaseTime = "10s")
		public void run() {
		}

	}

	static class TwiceWithLeaseTime extends Work {

		@Override
		@DistributedLock(key = "'k'", keep = "5ms")
		@DistributedLock(key = "'k'", leaseTime = "10s")
		public void run() {
		}

	}

}
