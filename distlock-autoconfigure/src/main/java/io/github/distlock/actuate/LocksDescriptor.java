package io.github.distlock.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.github.distlock.LockMode;
import io.github.distlock.LossCause;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The locks of this application.
 *
 * @param instance this instance, in the first of the registries; {@code null} without a
 * registry
 * @param registries the registries by name
 */
public record LocksDescriptor(@Nullable InstanceDescriptor instance,
		Map<String, RegistryDescriptor> registries) implements OperationResponseBody {

	/**
	 * One registry.
	 *
	 * @param held the locks that this JVM holds, the longest held first
	 * @param waiting the callers of this JVM that wait, the longest waiting first
	 * @param recent the latest events, the newest first
	 * @param hotKeys the keys that have cost most waiting in this JVM
	 * @param totals the numbers of which the lists may show only a part
	 */
	public record RegistryDescriptor(List<HeldDescriptor> held, List<WaitingDescriptor> waiting,
			List<RecentDescriptor> recent, List<HotKeyDescriptor> hotKeys, TotalsDescriptor totals) {
	}

	/**
	 * A lock that this JVM holds.
	 *
	 * @param key the key of the lock
	 * @param name the declared name of the lock
	 * @param mode the mode
	 * @param permits how many callers may hold the lock at once, {@code null} without a
	 * limit
	 * @param state {@code held}, {@code at_risk} or {@code lost}
	 * @param holder the name of the thread, {@code null} for asynchronous work
	 * @param since when this caller acquired the lock
	 * @param remaining what is left of the lease
	 * @param renewals how often the lease was renewed
	 * @param reentries how many acquisitions are open besides the first
	 * @param fencingToken the fencing token
	 * @param grantToken the first fencing token of the grant, which names the grant
	 * @param waiting how many callers of this JVM wait for the key
	 */
	public record HeldDescriptor(String key, String name, LockMode mode, @Nullable Integer permits, String state,
			@Nullable String holder, Instant since, Duration remaining, int renewals, int reentries, long fencingToken,
			long grantToken, int waiting) {
	}

	/**
	 * A caller that waits.
	 *
	 * @param key the key of the lock
	 * @param name the declared name of the lock
	 * @param mode the mode
	 * @param caller the name of the thread, {@code null} for asynchronous work
	 * @param since when the caller began to wait
	 */
	public record WaitingDescriptor(String key, String name, LockMode mode, @Nullable String caller, Instant since) {
	}

	/**
	 * An event.
	 *
	 * @param key the key of the lock
	 * @param name the declared name of the lock, {@code null} if it is not known here
	 * @param event {@code lost}, {@code timeout} or {@code released}
	 * @param lossCause why the lock was lost, {@code null} for other events
	 * @param fencingToken the fencing token of the caller that has lost the lock; the
	 * first of the grant that was ended; {@code null} for a time-out
	 * @param at when it happened
	 * @param detail what happened, in words
	 */
	public record RecentDescriptor(@Nullable String key, @Nullable String name, String event,
			@Nullable LossCause lossCause, @Nullable Long fencingToken, Instant at, String detail) {
	}

	/**
	 * A key for which callers have waited, since the start or since it is kept.
	 *
	 * @param key the key of the lock
	 * @param name the declared name of the lock that was waited for last
	 * @param holder the declared name of the lock that was released last, {@code null} if
	 * none was
	 * @param waits how many waits have ended
	 * @param waited how long they took in all
	 * @param error how much of this time may belong to other keys
	 * @param longest the longest wait
	 */
	public record HotKeyDescriptor(String key, String name, @Nullable String holder, long waits, Duration waited,
			Duration error, Duration longest) {
	}

	/**
	 * Numbers of a registry.
	 *
	 * @param held how many locks this JVM holds
	 * @param waiting how many callers of this JVM wait
	 * @param atRisk how many of the held locks are at risk
	 * @param lost how many locks of this JVM were lost in the last ten minutes, without
	 * those that an operator has ended
	 * @param ended how many locks of this JVM an operator has ended in the last ten
	 * minutes
	 */
	public record TotalsDescriptor(int held, int waiting, int atRisk, int lost, int ended) {
	}

	/**
	 * One registry of one JVM.
	 *
	 * @param id the id of the instance, which is part of its tickets in the store
	 * @param application the name of the application
	 * @param host the name of the host
	 * @param pid the process id
	 */
	public record InstanceDescriptor(String id, @Nullable String application, @Nullable String host,
			@Nullable Long pid) {

	}

}
