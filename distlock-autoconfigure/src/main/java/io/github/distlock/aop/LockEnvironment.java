package io.github.distlock.aop;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.distlock.LockFailureHandler;
import io.github.distlock.LockKeyPrefix;
import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.observation.LockObserver;
import io.github.distlock.observation.LockObserver.ObservationScope;
import io.github.distlock.observation.LockObservers;
import io.github.distlock.transaction.OnActiveTransaction;
import org.jspecify.annotations.Nullable;

/**
 * The beans and properties of the application that locked calls need. All of them are
 * suppliers that are not used before the first call, because the advisor is created
 * before all other beans.
 *
 * @param registry the default registry; cached by the caller
 * @param listeners the listeners to notify of calls that never reach a registry
 * @param enabled whether methods are locked; cached by the caller
 * @param stores describes the store of a registry
 * @param waitTime the wait time of annotations without one
 * @param onActiveTransaction how to handle calls inside a running transaction
 * @param failureHandler the handler for annotations with neither a fallback nor
 * {@code SKIP}, or {@code null}; looked up for each failure
 * @param work runs the bodies of methods that return a {@code CompletionStage}
 * @param observers finds the observer of the application
 * @param keyPrefix finds what computes the prefixes of keys; cached by the caller
 */
public record LockEnvironment(Supplier<LockRegistry> registry, Supplier<List<LockListener>> listeners,
		Supplier<Boolean> enabled, Function<LockRegistry, StoreFacts> stores, Supplier<Duration> waitTime,
		Supplier<OnActiveTransaction> onActiveTransaction, Supplier<@Nullable LockFailureHandler> failureHandler,
		Supplier<WorkExecutor> work, LockObservers observers, Supplier<Optional<LockKeyPrefix>> keyPrefix) {

	/**
	 * Remember what a supplier finds. Unlike with Spring's {@code SingletonSupplier} no
	 * thread waits for another one, since it may be an event loop, or create beans: those
	 * that come first all ask the supplier, and get what one of them has found.
	 * @param <T> type of what is found
	 * @param source finds it, perhaps several times at first
	 * @return finds it once
	 */
	public static <T> Supplier<T> cached(Supplier<T> source) {
		AtomicReference<@Nullable T> found = new AtomicReference<>();
		return () -> {
			T known = found.get();
			return (known != null) ? known : find(found, source);
		};
	}

	private static <T> T find(AtomicReference<@Nullable T> found, Supplier<T> source) {
		T first = source.get();
		return found.compareAndSet(null, first) ? first : Objects.requireNonNull(found.get());
	}

	/** Return the observation of the calling code. */
	@Nullable Object observation() {
		LockObserver observer = this.observers.get();
		return (observer != null) ? observer.current() : null;
	}

	/** Make an observation of another thread the parent of those of this thread. */
	@Nullable ObservationScope childrenOf(@Nullable Object parent) {
		LockObserver observer = (parent != null) ? this.observers.get() : null;
		return (observer != null) ? observer.childrenOf(parent) : null;
	}

	/**
	 * What annotations need to know about the store of a registry.
	 *
	 * @param name the name of the store, for events
	 * @param validator refuses requests that the registry or its store does not support,
	 * with a {@link io.github.distlock.LockDefinitionException}
	 */
	public record StoreFacts(String name, Consumer<LockRequest> validator) {

		/**
		 * For an unknown registry, which refuses unsupported requests when it is called.
		 */
		public static final StoreFacts UNKNOWN = new StoreFacts("unknown", (request) -> {
		});

	}
}
