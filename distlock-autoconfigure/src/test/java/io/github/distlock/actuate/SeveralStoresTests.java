package io.github.distlock.actuate;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The endpoint and the health of an application with two stores, of which one can fail.
 */
class SeveralStoresTests {

	private static final String MESSAGE = "Memory at nowhere:1 does not answer: check whether it runs";

	@AutoClose
	private static final EndpointApplication application = EndpointApplication.start(
			new Class<?>[] { EndpointApplication.Program.class, SecondStore.class }, "distlock.local.enabled=true",
			"management.endpoint.distlocks.access=unrestricted", "management.endpoint.distlocks.show-values=always",
			"management.endpoint.health.show-details=always", "management.endpoint.health.probes.enabled=true");

	@AfterEach
	void repair() {
		SecondStore.failure.set(null);
	}

	private static LockRegistry registry(String name) {
		return application.bean(name, LockRegistry.class);
	}

	@Test
	void aKeyOfOneStoreNeedsNoNameOfARegistry() throws Exception {
		HeldLock lock = registry("distlockSecondLockRegistry").acquire(LockRequest.of("one"));
		assertThat(EndpointApplication.json(application.get("/actuator/distlocks/one"))).containsEntry("registry",
				"second");
		assertThat(application.delete("/actuator/distlocks/one?token=" + lock.fencingToken()).statusCode())
			.isEqualTo(204);
		assertThat(application.get("/actuator/distlocks/one").statusCode()).isEqualTo(404);
		assertThat(application.delete("/actuator/distlocks/one?token=" + lock.fencingToken()).statusCode())
			.isEqualTo(404);
		DistlocksEndpointTests.await(() -> assertThat(lock.isHeld()).isFalse());
	}

	@Test
	void aKeyOfTwoStoresIsAmbiguousUntilTheRegistryIsNamed() throws Exception {
		try (HeldLock first = registry("distlockLocalLockRegistry").acquire(LockRequest.of("two"));
				HeldLock second = registry("distlockSecondLockRegistry").acquire(LockRequest.of("two"))) {
			assertThat(application.get("/actuator/distlocks/two")).satisfies((response) -> {
				assertThat(response.statusCode()).isEqualTo(400);
				assertThat(response.body()).contains("local, second");
			});
			assertThat(application.delete("/actuator/distlocks/two?token=" + first.fencingToken()).statusCode())
				.isEqualTo(400);
			assertThat(application.get("/actuator/distlocks/two?registry=second").statusCode()).isEqualTo(200);
			assertThat(first.isHeld()).isTrue();
			assertThat(second.isHeld()).isTrue();
		}
	}

	@Test
	void aStoreThatDoesNotAnswerIsUnavailableAndTheRestIsShown() throws Exception {
		try (HeldLock lock = registry("distlockSecondLockRegistry").acquire(LockRequest.of("unavailable"))) {
			SecondStore.failure.set(new LockBackendException(MESSAGE));
			assertThat(application.get("/actuator/distlocks/unavailable?registry=second")).satisfies((response) -> {
				assertThat(response.statusCode()).isEqualTo(503);
				assertThat(response.body()).contains(MESSAGE);
			});
			assertThat(application.delete("/actuator/distlocks/unavailable?registry=second&token=1").statusCode())
				.isEqualTo(503);
			var registries = EndpointApplication.map(EndpointApplication.json(application.get("/actuator/distlocks")),
					"registries");
			assertThat(registries).containsOnlyKeys("local", "second");
			assertThat(EndpointApplication.list(EndpointApplication.map(registries, "second"), "held")).hasSize(1);
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void ifAStoreDoesNotAnswerTheRegistryOfAnotherCanBeNamed() throws Exception {
		SecondStore.failure.set(new LockBackendException(MESSAGE));
		try (HeldLock lock = registry("distlockLocalLockRegistry").acquire(LockRequest.of("found"))) {
			assertThat(application.get("/actuator/distlocks/found").statusCode()).isEqualTo(503);
			assertThat(application.get("/actuator/distlocks/found?registry=local").statusCode()).isEqualTo(200);
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void aRequestWhoseOutcomeIsNotKnownIsAuditedToo() throws Exception {
		for (RuntimeException failure : new RuntimeException[] { new LockBackendException(MESSAGE),
				new IllegalStateException("a defect") }) {
			SecondStore.failure.set(failure);
			application.delete("/actuator/distlocks?key=not-known&registry=second&token=1");
		}
		assertThat(application.audit()).filteredOn((event) -> "not-known".equals(event.getData().get("key")))
			.extracting((event) -> event.getData().get("refusal"))
			.containsExactly(MESSAGE, "failed");
	}

	@Test
	void whatAStoreCannotDoIsNotImplementedAndTheAnswerSaysWhatToDoInstead() throws Exception {
		String remedy = "End the session in the database: SELECT pg_terminate_backend(4711)";
		try (HeldLock lock = registry("distlockSecondLockRegistry").acquire(LockRequest.of("unsupported"))) {
			SecondStore.failure.set(new UnsupportedOperationException(remedy));
			assertThat(
					application.delete("/actuator/distlocks/unsupported?registry=second&token=" + lock.fencingToken()))
				.satisfies((response) -> {
					assertThat(response.statusCode()).isEqualTo(501);
					assertThat(response.body()).isEqualTo("{\"message\":\"" + remedy + "\"}");
				});
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void healthHasAnEntryForEachStore() throws Exception {
		var components = EndpointApplication.map(EndpointApplication.json(application.get("/actuator/health/distlock")),
				"components");
		assertThat(components).containsOnlyKeys("local", "second");
		assertThat(EndpointApplication.map(components, "local")).containsEntry("status", "UP");
		assertThat(EndpointApplication.map(EndpointApplication.map(components, "local"), "details"))
			.containsOnlyKeys("location", "watchdogLateness", "held", "waiting", "roundTrip");
	}

	@Test
	void aStoreThatDoesNotAnswerIsDownAndHealthSaysWhatToDo() throws Exception {
		SecondStore.failure.set(new LockBackendException(MESSAGE));
		assertThat(application.get("/actuator/health/distlock/second")).satisfies((response) -> {
			assertThat(response.statusCode()).isEqualTo(503);
			assertThat(response.body()).contains("\"status\":\"DOWN\"", MESSAGE, "\"location\"", "\"held\":0")
				.doesNotContain("roundTrip");
		});
		assertThat(application.get("/actuator/health/distlock/local").statusCode()).isEqualTo(200);
		assertThat(application.get("/actuator/health").statusCode()).isEqualTo(503);
	}

	@Test
	void aStoreThatDoesNotAnswerDoesNotEndTheApplication() throws Exception {
		SecondStore.failure.set(new LockBackendException(MESSAGE));
		assertThat(application.get("/actuator/health/liveness")).satisfies((response) -> {
			assertThat(response.statusCode()).isEqualTo(200);
			assertThat(response.body()).contains("\"status\":\"UP\"").doesNotContain("distlock");
		});
		assertThat(application.get("/actuator/health/liveness/distlock").statusCode()).isEqualTo(404);
		assertThat(application.get("/actuator/health/readiness").statusCode()).isEqualTo(200);
	}

}
