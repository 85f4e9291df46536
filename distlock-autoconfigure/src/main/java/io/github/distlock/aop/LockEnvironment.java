package io.github.distlock.aop;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.distlock.LockFailureHandler;
import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
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
 * @param enabled whether methods are locked; read at every call
 * @param stores describes the store of a registry
 * @param waitTime the wait time of annotations without one
 * @param onActiveTransaction how to handle calls inside a running transaction
 * @param failureHandler the handler for annotations with neither a fallback nor
 * {@code SKIP}, or {@code null}; looked up for each failure
 * @param work runs the bodies of methods that return a {@code CompletionStage}
 * @param observers finds the observer of the application
 */
public record LockEnvironment(Supplier<LockRegistry> registry, Supplier<List<LockListener>> listeners,
		BooleanSupplier enabled, Function<LockRegistry, StoreFacts> stores, Supplier<Duration> waitTime,
		Supplier<OnActiveTransaction> onActiveTransaction, Supplier<@Nullable LockFailureHandler> failureHandler,
		Supplier<WorkExecutor> work, LockObservers observers) {
}
