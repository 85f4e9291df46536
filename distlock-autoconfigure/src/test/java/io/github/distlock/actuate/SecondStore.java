package io.github.distlock.actuate;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import io.github.distlock.backend.BackendDescription;
import io.github.distlock.backend.LockBackend;
import io.github.distlock.backend.LockStore;
import io.github.distlock.backend.StoreContext;
import io.github.distlock.backend.StoreInspection;
import io.github.distlock.backend.TimeSource;
import io.github.distlock.backend.local.LocalLockBackend;
import io.github.distlock.backend.local.LocalStore;
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
		return new FailingBackend(new LocalLockBackend(new LocalStore(TimeSource.SYSTEM), 17, TimeSource.SYSTEM));
	}

	/**
	 * The local store under another name.
	 *
	 * @param local the local store
	 */
	private record FailingBackend(LockBackend local) implements LockBackend {

		@Override
		public BackendDescription description() {
			BackendDescription real = this.local.description();
			return new BackendDescription("second", real.modes(), real.fair(), real.expires(), real.tokensPerGrant(),
					real.strayDelay(), real.batchSize());
		}

		@Override
		public void validateKey(String key) {
			this.local.validateKey(key);
		}

		@Override
		public LockStore open(StoreContext context) {
			LockStore store = this.local.open(context);
			return proxy(LockStore.class, (proxy, method, arguments) -> {
				if (method.getName().equals("ping")) {
					fail();
				}
				if (!method.getName().equals("inspection")) {
					return invoke(store, method, arguments);
				}
				StoreInspection inspection = Objects.requireNonNull(store.inspection());
				return proxy(StoreInspection.class, (self, command, parameters) -> {
					fail();
					return invoke(inspection, command, parameters);
				});
			});
		}

		private static void fail() {
			RuntimeException current = failure.get();
			if (current != null) {
				throw current;
			}
		}

		private static <T> T proxy(Class<T> type, InvocationHandler handler) {
			return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, handler));
		}

		private static @Nullable Object invoke(Object target, Method method, Object @Nullable [] arguments)
				throws Throwable {
			try {
				return method.invoke(target, arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getTargetException();
			}
		}

	}

}
