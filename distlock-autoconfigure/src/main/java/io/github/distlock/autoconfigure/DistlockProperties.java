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
 * What can be set under {@code distlock}. A value that cannot work fails the start-up.
 *
 * @param enabled Whether locks are taken. When false, annotated methods and registry
 * users run without any lock, which is said once in the log.
 * @param backend Where locks are kept that say nothing else.
 * @param composite Two stores, comma-separated: locks of the registry 'composite' are
 * taken in both, in this order. Enables both.
 * @param keyPrefix What the name of every key and channel in the store begins with.
 * Applications that share locks have the same one. No braces, no control characters, not
 * blank.
 * @param waitTime How long a call waits for a lock that says nothing else. Zero tries
 * once, a negative duration waits for ever.
 * @param leaseTime How long a lock is granted at a time while the watchdog renews it, and
 * so how long the lock of a JVM that died stays. At least 100ms.
 * @param maxHoldTime How long the watchdog goes on renewing a lock; it is lost after
 * that. Not set means without end.
 * @param backendTimeout How long the lock store may be silent before waiting calls fail,
 * endless ones too.
 * @param failFast Whether the application refuses to start when the lock store cannot be
 * used.
 * @param onLost What happens to the thread that owns a lock when the lock is lost,
 * besides the event, the log line and the metric.
 * @param shutdownGracePeriod How long a stopping application waits for locks that are
 * still held. Those held longer are no longer renewed and end with their leases.
 * @param handoff Passing a lock on inside this JVM.
 * @param aop Annotated methods.
 * @param transaction Locks and transactions.
 */
@ConfigurationProperties("distlock")
public record DistlockProperties(@DefaultValue("true") boolean enabled, @DefaultValue("redis") Backend backend,
		@DefaultValue List<String> composite, @DefaultValue("distlock:") String keyPrefix,
		@DefaultValue("5s") Duration waitTime, @DefaultValue("30s") Duration leaseTime, @Nullable Duration maxHoldTime,
		@DefaultValue("10s") Duration backendTimeout, @DefaultValue("false") boolean failFast,
		@DefaultValue("event") OnLost onLost, @DefaultValue("10s") Duration shutdownGracePeriod,
		@DefaultValue Handoff handoff, @DefaultValue Aop aop, @DefaultValue Transaction transaction) {

	/**
	 * Check what can be checked without a store.
	 */
	public DistlockProperties {
		PropertyChecks.prefix("distlock.key-prefix", keyPrefix);
		PropertyChecks.notTooLong("distlock.wait-time", waitTime, "Use -1 to wait for ever");
		PropertyChecks.atLeast("distlock.lease-time", leaseTime, Duration.ofMillis(100), "100ms",
				"Set 100ms or more, since a shorter lease ends while a command is on its way");
		if (maxHoldTime != null) {
			PropertyChecks.notLess("distlock.max-hold-time", maxHoldTime, "distlock.lease-time", leaseTime);
		}
		PropertyChecks.atLeast("distlock.backend-timeout", backendTimeout, Duration.ofMillis(1), "1ms",
				"Set a longer one, or remove the property to have 10s");
		PropertyChecks.notMore("distlock.handoff.max-time", handoff.maxTime(), "distlock.lease-time", leaseTime);
		Duration shortest = (leaseTime.compareTo(Transaction.UNCONFIRMED) < 0) ? leaseTime : Transaction.UNCONFIRMED;
		PropertyChecks.atMost("distlock.transaction.commit-margin", transaction.commitMargin(), shortest.dividedBy(2),
				"Set a shorter one, since a lock that was just passed on, or is about to be renewed, has no more left for "
						+ "certain");
		PropertyChecks.atLeast("distlock.shutdown-grace-period", shutdownGracePeriod, Duration.ZERO, "0s",
				"Set 0s not to wait for locks that are held, or a longer time");
	}

	RegistrySettings toRegistrySettings() {
		return new RegistrySettings(this.waitTime, this.leaseTime, this.maxHoldTime, this.handoff.toLimits(),
				this.backendTimeout, this.onLost == OnLost.INTERRUPT, this.shutdownGracePeriod);
	}

	/** Switched off locks cannot be lost. */
	CommitTerms toCommitTerms() {
		return new CommitTerms(this.enabled && this.transaction.commitGuard(), this.transaction.commitMargin());
	}

	/**
	 * What happens to the thread that owns a lock when the lock is lost.
	 */
	public enum OnLost {

		/** Nothing more: who wants to know listens or asks. */
		EVENT,

		/** It is interrupted. */
		INTERRUPT

	}

	/**
	 * Passing a lock on from thread to thread inside this JVM, which costs no command,
	 * before the other JVMs have their turn. Fair locks are never passed on.
	 *
	 * @param budget How often in a row a lock may be passed on, at most 1000. 0 asks the
	 * store each time.
	 * @param maxTime How long after the store's grant a lock may still be passed on. The
	 * lease in the store is longer by this. Not more than distlock.lease-time.
	 */
	public record Handoff(@DefaultValue("16") int budget, @DefaultValue("50ms") Duration maxTime) {

		/** More would hold too many fencing tokens back. */
		private static final int MAX_BUDGET = 1000;

		/**
		 * Check what can be checked without a store.
		 */
		public Handoff {
			PropertyChecks.between("distlock.handoff.budget", budget, 0, MAX_BUDGET,
					"Set 0 not to pass locks on, or remove the property to have 16");
			PropertyChecks.atLeast("distlock.handoff.max-time", maxTime, Duration.ZERO, "0s",
					"Set 0s not to pass locks on, or remove the property to have 50ms");
		}

		HandOffLimits toLimits() {
			return new HandOffLimits(this.budget, this.maxTime);
		}

	}

	/**
	 * Annotated methods.
	 *
	 * @param mode How calls reach their lock: through the proxy of the bean, or through
	 * AspectJ's load-time weaver, which reaches calls inside one object and private,
	 * final and static methods, too.
	 * @param order Place of the lock among the advisors of a method. It must be outside
	 * of transactions and caches, which are last by default: lower than theirs.
	 * @param executor Name of the Executor bean that runs the bodies of locked methods
	 * that return a CompletionStage. By default each runs on a thread of its own, a
	 * virtual one if spring.threads.virtual.enabled is true.
	 */
	public record Aop(@DefaultValue("proxy") AopMode mode,
			@DefaultValue("" + DistributedLockAdvisor.DEFAULT_ORDER) int order, @Nullable String executor) {
	}

	/**
	 * Locks and transactions.
	 *
	 * @param onActive What happens when an annotated method is called inside a running
	 * transaction.
	 * @param commitGuard Whether a transaction that is about to commit under a lock that
	 * is lost is rolled back instead.
	 * @param commitMargin How much of its lease a lock must have left for a transaction
	 * under it to commit. Zero asks only that the lock is held. At most 2500ms, and half
	 * of distlock.lease-time.
	 */
	public record Transaction(@DefaultValue("keep") OnActiveTransaction onActive,
			@DefaultValue("true") boolean commitGuard, @DefaultValue("0s") Duration commitMargin) {

		/**
		 * How long a lock is held at first that Redis has passed on by message. It is
		 * renewed when a third has passed, as all leases are.
		 */
		private static final Duration UNCONFIRMED = Duration.ofSeconds(5);

		/**
		 * Check what can be checked without a store.
		 */
		public Transaction {
			PropertyChecks.atLeast("distlock.transaction.commit-margin", commitMargin, Duration.ZERO, "0s",
					"Set 0s to ask only that the lock is held, or a longer one");
		}

	}

}
