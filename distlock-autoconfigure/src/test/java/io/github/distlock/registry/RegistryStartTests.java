package io.github.distlock.registry;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
import io.github.distlock.testing.TestHandOff;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A registry that cannot start.
 */
class RegistryStartTests {

	private final LockBackend local = new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 17, TimeSource.SYSTEM);

	private final AtomicBoolean closed = new AtomicBoolean();

	@Test
	void theStoreIsClosedIfAnErrorEndsTheStart() {
		BackendLockRegistry registry = new BackendLockRegistry(new FailingBackend(),
				new RegistrySettings(Duration.ofSeconds(10), Duration.ofSeconds(30), null, TestHandOff.NONE,
						Duration.ofSeconds(10), false, Duration.ZERO),
				List::of, TimeSource.SYSTEM);
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(registry::start);
		assertThat(this.closed).isTrue();
	}

	/** Its open store fails with an error when it is first used. */
	private final class FailingBackend implements LockBackend {

		@Override
		public BackendDescription description() {
			return RegistryStartTests.this.local.description();
		}

		@Override
		public void validateKey(String key) {
			RegistryStartTests.this.local.validateKey(key);
		}

		@Override
		public LockStore open(StoreContext context) {
			LockStore open = RegistryStartTests.this.local.open(context);
			return (LockStore) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { LockStore.class },
					(proxy, method, arguments) -> {
						if (method.getName().equals("description")) {
							throw new OutOfMemoryError("simulated");
						}
						RegistryStartTests.this.closed.set(method.getName().equals("close"));
						try {
							return method.invoke(open, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getCause();
						}
					});
		}

	}

}
