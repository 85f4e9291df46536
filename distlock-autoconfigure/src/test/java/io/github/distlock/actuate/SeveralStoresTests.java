package io.github.distlock.actuate;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import io.github.distlock.HeldLock;
import io.github.distlock.LockBackendException;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.StoredLock;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.contract.ForwardingBackend;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static io.github.distlock.actuate.EndpointApplication.list;
import static io.github.distlock.actuate.EndpointApplication.map;
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
		assertThat(application.json("/actuator/distlocks/one")).containsEntry("registry", "second");
		application.assertDelete(204, "/actuator/distlocks/one?token=" + lock.fencingToken());
		application.assertGet(404, "/actuator/distlocks/one");
		application.assertDelete(404, "/actuator/distlocks/one?token=" + lock.fencingToken());
		DistlocksEndpointTests.await(() -> assertThat(lock.isHeld()).isFalse());
	}

	@Test
	void aKeyOfTwoStoresIsAmbiguousUntilTheRegistryIsNamed() throws Exception {
		try (HeldLock first = registry("distlockLocalLockRegistry").acquire(LockRequest.of("two"));
				HeldLock second = registry("distlockSecondLockRegistry").acquire(LockRequest.of("two"))) {
			application.assertGet(400, "/actuator/distlocks/two").contains("local, second");
			application.assertDelete(400, "/actuator/distlocks/two?token=" + first.fencingToken());
			application.assertGet(200, "/actuator/distlocks/two?registry=second");
			assertThat(first.isHeld()).isTrue();
			assertThat(second.isHeld()).isTrue();
		}
	}

	@Test
	void aStoreThatDoesNotAnswerIsUnavailableAndTheRestIsShown() throws Exception {
		try (HeldLock lock = registry("distlockSecondLockRegistry").acquire(LockRequest.of("unavailable"))) {
			SecondStore.failure.set(new LockBackendException(MESSAGE));
			application.assertGet(503, "/actuator/distlocks/unavailable?registry=second").contains(MESSAGE);
			application.assertDelete(503, "/actuator/distlocks/unavailable?registry=second&token=1");
			var registries = map(application.json("/actuator/distlocks"), "registries");
			assertThat(registries).containsOnlyKeys("local", "second");
			assertThat(list(map(registries, "second"), "held")).hasSize(1);
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void ifAStoreDoesNotAnswerTheRegistryOfAnotherCanBeNamed() throws Exception {
		SecondStore.failure.set(new LockBackendException(MESSAGE));
		try (HeldLock lock = registry("distlockLocalLockRegistry").acquire(LockRequest.of("found"))) {
			application.assertGet(503, "/actuator/distlocks/found");
			application.assertGet(200, "/actuator/distlocks/found?registry=local");
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
			application
				.assertDelete(501, "/actuator/distlocks/unsupported?registry=second&token=" + lock.fencingToken())
				.isEqualTo("{\"message\":\"" + remedy + "\"}");
			assertThat(lock.isHeld()).isTrue();
		}
	}

	@Test
	void healthHasAnEntryForEachStore() throws Exception {
		var components = map(application.json("/actuator/health/distlock"), "components");
		assertThat(components).containsOnlyKeys("local", "second");
		assertThat(map(components, "local")).containsEntry("status", "UP");
		assertThat(map(map(components, "local"), "details")).containsOnlyKeys("location", "watchdogLateness", "held",
				"waiting", "roundTrip");
	}

	@Test
	void aStoreThatDoesNotAnswerIsDownAndHealthSaysWhatToDo() throws Exception {
		SecondStore.failure.set(new LockBackendException(MESSAGE));
		application.assertGet(503, "/actuator/health/distlock/second")
			.contains("\"status\":\"DOWN\"", MESSAGE, "\"location\"", "\"held\":0")
			.doesNotContain("roundTrip");
		application.assertGet(200, "/actuator/health/distlock/local");
		application.assertGet(503, "/actuator/health");
	}

	@Test
	void aStoreThatDoesNotAnswerDoesNotEndTheApplication() throws Exception {
		SecondStore.failure.set(new LockBackendException(MESSAGE));
		application.assertGet(200, "/actuator/health/liveness")
			.contains("\"status\":\"UP\"")
			.doesNotContain("distlock");
		application.assertGet(404, "/actuator/health/liveness/distlock");
		application.assertGet(200, "/actuator/health/readiness");
	}

	/**
	 * A store of the application, beside the local one: a memory of its own, whose
	 * commands for operators fail when a test says so, or which has none.
	 */
	@Configuration(proxyBeanMethods = false)
	static class SecondStore {

		/** The failure of each command for operators. */
		static final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

		@Bean
		@Qualifier("second")
		LockBackend secondLockBackend() {
			return new FailingBackend();
		}

		private static void fail() {
			RuntimeException current = failure.get();
			if (current != null) {
				throw current;
			}
		}

		/** The local store under another name. */
		private static final class FailingBackend extends ForwardingBackend {

			FailingBackend() {
				super(new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 17, TimeSource.SYSTEM));
			}

			@Override
			public BackendDescription description() {
				BackendDescription real = super.description();
				return new BackendDescription("second", real.modes(), real.fair(), real.expires(),
						real.tokensPerGrant(), real.commandTimeout(), real.batchSize(), real.permits());
			}

			@Override
			public LockStore open(StoreContext context) {
				return new FailingStore(super.open(context));
			}

		}

		/** Its commands for operators fail. */
		private static final class FailingStore extends ForwardingBackend.ForwardingStore {

			FailingStore(LockStore real) {
				super(real);
			}

			@Override
			public void ping() {
				fail();
				super.ping();
			}

			@Override
			public StoreInspection inspection() {
				StoreInspection real = Objects.requireNonNull(super.inspection());
				return new StoreInspection() {

					@Override
					public StoredLock inspect(String key) {
						fail();
						return real.inspect(key);
					}

					@Override
					public EndResult end(String key, long grantToken) {
						fail();
						return real.end(key, grantToken);
					}

				};
			}

		}

	}

}
