package io.github.distlock.registry;

import java.time.Duration;
import java.time.Instant;

import io.github.distlock.LockHolder;
import io.github.distlock.LockInstance;
import io.github.distlock.LockNotAcquiredException;
import io.github.distlock.LockOutcome;
import io.github.distlock.LockRequest;
import io.github.distlock.backend.StoredLock.StoredHolder;
import io.github.distlock.engine.Hold;
import io.github.distlock.thread.LockThreads;
import org.jspecify.annotations.Nullable;

/**
 * Says what holds a lock, in exceptions and log lines.
 */
final class HolderMessages {

	private final RegistryRuntime runtime;

	HolderMessages(RegistryRuntime runtime) {
		this.runtime = runtime;
	}

	/**
	 * Return the exception for a wait that ended without the lock.
	 * @param caller knows why it ended, and what held the lock last
	 * @param terms say how long the caller, and how many callers, were to wait at most
	 */
	LockNotAcquiredException notAcquired(Caller caller, RequestTerms terms) {
		LockRequest request = caller.request();
		StoredHolder blockedBy = caller.blockedBy();
		LockHolder holder = (blockedBy != null) ? holder(request.key(), blockedBy) : null;
		Duration waitTime = terms.waitTime(request);
		String limit = " within " + (waitTime.isZero() ? "one attempt" : waitTime.toString());
		String remedy = "Wait longer (waitTime, distlock.wait-time)";
		if (caller.reason() == LockOutcome.TOO_MANY_WAITING) {
			limit = ", because " + terms.maxWaiting(request) + " or more callers of this JVM wait for it";
			remedy = "Try again later, let more callers wait (maxWaiting, distlock.max-waiting)";
		}
		Duration retryAfter = null;
		if (request.permits() != null) {
			limit = " with " + request.permits() + " permits" + limit;
			remedy += ", use more permits";
			Duration ttl = (blockedBy != null) ? blockedBy.ttl() : null;
			retryAfter = (ttl != null) ? ttl : Duration.ofSeconds(1);
		}
		LockNotAcquiredException problem = new LockNotAcquiredException(
				"Lock '" + request.key() + "' (" + request.label() + ") was not acquired" + limit + ": "
						+ describe(holder) + ". " + remedy + ", or hold it for a shorter time",
				caller.reason(), holder, retryAfter);
		problem.initLockName(request.name());
		return problem;
	}

	/** Return what holds a lock, from what the store has said. */
	LockHolder holder(String key, StoredHolder stored) {
		LockInstance instance = LockInstance.of(stored.instance());
		if (instance.equals(this.runtime.self())) {
			Hold hold = this.runtime.heldLocks().find(key, stored.grantToken());
			if (hold != null) {
				Thread thread = hold.thread();
				return new LockHolder(instance, hold.mode(), this.runtime.wallTime(hold.heldNanos()),
						(thread != null) ? LockThreads.describe(thread) : null);
			}
		}
		return new LockHolder(instance, stored.mode(), stored.since(), null);
	}

	/** Return a clause that says what holds a lock. */
	String describe(@Nullable LockHolder holder) {
		if (holder == null) {
			return "its holder is not known";
		}
		Instant since = holder.since();
		String subject = !holder.instance().equals(this.runtime.self()) ? holder.instance().describe()
				: (holder.caller() != null) ? "thread '" + holder.caller() + "' of this JVM"
						: "another caller of this JVM";
		return subject + ((since != null) ? " has held it since " + since : " holds it");
	}

}
