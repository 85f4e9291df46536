package io.github.distlock.aop;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.github.distlock.DistributedLock;
import io.github.distlock.LockDefinitionException;
import io.github.distlock.aop.LockedApplication.Work;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.ConnectableFlux;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Lazy;
import org.springframework.util.StringUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests that problems of an annotation are reported at start-up, without a call.
 */
class LockDefinitionCheckTests {

	private static void assertRefused(Class<?> bean, String... problems) {
		LockedApplication.of(bean).assertRefused(StringUtils.addStringToArray(problems, bean.getName() + "."));
	}

	@ParameterizedTest
	@CsvSource({ "2 seconds, is not a duration", "5, has no unit: write a number and a unit", "-5s, is negative",
			"-2, has no unit", "PT-1S, is negative", "99999999999999999999s, or is too long",
			"9223372036854775807d, or is too long", "soon, \"500ms\"" })
	void aMalformedWaitTimeIsRefused(String value, String problem) {
		LockedApplication.of(Durations.class)
			.with("wait", value)
			.assertRefused(Durations.class.getName() + ".run()", "(waitTime = \"" + value + "\")", problem);
	}

	@ParameterizedTest
	@CsvSource({ "10, has no unit", "-1, has no unit", "-1s, use 100ms to 365 days", "0s, use 100ms to 365 days",
			"99ms, use 100ms to 365 days", "1 s, is not a duration", "200000d, use 100ms to 365 days",
			"PT99999999999H, use 100ms to 365 days" })
	void aMalformedLeaseTimeIsRefused(String value, String problem) {
		LockedApplication.of(Durations.class)
			.with("lease", value)
			.assertRefused(Durations.class.getName() + ".run()", problem);
	}

	@ParameterizedTest
	@CsvSource({ "0, PT0S", "-1, PT-1S", "500ms, PT0.5S", "PT2S, PT2S", "1h30m, PT1H30M",
			"PT999999999999H, PT999999999999H", " 2s , PT2S" })
	void aWellFormedWaitTimeReachesTheRegistry(String value, Duration expected) {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(Durations.class)
			.with("wait", value)
			.with("lease", "100ms")
			.start()) {
			context.getBean(Durations.class).run();
			assertThat(context.getBean(InMemoryLocks.class).requests).singleElement().satisfies((request) -> {
				assertThat(request.waitTime()).isEqualTo(expected);
				assertThat(request.leaseTime()).hasMillis(100);
			});
		}
	}

	@ParameterizedTest
	@ValueSource(
			classes = { UnknownInName.class, UnknownInKey.class, UnknownInWaitTime.class, UnknownInLeaseTime.class })
	void anUnknownPlaceholderFailsTheStart(Class<?> bean) {
		assertRefused(bean, "@DistributedLock(", " = \"",
				"has a placeholder without a value (Could not resolve placeholder" + " 'nowhere' in value");
	}

	@Test
	void placeholdersAreResolvedOnceAtStartUp() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(UnknownInName.class, UnknownInKey.class)
			.with("nowhere", "here")
			.start()) {
			context.getBean(UnknownInKey.class).run();
			context.getBean(UnknownInName.class).run();
			InMemoryLocks locks = context.getBean(InMemoryLocks.class);
			assertThat(locks.requests.get(0).key()).isEqualTo("here");
			assertThat(locks.requests.get(1).name()).isEqualTo("here");
		}
	}

	@Test
	void anInvalidKeyIsRefused() {
		assertRefused(UnknownVariable.class, "uses #idd", "#id, #a0, #p0");
		assertRefused(BlankKey.class, "is blank");
	}

	@ParameterizedTest
	@ValueSource(classes = { ReturnsFuture.class, ReturnsOwnFuture.class, ReturnsOwnPublisher.class })
	void resultsThatCompleteLaterInAnUnknownWayAreRefused(Class<?> bean) {
		assertRefused(bean, "continue after the method has returned", "Return ");
	}

	@Test
	void aLazyBeanIsCheckedWhenItIsCreated() {
		try (AnnotationConfigApplicationContext context = LockedApplication.of(LazyUnknownVariable.class).start()) {
			assertThatException().isThrownBy(() -> context.getBean(LazyUnknownVariable.class))
				.havingRootCause()
				.isInstanceOf(LockDefinitionException.class)
				.withMessageContaining("uses #idd");
		}
	}

	@DistributedLock(key = "'k'", waitTime = "${wait:}", leaseTime = "${lease:}")
	static class Durations extends Work {

	}

	@DistributedLock(name = "${nowhere}")
	static class UnknownInName extends Work {

	}

	@DistributedLock(key = "'${nowhere}'")
	static class UnknownInKey extends Work {

	}

	@DistributedLock(waitTime = "${nowhere}")
	static class UnknownInWaitTime extends Work {

	}

	@DistributedLock(leaseTime = "${nowhere}")
	static class UnknownInLeaseTime extends Work {

	}

	static class UnknownVariable {

		@DistributedLock(key = "#idd")
		void run(String id) {
		}

	}

	static class BlankKey {

		@DistributedLock(key = "  ")
		void run(String id) {
		}

	}

	@Lazy
	static class LazyUnknownVariable {

		@DistributedLock(key = "#idd")
		void run(String id) {
		}

	}

	static class ReturnsFuture {

		@DistributedLock
		@Nullable Future<String> run() {
			return null;
		}

	}

	static class ReturnsOwnFuture {

		@DistributedLock
		@Nullable OwnFuture run() {
			return null;
		}

	}

	static class OwnFuture extends CompletableFuture<String> {

	}

	static class ReturnsOwnPublisher {

		@DistributedLock
		@Nullable ConnectableFlux<String> run() {
			return null;
		}

	}

}
