package io.github.distlock.aop;

import java.time.Duration;
import java.util.List;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.LockRequest;
import io.github.distlock.aop.LockedApplication.Work;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The attribute {@code keep}, from the annotation to the request.
 */
class KeepAttributeTests {

	@ParameterizedTest
	@CsvSource({ "1ms, PT0.001S", "5ms, PT0.005S", "PT1S, PT1S", "0, PT0S", "' 20ms ', PT0.02S" })
	void aTimeToKeepTheLockReachesTheRegistry(String value, Duration expected) {
		assertThat(LockedApplication.of(Kept.class).with("keep", value).request().keep()).isEqualTo(expected);
	}

	@Test
	void withoutTheAttributeTheRegistryDecides() {
		assertThat(LockedApplication.of(Kept.class).with("keep", "").request().keep()).isNull();
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
		assertThat(LockedApplication.of(NotKept.class).request().leaseTime()).hasSeconds(10);
	}

	@Test
	void aLockIsNotKeptIfOneOfTwoAnnotationsForItForbidsThat() {
		LockRequest request = LockedApplication.of(TwiceWithLeaseTimeAndNotKept.class).request();
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
		assertThat(LockedApplication.of(Twice.class).request().keep()).isEqualTo(Duration.ofMillis(5));
	}

	@Test
	void aLockIsNotKeptIfAnotherAnnotationForItForbidsThat() {
		LockRequest request = LockedApplication.of(TwiceWithLeaseTime.class).request();
		assertThat(request.keep()).isNull();
		assertThat(request.leaseTime()).hasSeconds(10);
	}

	@DistributedLock(key = "'k'", keep = "${keep}")
	static class Kept extends Work {

	}

	@DistributedLock(key = "'k'", keep = "5ms", leaseTime = "10s")
	static class WithLeaseTime extends Work {

	}

	@DistributedLock(key = "'k'", keep = "5ms", minHold = "1s")
	static class WithMinHold extends Work {

	}

	@DistributedLock(key = "'k'", keep = "5ms", fair = true)
	static class Fair extends Work {

	}

	@DistributedLock(key = "'k'", keep = "5ms", mode = LockMode.READ)
	static class Read extends Work {

	}

	@DistributedLock(key = "'k'", keep = "5ms", mode = LockMode.WRITE)
	static class Write extends Work {

	}

	@DistributedLock(key = "'k'", keep = "0", leaseTime = "10s")
	static class NotKept extends Work {

	}

	@DistributedLock(key = "'k'", keep = "50ms")
	@DistributedLock(key = "'k'", keep = "5ms")
	static class Twice extends Work {

	}

	@DistributedLock(key = "'k'", keep = "0")
	@DistributedLock(key = "'k'", leaseTime = "10s")
	static class TwiceWithLeaseTimeAndNotKept extends Work {

	}

	@DistributedLock(key = "'k'", keep = "5ms")
	@DistributedLock(key = "'k'", leaseTime = "10s")
	static class TwiceWithLeaseTime extends Work {

	}

}
