package io.github.distlock.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.github.distlock.LockRequest;
import io.github.distlock.aop.AopMode;
import io.github.distlock.aop.DistributedLockAdvisor;
import io.github.distlock.registry.RegistrySettings;
import io.github.distlock.registry.RegistrySettings.ReleaseMode;
import io.github.distlock.transaction.CommitTerms;
import io.github.distlock.transaction.OnActiveTransaction;
import io.github.distlock.engine.HandOffLimits;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties under {@code distlock}. An invalid value fails the startup.
 *
 * @param enabled Whether locks are acquired. If false, annotated methods and registries
 * run code without locks, and a warning is logged once.
 * @param backend Store of all locks that do not name another registry.
 * @param composite Two backends, comma-separated, for the registry 'composite'. Each of
 * its locks is acquired in both stores, in this order. Enables both backends.
 * @param keyPrefix Prefix of all keys and channels in the store. Applications that share
 * locks must use the same prefix. It must not be blank and must not contain braces or
 * control characters.
 * @param waitTime How long a call waits for a lock that has no wait time of its own. With
 * 0s it tries once. -1 means no limit.
 * @param maxWaiting How many callers of this JVM may wait for one key. The next caller is
 * refused at once. Not set: no limit.
 * @param leaseTime How long the store grants a lock before the watchdog has to renew it.
 * If the JVM dies, the lock stays taken for this time. At least 100ms.
 * @param maxHoldTime How long the watchdog renews a lock. After that time, the lock is
 * lost. Not set: no limit.
 * @param backendTimeout How long the lock store may be silent before waiting calls fail.
 * It applies to calls without a limit on their wait time, too.
 * @param logSlowWait Wait time after which a waiting call is logged once, with the holder
 * of the lock. With 0s no waits are logged.
 * @param failFast Whether startup fails if the lock store cannot be used.
 * @param onLost Reaction to the loss of a held lock, in addition to the event, the log
 * line and the meter.
 * @param shutdownGracePeriod How long a stopping application waits for locks that are
 * still held. Locks that are held longer are no longer renewed and end with their leases.
 * The shutdown takes no longer than this, or 3s if this is shorter, even if a store
 * hangs.
 * @param release When the release of a lock returns. It is confirmed for locks with a
 * minimum hold time, and while 1000 releases are unanswered.
 * @param handoff Handing over a lock inside this JVM.
 * @param aop Annotated methods.
 * @param transaction Locks and transactions.
 * @param observations Observations of locks, which become spans of traces.
 * @param logging Log lines that are written under a lock.
 * @param web Answers to HTTP requests whose lock was not acquired.
 * @param local Locks in the memory of this JVM.
 */
@ConfigurationProperties("distlock")
public record DistlockProperties(@DefaultValue("true") boolean enabled, @DefaultValue("redis") Backend backend,
		@DefaultValue List<String> composite, @DefaultValue("distlock:") String keyPrefix,
		@DefaultValue("5s") Duration waitTime, @Nullable Integer maxWaiting, @DefaultValue("30s") Duration leaseTime,
		@Nullable Duration maxHoldTime, @DefaultValue("10s") Duration backendTimeout,
		@DefaultValue("10s") Duration logSlowWait, @DefaultValue("false") boolean failFast,
		@DefaultValue("event") OnLost onLost, @DefaultValue("10s") Duration shutdownGracePeriod,
		@DefaultValue("confirmed") ReleaseMode release, @DefaultValue Handoff handoff, @DefaultValue Aop aop,
		@DefaultValue Transaction transaction, @DefaultValue Observations observations, @DefaultValue Jfr jfr,
		@DefaultValue Logging logging, @DefaultValue Web web, @DefaultValue Local local) {

	/**
	 * Check what can be checked without a store.
	 */
	public DistlockProperties {
		PropertyChecks.prefix("distlock.key-prefix", keyPrefix);
		PropertyChecks.check(!waitTime.isNegative() || waitTime.equals(Duration.ofMillis(-1)), "distlock.wait-time",
				waitTime, "it is negative",
				"Write -1 to wait without a limit, 0s to try once, or a duration such as 5s");
		waitTime = waitTime.isNegative() ? LockRequest.FOREVER : waitTime;
		PropertyChecks.between("distlock.max-waiting", (maxWaiting != null) ? maxWaiting : 1, 1, Integer.MAX_VALUE,
				"Remove the property to let any number of callers wait");
		PropertyChecks.atLeast("distlock.lease-time", leaseTime, Duration.ofMillis(100),
				"Set 100ms or more, since a shorter lease could expire while a command is on its way");
		if (maxHoldTime != null) {
			PropertyChecks.notLess("distlock.max-hold-time", maxHoldTime, "distlock.lease-time", leaseTime);
		}
		PropertyChecks.atLeastMillis("distlock.backend-timeout", backendTimeout, 1, "10s");
		PropertyChecks.atLeast("distlock.log-slow-wait", logSlowWait, Duration.ZERO,
				"Set 0s to log no waits, or a longer duration");
		PropertyChecks.atMost("distlock.handoff.max-time", handoff.maxTime(), leaseTime,
				"Decrease it, or increase distlock.lease-time");
		Duration shortest = (leaseTime.compareTo(Transaction.UNCONFIRMED) < 0) ? leaseTime : Transaction.UNCONFIRMED;
		PropertyChecks.atMost("distlock.transaction.commit-margin", transaction.commitMargin(), shortest.dividedBy(2),
				"Set a shorter duration: a lock is only certain to have this much of its lease left");
		PropertyChecks.atLeast("distlock.shutdown-grace-period", shutdownGracePeriod, Duration.ZERO,
				"Set 0s to stop without waiting for held locks, or a longer duration");
	}

	RegistrySettings toRegistrySettings(String application) {
		return new RegistrySettings(this.waitTime, this.leaseTime, this.maxHoldTime, this.handoff.toLimits(),
				this.backendTimeout, this.onLost == OnLost.INTERRUPT, this.shutdownGracePeriod, application,
				this.logSlowWait, this.release, (this.maxWaiting != null) ? this.maxWaiting : Integer.MAX_VALUE,
				this.jfr.keys());
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
	 * @param maxTime How long after the grant of the store a lock may still be handed
	 * over. The lease in the store is longer by this time. At most distlock.lease-time.
	 * With 0, each acquisition sends a command to the store.
	 */
	public record Handoff(@DefaultValue("5ms") Duration maxTime) {

		/**
		 * Fencing tokens of a grant, one for each holder. Usually the time ends a turn,
		 * and not their number.
		 */
		static final int TOKENS_PER_GRANT = 501;

		/**
		 * Check what can be checked without a store.
		 */
		public Handoff {
			PropertyChecks.atLeast("distlock.handoff.max-time", maxTime, Duration.ZERO,
					"Set 0s to disable the hand-over of locks inside the JVM");
		}

		HandOffLimits toLimits() {
			return new HandOffLimits(TOKENS_PER_GRANT - 1, this.maxTime);
		}

	}

	/**
	 * Annotated methods.
	 *
	 * @param mode How calls of annotated methods are intercepted.
	 * @param order Order of the lock among the advisors of a bean. An advisor with a
	 * lower value encloses those with higher values. The lock must enclose transactions
	 * and caches, whose default order is 2147483647.
	 * @param executor Name of the Executor bean that runs the bodies of locked methods
	 * that return a CompletionStage. Not set: each body runs on a new thread, which is
	 * virtual if spring.threads.virtual.enabled is true.
	 */
	public record Aop(@DefaultValue("proxy") AopMode mode,
			@DefaultValue("" + DistributedLockAdvisor.DEFAULT_ORDER) int order, @Nullable String executor) {
	}

	/**
	 * Locks and transactions.
	 *
	 * @param enabled Whether the transactions of the application are enabled as an
	 * additional store. Not required if distlock.backend names it.
	 * @param onActive What happens if an annotated method is called inside an active
	 * transaction.
	 * @param commitGuard Whether a transaction is rolled back instead of committed if a
	 * lock that it runs under is lost.
	 * @param commitMargin Remaining lease that a lock must have for the commit of a
	 * transaction under it. With 0s the lock only has to be held. At most 2500ms, and at
	 * most half of distlock.lease-time.
	 * @param fence Whether each transaction under a lock writes the lock's token into the
	 * table distlock_fence of its database, which refuses the transactions of earlier
	 * holders.
	 * @param fenceManagers Names of the transaction managers without whose fence the
	 * application must not start.
	 */
	public record Transaction(@DefaultValue("false") boolean enabled,
			@DefaultValue("keep") OnActiveTransaction onActive, @DefaultValue("true") boolean commitGuard,
			@DefaultValue("0s") Duration commitMargin, @DefaultValue("false") boolean fence,
			@DefaultValue List<String> fenceManagers) {

		/**
		 * How long a lock is held initially if Redis has handed it over by message. It is
		 * renewed after a third of that time, like all leases.
		 */
		private static final Duration UNCONFIRMED = Duration.ofSeconds(5);

		/**
		 * Check what can be checked without a store.
		 */
		public Transaction {
			PropertyChecks.atLeast("distlock.transaction.commit-margin", commitMargin, Duration.ZERO,
					"Set 0s to require only that the lock is held, or a longer duration");
		}

	}

	/**
	 * Observations of locks, if the application has an ObservationRegistry. Each
	 * acquisition is observed; management.observations.enable.distlock=false switches
	 * that off.
	 *
	 * @param section Whether the work under locks is observed, in addition to
	 * acquisitions.
	 * @param keys Whether observations contain keys and fencing tokens. They are key
	 * values with high cardinality, which appear only in spans.
	 */
	public record Observations(@DefaultValue("false") boolean section, @DefaultValue("false") boolean keys) {
	}

	/**
	 * Events of the JDK Flight Recorder.
	 *
	 * @param keys Whether the events contain keys as text. Each event has a hash of the
	 * key, from which a key can be guessed if few are possible.
	 */
	public record Jfr(@DefaultValue("false") boolean keys) {
	}

	/**
	 * Log lines that are written under a lock.
	 *
	 * @param mdc Whether the MDC contains the key and the name of the innermost lock,
	 * 'distlock.key' and 'distlock.name', while code runs under it. If one application
	 * context of a JVM enables it, it is enabled for all of them.
	 */
	public record Logging(@DefaultValue("false") boolean mdc) {
	}

	/**
	 * Answers to HTTP requests whose lock was not acquired.
	 *
	 * @param enabled Whether an uncaught LockNotAcquiredException answers with HTTP
	 * status 409, or 429 if too many callers wait or no permit is free, and an uncaught
	 * LockBackendException with 503. If false, they are errors like any other.
	 */
	public record Web(@DefaultValue("true") boolean enabled) {
	}

	/**
	 * Locks in the memory of this JVM.
	 *
	 * @param enabled Whether the memory of this JVM is enabled as an additional store.
	 * Not required if distlock.backend or distlock.composite names it.
	 */
	public record Local(@DefaultValue("false") boolean enabled) {
	}

}
