package io.github.distlock.docs;

import java.lang.reflect.Constructor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.contract.LockStoreContract;
import io.github.distlock.contract.StoreUnderTest;

import org.springframework.beans.BeanUtils;
import org.springframework.test.util.ReflectionTestUtils;

/**
 * The contract of a lock store, on the store that the documentation shows.
 */
class ExampleStoreTests extends LockStoreContract {

	private static final String FILE = "docs/examples/MemoryLockStore.java";

	@Override
	protected StoreUnderTest openStore() {
		return new ExampleStore(PageCode.of(List.of(), new CodeBlock(FILE, 1, "java", true, Pages.text(FILE))));
	}

	/** Its server is shared by all backends of a test. */
	private static final class ExampleStore implements StoreUnderTest {

		private final Constructor<?> backend;

		private final Object server;

		ExampleStore(PageCode code) {
			this.server = BeanUtils.instantiateClass(code.type("Server"));
			this.backend = code.type("MemoryLockBackend").getDeclaredConstructors()[0];
		}

		@Override
		public LockBackend newBackend(TimeSource clock) {
			return (LockBackend) BeanUtils.instantiateClass(this.backend, this.server, clock);
		}

		private Map<?, ?> owners() {
			return (Map<?, ?>) Objects.requireNonNull(ReflectionTestUtils.getField(this.server, "owners"));
		}

		@Override
		public void clear() {
			owners().clear();
		}

		/** A lease that has ended is no lock. */
		@Override
		public long items() {
			return owners().values()
				.stream()
				.filter((owner) -> !Boolean.TRUE.equals(ReflectionTestUtils.invokeMethod(owner, "hasEnded")))
				.count();
		}

		@Override
		public Duration memory() {
			return Duration.ZERO;
		}

		@Override
		public void close() {
		}

	}

}
