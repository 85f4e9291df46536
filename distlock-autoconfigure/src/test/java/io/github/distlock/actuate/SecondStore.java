package io.github.distlock.actuate;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

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

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A store of the application, beside the local one: a memory of its own, whose commands
 * for operators fail when a test says so, or which has none.
 */
@Configuration(proxyBeanMethods = false)
class SecondStore {

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
			return new BackendDescription("second", real.modes(), real.fair(), real.expires(), real.tokensPerGrant(),
					real.commandTimeout(), real.batchSize(), real.permits());
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
