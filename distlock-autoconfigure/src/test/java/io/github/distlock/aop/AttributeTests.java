package io.github.distlock.aop;

import java.time.Duration;
import java.util.Map;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.LockMode;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import io.github.distlock.aop.LockedApplication.Work;
import io.github.distlock.registry.BackendLockRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Tests attributes that are texts: what reaches the registry, what is refused at start-up
 * without a call, and what a refused caller gets.
 */
class AttributeTests {

	private static final Map<String, String> DEFAULTS = Map.of("name", "label", "key", "'k'", "waitTime", "",
			"leaseTime", "", "maxWaiting", "", "permits", "", "condition", "");

	@AutoClose
	private static final AnnotationConfigApplicationContext context = LockedApplication
		.of(Limited.class, LocalStoreApplication.class)
		.start();

	private static final BackendLockRegistry locks = context.getBean(BackendLockRegistry.class);

	private static final Limited limited = context.getBean(Limited.class);

	/** An application in which each attribute is a property, which one of them lacks. */
	private static LockedApplication without(String attribute) {
		LockedApplication application = LockedApplication.of(Attributes.class);
		DEFAULTS.forEach((name, value) -> {
			if (!name.equals(attribute)) {
				application.with(name, value);
			}
		});
		return application;
	}

	private static LockedApplication with(String attribute, String value) {
		return without(attribute).with(attribute, value);
	}

	@ParameterizedTest(name = "{0} = \"{1}\"")
	@CsvSource(delimiter = '|', textBlock = """
			name       | here            | here
			key        | 'here'          | here
			waitTime   | 0               | PT0S
			waitTime   | -1              | PT-1S
			waitTime   | 500ms           | PT0.5S
			waitTime   | PT2S            | PT2S
			waitTime   | 1h30m           | PT1H30M
			waitTime   | PT999999999999H | PT999999999999H
			waitTime   | " 2s "          | PT2S
			waitTime   | ""              | null
			leaseTime  | 100ms           | PT0.1S
			leaseTime  | ""              | null
			maxWaiting | 1               | 1
			maxWaiting | 20              | 20
			maxWaiting | " 7 "           | 7
			maxWaiting | 999999999       | 999999999
			maxWaiting | 007             | 7
			maxWaiting | ""              | null
			permits    | 1               | 1
			permits    | 20              | 20
			permits    | " 7 "           | 7
			permits    | 10000           | 10000
			permits    | 007             | 7
			permits    | ""              | null
			""", quoteCharacter = '"')
	void aValueReachesTheRegistryAndACallWithPermitsIsAReader(String attribute, String value, String expected) {
		LockRequest request = with(attribute, value).request();
		assertThat(String.valueOf(value(request, attribute))).isEqualTo(expected);
		assertThat(request.mode()).isEqualTo((request.permits() != null) ? LockMode.READ : LockMode.EXCLUSIVE);
	}

	private static @Nullable Object value(LockRequest request, String attribute) {
		return switch (attribute) {
			case "name" -> request.name();
			case "key" -> request.key();
			case "waitTime" -> request.waitTime();
			case "leaseTime" -> request.leaseTime();
			case "maxWaiting" -> request.maxWaiting();
			default -> request.permits();
		};
	}

	@ParameterizedTest(name = "{0} = \"{1}\": {2}")
	@CsvSource(delimiter = '|',
			textBlock = """
					key        | "  "                  | is blank
					key        | #idd                  | uses #idd
					waitTime   | 2 seconds             | is not a duration
					waitTime   | 5                     | has no unit: write a number and a unit
					waitTime   | -5s                   | is negative
					waitTime   | -2                    | has no unit
					waitTime   | PT-1S                 | is negative
					waitTime   | 99999999999999999999s | or is too long
					waitTime   | 9223372036854775807d  | or is too long
					waitTime   | soon                  | "500ms"
					leaseTime  | 10                    | has no unit
					leaseTime  | -1                    | has no unit
					leaseTime  | -1s                   | use 100ms to 365 days
					leaseTime  | 0s                    | use 100ms to 365 days
					leaseTime  | 99ms                  | use 100ms to 365 days
					leaseTime  | 1 s                   | is not a duration
					leaseTime  | 200000d               | use 100ms to 365 days
					leaseTime  | PT99999999999H        | use 100ms to 365 days
					maxWaiting | 0                     | is not a number of callers
					maxWaiting | -1                    | is not a number of callers
					maxWaiting | many                  | is not a number of callers
					maxWaiting | 1.5                   | is not a number of callers
					maxWaiting | 1e3                   | is not a number of callers
					maxWaiting | 5ms                   | is not a number of callers
					maxWaiting | 0x10                  | is not a number of callers
					maxWaiting | 1 000                 | is not a number of callers
					maxWaiting | ٣                     | is not a number of callers
					maxWaiting | 9999999999            | is not a number of callers from 1 to 999999999: write one, or waitTime = "0" to let no call wait; "" takes distlock.max-waiting
					permits    | 0                     | 1 to 10000
					permits    | -1                    | 1 to 10000
					permits    | many                  | 1 to 10000
					permits    | 1.5                   | 1 to 10000
					permits    | 10001                 | is 10001: use 1 to 10000
					permits    | #slots                | needs LockRequest.permits(n)
					condition  | #idd == 1             | uses #idd
					condition  | #id ==                | is not a SpEL expression
					condition  | amount > 1            | has the bare word amount
					""",
			quoteCharacter = '~')
	void anInvalidValueFailsTheStart(String attribute, String value, String problem) {
		boolean fits = value.equals("10001") || problem.startsWith("use ");
		with(attribute, value.replace("\"", "")).assertRefused(Attributes.class.getName() + ".run()", problem,
				fits ? "has attributes that do not fit" : "@DistributedLock(" + attribute + " = \"");
	}

	@ParameterizedTest
	@ValueSource(strings = { "name", "key", "waitTime", "leaseTime", "maxWaiting", "permits", "condition" })
	void anUnknownPlaceholderFailsTheStart(String attribute) {
		without(attribute).assertRefused(Attributes.class.getName() + ".", "@DistributedLock(" + attribute + " = \"",
				"has a placeholder without a value (Could not resolve placeholder '" + attribute + "' in value");
	}

	@Test
	void ofTwoAnnotationsForOneLockTheSmallerNumberCountsAndAWriterNeedsAll() {
		LockRequest twice = LockedApplication.of(Twice.class).request();
		assertThat(twice.maxWaiting()).isEqualTo(5);
		assertThat(twice.permits()).isEqualTo(3);
		LockRequest once = LockedApplication.of(TwiceOnceLimited.class).request();
		assertThat(once.maxWaiting()).isEqualTo(5);
		assertThat(once.permits()).isNull();
		assertThat(once.mode()).isEqualTo(LockMode.WRITE);
	}

	@Test
	void eachOfSeveralKeysHasTheLimits() {
		assertThat(LockedApplication.of(SeveralKeys.class).call(Work.class, Work::run).requests).hasSize(2)
			.allSatisfy((request) -> {
				assertThat(request.maxWaiting()).isEqualTo(4);
				assertThat(request.permits()).isEqualTo(3);
			});
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, -1, Integer.MIN_VALUE, 10_001 })
	void aRequestWithANumberBeyondTheLimitsIsRefused(int number) {
		assertThatExceptionOfType(LockDefinitionException.class)
			.isThrownBy(() -> LockRequest.of("order-1").permits(number))
			.withMessage("The number of permits of lock 'order-1' is " + number + ": use 1 to 10000, or no permits");
		if (number <= 0) {
			assertThatExceptionOfType(LockDefinitionException.class)
				.isThrownBy(() -> LockRequest.of("order-1").maxWaiting(number))
				.withMessage("The number of callers that may wait for lock 'order-1' is " + number
						+ ": use 1 or more, or no wait time to let no caller wait");
		}
	}

	@Test
	void aCallBeyondThePermitsIsRefusedAndTheExceptionNamesThem() {
		HeldLock one = locks.acquireAsync(LockRequest.of("report").permits(2)).join();
		assertThat(limited.report()).isEqualTo("created");
		locks.acquireAsync(LockRequest.of("report").permits(2)).join();
		LockNotAcquiredException problem = catchThrowableOfType(LockNotAcquiredException.class, limited::report);
		assertThat(problem.reason()).isEqualTo(LockOutcome.TIMEOUT);
		assertThat(problem).hasMessageContaining("with 2 permits").hasMessageContaining("use more permits");
		assertThat(problem.retryAfter()).isPositive();
		one.close();
		assertThat(limited.report()).isEqualTo("created");
	}

	@Test
	void aCallKeepsItsPlaceForTheMinimumHoldTime() {
		LockRequest once = LockRequest.of("kept").waitTime(Duration.ZERO);
		locks.acquire(once.permits(1).minHold(Duration.ofSeconds(20))).close();
		assertThat(locks.tryAcquire(once.permits(1))).isEmpty();
		assertThat(locks.tryAcquire(once.permits(2))).isPresent();
	}

	@DistributedLock(name = "${name}", key = "${key}", waitTime = "${waitTime}", leaseTime = "${leaseTime}",
			maxWaiting = "${maxWaiting}", permits = "${permits}", condition = "${condition}")
	static class Attributes extends Work {

	}

	@DistributedLock(key = "'k'", maxWaiting = "50", permits = "5")
	@DistributedLock(key = "'k'", maxWaiting = "5", permits = "3")
	static class Twice extends Work {

	}

	@DistributedLock(key = "'k'", permits = "5")
	@DistributedLock(key = "'k'", maxWaiting = "5", mode = LockMode.WRITE)
	static class TwiceOnceLimited extends Work {

	}

	@DistributedLock(key = "{'a', 'b'}", maxWaiting = "4", permits = "3")
	static class SeveralKeys extends Work {

	}

	static class Limited {

		@DistributedLock(key = "'report'", permits = "2", waitTime = "0")
		public String report() {
			return "created";
		}

	}

}
