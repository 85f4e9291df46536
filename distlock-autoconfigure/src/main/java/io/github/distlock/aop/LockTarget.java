package io.github.distlock.aop;

import java.time.Duration;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.github.distlock.HeldLock;
import io.github.distlock.LockMode;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import org.jspecify.annotations.Nullable;

/**
 * One lock that a call needs.
 *
 * @param definition the definition of the lock
 * @param registry the registry of the lock
 * @param request the request for the registry
 */
record LockTarget(LockDefinition definition, LockRegistry registry, LockRequest request) {

	/**
	 * Acquire the lock on this thread. Blocks. If the call is skipped without the lock,
	 * no exception is needed for the case that it is not free.
	 * @param request the request with the remaining wait time
	 * @return the lock, or {@code null} if the call is skipped
	 */
	@Nullable HeldLock acquire(LockRequest request) {
		return lock(isSkipped() ? this.registry.tryAcquire(request) : this.registry.acquire(request));
	}

	/**
	 * Acquire the lock without a waiting thread.
	 * @param request the request with the remaining wait time
	 * @return the future of the registry, with an answer for {@link #lock}; cancelling it
	 * ends the wait
	 */
	CompletableFuture<?> acquireAsync(LockRequest request) {
		return answer(isSkipped() ? this.registry.tryAcquireAsync(request) : this.registry.acquireAsync(request));
	}

	private boolean isSkipped() {
		return this.definition.failurePolicy() instanceof SkipPolicy;
	}

	/**
	 * Return the lock in an answer of the registry, {@code null} if the call is skipped.
	 */
	@Nullable HeldLock lock(@Nullable Object answer) {
		return (HeldLock) ((answer(answer) instanceof Optional<?> acquired) ? acquired.orElse(null) : answer);
	}

	/**
	 * Refuse {@code null}, which the contract of a registry does not allow. It never
	 * means that a call is skipped: the method would silently not run.
	 */
	private <T> T answer(@Nullable T answer) {
		if (answer == null) {
			throw new IllegalStateException(this.registry.getClass().getName() + " returned null for lock '"
					+ this.request.key() + "' (" + this.request.label() + "), which a LockRegistry must not do. If "
					+ "this is a mock in a test, remove it and use @DistlockTest or @AutoConfigureTestLocks, whose "
					+ "TestLocks decide which locks the code gets");
		}
		return answer;
	}

	boolean isSameLock(LockTarget other) {
		return this.registry == other.registry() && this.request.key().equals(other.request().key());
	}

	/**
	 * Combine two requests for the same lock so that both annotations are satisfied.
	 * Attributes that cannot be combined are those of this one.
	 */
	LockTarget merge(LockTarget second) {
		LockRequest one = this.request;
		LockRequest other = second.request();
		LockMode mode = (strength(one.mode()) >= strength(other.mode())) ? one.mode() : other.mode();
		Duration minHold = longer(one.minHold(), other.minHold());
		Duration lease = lesser(one.leaseTime(), other.leaseTime());
		// One annotation may have a longer minHold than the leaseTime of the other one.
		LockRequest request = new LockRequest(one.key(), mode, one.waitTime(),
				(lease != null) ? longer(lease, minHold) : null, one.fair() || other.fair(), one.name(), minHold,
				lesser(one.maxWaiting(), other.maxWaiting()));
		return new LockTarget(this.definition, this.registry, request);
	}

	private static int strength(LockMode mode) {
		return switch (mode) {
			case READ -> 0;
			case WRITE -> 1;
			case EXCLUSIVE -> 2;
		};
	}

	private static <T extends Comparable<T>> @Nullable T lesser(@Nullable T one, @Nullable T other) {
		return Stream.of(one, other).filter(Objects::nonNull).min(Comparator.naturalOrder()).orElse(null);
	}

	private static @Nullable Duration longer(@Nullable Duration one, @Nullable Duration other) {
		return Stream.of(one, other).filter(Objects::nonNull).max(Comparator.naturalOrder()).orElse(null);
	}

}
