package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.github.distlock.aop.AopMode;
import io.github.distlock.aop.DistributedLockAdvisor;
import io.github.distlock.registry.RegistrySettings;
import io.github.distlock.waiting.HandOffLimits;
import io.github.distlock.transaction.CommitTerms;
import io.github.distlock.transaction.OnActiveTransaction;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties under {@code distlock}. An invalid value fails the startup.
 *
 * @param enabled Whether locks are acquired. If false, annotated methods and users of a
 * registry run without locks, and a warning is logged once.
 * @param backend Where locks are kept, unless a lock names another registry.
 * @param composite Two backends, comma-separated: locks of the registry 'composite' are
 * acquired in both, in this order. Enables both backends.
 * @param keyPrefix Prefix of every key and channel in the store. Applications that share
 * locks use the same prefix. It must not be blank and must not contain braces or control
 * characters.
 * @param waitTime How long a call waits for a lock that has no wait time of its own. Zero
 * tries once, a negative duration waits without a limit.
 * @param leaseTime How long a lock is granted before the watchdog has to renew it, and
 * therefore how long the lock of a dead JVM stays taken. At least 100ms.
 * @param maxHoldTime How long the watchdog renews a lock. After that time the lock is
 * lost. If not set, there is no limit.
 * @param backendTimeout How long the lock store may be silent before waiting calls fail,
 * including those without a limit on their wait time.
 * @param logSlowWait After which time a caller that waits for a lock is logged once, with
 * what holds the lock. Zero logs no waits.
 * @param failFast Whether startup fails if the lock store cannot be used.
 * @param onLost What happens to the thread that owns a lock when the lock is lost, in
 * addition to the event, the log line and the metric.
 * @param shutdownGracePeriod How long a stopping application waits for locks that are
 * still held. Locks that are held longer are no longer renewed and end with their leases.
 * @param handoff Handing over a lock inside this JVM.
 * @param aop Annotated methods.
 * @param transaction Locks and transactions.
 * @param observations Observations of locks, which become spans of traces and timers.
 * @param logging Log lines that are written under a lock.
 */
@ConfigurationProperties("distlock")
public record DistlockProperties(@DefaultValue("true") boolean enabled, @DefaultValue("redis") Backend backend,
		@DefaultValue List<String> composite, @DefaultValue("distlock:") String keyPrefix,
		@DefaultValue("5s") Duration waitTime, @DefaultValue("30s") Duration leaseTime, @Nullable Duration maxHoldTime,
		@DefaultValue("10s") Duration backendTimeout, @DefaultValue("10s") Duration logSlowWait,
		@DefaultValue("false") boolean failFast, @DefaultValue("event") OnLost onLost,
		@DefaultValue("10s") Duration shutdownGracePeriod, @DefaultValue Handoff handoff, @DefaultValue Aop aop,
		@DefaultValue Transaction transaction, @DefaultValue Observations observations, @DefaultValue Logging logging) {

	/**
	 * Check what can be checked without a store.
	 */
	public DistlockProperties {
		PropertyChecks.prefix("distlock.key-prefix", keyPrefix);
		PropertyChecks.notTooLong("distlock.wait-time", waitTime, "Use -1 to wait without a limit");
		PropertyChecks.atLeast("distlock.lease-time", leaseTime, Duration.ofMillis(100), "100ms",
				"Set 100ms or more, since a shorter lease could expire while a command is on its way");
		if (maxHoldTime != null) {
			PropertyChecks.notLess("distlock.max-hold-time", maxHoldTime, "distlock.lease-time", leaseTime);
		}
		PropertyChecks.atLeast("distlock.backend-timeout", backendTimeout, Duration.ofMillis(1), "1ms",
				"Set a longer duration, or remove the property to use the default, 10s");
		PropertyChecks.atLeast("distlock.log-slow-wait", logSlowWait, Duration.ZERO, "0s",
				"Set 0s to log no waits, or a longer duration");
		PropertyChecks.notMore("distlock.handoff.max-time", handoff.maxTime(), "distlock.lease-time", leaseTime);
		Duration shortest = (leaseTime.compareTo(Transaction.UNCONFIRMED) < 0) ? leaseTime : Transaction.UNCONFIRMED;
		PropertyChecks.atMost("distlock.transaction.commit-margin", transaction.commitMargin(), shortest.dividedBy(2),
				"Set a shorter duration: a lock that was just handed over, or is about to be renewed, is only certain to "
						+ "have this much of its lease left");
		PropertyChecks.atLeast("distlock.shutdown-grace-period", shutdownGracePeriod, Duration.ZERO, "0s",
				"Set 0s to stop without waiting for held locks, or a longer duration");
	}

	RegistrySettings toRegistrySettings() {
		return new RegistrySettings(this.waitTime, this.leaseTime, this.maxHoldTime, this.handoff.toLimits(),
				this.backendTimeout, this.onLost == OnLost.INTERRUPT, this.shutdownGracePeriod);
	}

	/** Locks that are switched off cannot be lost. */
	CommitTerms toCommitTerms() {
		return new CommitTerms(this.enabled && this.transaction.commitGuard(), this.transaction.commitMargin());
	}

	/**
	 * What happens to the thread that owns a lock when the lock is lost.
	 */
	public enum OnLost {

		/** Nothing more: the application can register a listener or query the lock. */
		EVENT,

		/** The thread is interrupted. */
		INTERRUPT

	}

	/**
	 * Handing over a lock from thread to thread inside this JVM before other JVMs have
	 * their turn. This needs no command to the store. Fair locks are never handed over in
	 * this way.
	 *
	 * @param budget How often in a row a lock may be handed over, at most 1000. With 0
	 * each acquisition asks the store.
	 * @param maxTime How long after the grant of the store a lock may still be handed
	 * over. The lease in the store is longer by this time. Not more than
	 * distlock.lease-time.
	 */
	public record Handoff(@DefaultValue("16") int budget, @DefaultValue("50ms") Duration maxTime) {

		/** A higher budget would reserve too many fencing tokens. */
		private static final int MAX_BUDGET = 1000;

		/**
		 * Check what can be checked without a store.
		 */
		public Handoff {
			PropertyChecks.between("distlock.handoff.budget", budget, 0, MAX_BUDGET,
					"Set 0 to disable the hand-over of locks inside the JVM, or remove the property to use the default, 16");
			PropertyChecks.atLeast("distlock.handoff.max-time", maxTime, Duration.ZERO, "0s",
					"Set 0s to disable the hand-over of locks inside the JVM, or remove the property to use the default, 50ms");
		}

		HandOffLimits toLimits() {
			return new HandOffLimits(this.budget, this.maxTime);
		}

	}

	/**
	 * Annotated methods.
	 *
	 * @param mode How a call gets to its lock: through the proxy of the bean, or through
	 * AspectJ's load-time weaver, which also covers calls inside one object and private,
	 * final and static methods.
	 * @param order Order of the lock among the advisors of a method. The lock must
	 * enclose transactions and caches, so the value must be lower than theirs. By default
	 * theirs are last.
	 * @param executor Name of the Executor bean that runs the bodies of locked methods
	 * that return a CompletionStage. By default each body runs on a thread of its own,
	 * which is virtual if spring.threads.virtual.enabled is true.
	 */
	public record Aop(@DefaultValue("proxy") AopMode mode,
			@DefaultValue("" + DistributedLockAdvisor.DEFAULT_ORDER) int order, @Nullable String executor) {
	}

	/**
	 * Locks and transactions.
	 *
	 * @param onActive What happens if an annotated method is called inside an active
	 * transaction.
	 * @param commitGuard Whether a transaction is rolled back instead of committed if a
	 * lock that it runs under is lost.
	 * @param commitMargin How much of its lease a lock must have left for a transaction
	 * under it to commit. With zero the lock only has to be held. At most 2500ms, and
	 * half of distlock.lease-time.
	 */
	public record Transaction(@DefaultValue("keep") OnActiveTransaction onActive,
			@DefaultValue("true") boolean commitGuard, @DefaultValue("0s") Duration commitMargin) {

		/**
		 * How long a lock is held initially if Redis has handed it over by message. It is
		 * renewed after a third of that time, like all leases.
		 */
		private static final Duration UNCONFIRMED = Duration.ofSeconds(5);

		/**
		 * Check what can be checked without a store.
		 */
		public Transaction {
			PropertyChecks.atLeast("distlock.transaction.commit-margin", commitMargin, Duration.ZERO, "0s",
					"Set 0s to require only that the lock is held, or a longer duration");
		}

	}

	/**
	 * Observations of locks, if the application has an ObservationRegistry. Each
	 * acquisition is observed; management.observations.enable.distlock=false switches
	 * that off.
	 *
	 * @param section Whether the work under locks is observed, too.
	 * @param keys Whether observations contain keys and fencing tokens, as key values
	 * with high cardinality, which only spans show.
	 */
	public record Observations(@DefaultValue("false") boolean section, @DefaultValue("false") boolean keys) {
	}

	/**
	 * Log lines that are written under a lock.
	 *
	 * @param mdc Whether the MDC contains the key and the name of the innermost lock,
	 * 'distlock.key' and 'distlock.name', while code runs under it. It is on for the
	 * whole JVM while one application context has it on.
	 */
	public record Logging(@DefaultValue("false") boolean mdc) {
	}

}
