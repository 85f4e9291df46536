package io.github.distlock.aop;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.distlock.LockFailureHandler;
import io.github.distlock.LockListener;
import io.github.distlock.LockRegistry;
import io.github.distlock.transaction.OnActiveTransaction;
import org.jspecify.annotations.Nullable;

/**
 * What a locked call needs from the application. Nothing is asked for before the first
 * call, so that the advisor can be created before all other beans.
 *
 * @param registry where locks come from that name no registry; asked until it answers,
 * then never again
 * @param listeners who is told of calls that never reach the registry
 * @param enabled whether methods are locked; asked at every call
 * @param stores tells of the store behind a registry
 * @param waitTime wait time of locks that say none
 * @param onActiveTransaction what happens to a call inside a running transaction
 * @param failureHandler who decides for annotations that say nothing, if anybody; asked
 * each time
 * @param work where asynchronous work runs
 */
public record LockEnvironment(Supplier<LockRegistry> registry, Supplier<List<LockListener>> listeners,
		BooleanSupplier enabled, Function<LockRegistry, StoreFacts> stores, Supplier<Duration> waitTime,
		Supplier<OnActiveTransaction> onActiveTransaction, Supplier<@Nullable LockFailureHandler> failureHandler,
		Supplier<WorkExecutor> work) {
}
